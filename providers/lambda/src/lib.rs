//! Adapter for Lambda Cloud
