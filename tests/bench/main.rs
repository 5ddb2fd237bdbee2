//! Prints the table of speed figures.
fn main() {}
