//! Finds SCoPs: maximal single-entry single-exit regions with affine bounds, conditions and accesses.
