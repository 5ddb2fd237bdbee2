//! Cases, notice periods, brake and plan
