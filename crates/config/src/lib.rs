//! The configuration file: TOML to typed and validated values, with spans and hints
