//! Idempotent delivery of mail and messages
