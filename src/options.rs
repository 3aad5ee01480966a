//! Every option, once: name, type, default, unit, help.
