//! The `despatch` program: parses arguments, runs one command, sets the exit code.

fn main() {}
