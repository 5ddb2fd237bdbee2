//! Collect, enrich and judge: the imperative shell around the pure middle
