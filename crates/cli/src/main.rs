//! The binary `reaper`.
fn main() {}
