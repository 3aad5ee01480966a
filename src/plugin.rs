//! The plugin entry.
