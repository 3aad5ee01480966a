//! The driver: one function in, one function out.
