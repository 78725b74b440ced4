//! The embedded folders are part of the program: a file added to them must build it
//! anew, which the compiler cannot see by itself.

fn main() {
    println!("cargo::rerun-if-changed=games");
    println!("cargo::rerun-if-changed=templates");
}
