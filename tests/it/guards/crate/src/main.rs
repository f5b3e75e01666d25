mod comm_commands;
mod guards;

fn main() {}
