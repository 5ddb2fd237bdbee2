//! Simulated clouds on their real wire formats
