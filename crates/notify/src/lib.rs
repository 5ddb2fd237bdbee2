//! Idempotent delivery of mail and messages. Nothing lives here yet: this version prints its report
//! and sends nothing. What a notice will need of an owner (addresses, status) is in
//! `reaper_model::document::OwnerView`.
