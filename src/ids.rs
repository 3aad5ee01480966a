//! Typed indices. Everything that names a statement, array, value … across layers is one of these, never a pointer.

use std::fmt;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a `usize`, for slices.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a slice position.
            ///
            /// # Panics
            /// When there are more than `u32::MAX` items.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than u32::MAX items"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id_type!(
    /// Statement of a SCoP, in program order; its tuple is `Stmt<n>`.
    StmtId,
    "Stmt"
);
id_type!(
    /// Array (or scalar seen as a zero-dimensional array) of a SCoP; its tuple is `Arr<n>`.
    ArrayId,
    "Arr"
);
id_type!(
    /// Loop of the analysed function.
    LoopId,
    "loop"
);
id_type!(
    /// LLVM value (instruction, argument, global, constant) of the analysed function; the bridge keeps the pointer.
    ValueId,
    "v"
);
id_type!(
    /// Basic block of the analysed function, in function order.
    BlockId,
    "bb"
);
id_type!(
    /// Scalar-evolution expression of the analysed function, hash-consed.
    ScevId,
    "scev"
);
id_type!(
    /// Loop iterator of a generated AST; unique in one AST.
    IterId,
    "c"
);
