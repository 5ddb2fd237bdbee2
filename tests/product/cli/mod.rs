//! The command line: usage, exit codes, streams, files.

mod bad_input;
mod budgets;
mod schedules;
mod streams;
mod words;
