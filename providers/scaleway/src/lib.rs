//! Adapter for Scaleway Instances
