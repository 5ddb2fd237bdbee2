//! Adapter for OVHcloud Public Cloud
