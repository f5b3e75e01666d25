//! Makes a new file below `rules/` a reason to build again: the macro that embeds the folder notices only those it has
//! already seen.

fn main() {
    println!("cargo:rerun-if-changed=rules");
}
