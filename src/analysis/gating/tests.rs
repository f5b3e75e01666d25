//! Which gates hold where, on functions made by hand in the core language: what is tested is the analysis, whatever a front
//! end makes of a text.

mod build;
mod forms;
mod frames;
mod functions;
mod laws;
mod run;
mod term;
mod worst;
