//! Append-only commit log over object storage
