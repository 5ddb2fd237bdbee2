//! REST kit of the adapters: transport, retry, pacing, paging, redaction
