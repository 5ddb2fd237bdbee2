//! Adapter for AWS EC2
