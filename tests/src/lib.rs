//! Whole-product tests
