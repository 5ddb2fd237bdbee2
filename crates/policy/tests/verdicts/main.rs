//! Verdicts of whole policies: the field cases of tags, owners, ages and protection, and the laws
//! that hold for every machine.

#![allow(clippy::expect_used, reason = "a test that cannot build its input has failed")]

mod ages;
mod build;
mod causes;
mod idle;
mod idle_laws;
mod laws;
mod meters;
mod own;
mod owners;
mod protection;
mod rules;
mod slices;
mod suspects;
