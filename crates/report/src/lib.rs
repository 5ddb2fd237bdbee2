//! The audit document in every format
