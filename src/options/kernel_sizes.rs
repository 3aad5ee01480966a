//! Sizes of kernels for a GPU, as the user writes them: `32,8`, `block=32,8:grid=64:tile=64,16`, `1.tile=4,4`; what a
//! thread has in registers, and a block in shared memory.

use super::OptionValue;
use std::str::FromStr;

/// Threads that a block of a GPU may have.
pub const MAX_THREADS: u32 = 1024;
/// Threads that a block may have along z.
pub const MAX_THREADS_ALONG_Z: u32 = 64;
/// Bytes of shared memory that every block may have.
pub const MOST_SHARED_BYTES: u64 = 48 << 10;

/// What has a size in x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelPart {
    /// Blocks of a grid, at most.
    Grid,
    /// Threads of a block.
    Block,
    /// Iterations that a block runs.
    Tile,
}

impl KernelPart {
    const NAMES: [(&'static str, Self); 3] = [("grid", Self::Grid), ("block", Self::Block), ("tile", Self::Tile)];
}

/// What the user says of sizes, in the order in which it is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelSizes(Vec<(Option<usize>, KernelPart, Vec<u32>)>);

impl KernelSizes {
    /// The largest number of a kernel of which something is said.
    #[must_use]
    pub fn last_number(&self) -> Option<usize> {
        self.0.iter().filter_map(|(kernel, ..)| *kernel).max()
    }

    /// What is said of a kernel, x first; nothing: it is up to the compiler. What is said of it alone comes before what
    /// is said of all, and later words before earlier ones.
    #[must_use]
    pub fn of(&self, kernel: usize, part: KernelPart) -> &[u32] {
        let said = |whom: Option<usize>| self.0.iter().rfind(|(of, what, _)| (*of, *what) == (whom, part));
        said(Some(kernel)).or_else(|| said(None)).map_or(&[], |(.., sizes)| sizes)
    }
}

/// A word that means something: numbers alone are threads of a block.
fn parse(word: &str) -> Option<(Option<usize>, KernelPart, Result<Vec<u32>, String>)> {
    let Some((what, sizes)) = word.split_once('=') else {
        return Some((None, KernelPart::Block, OptionValue::parse(word)));
    };
    let (kernel, name) = match what.split_once('.') {
        Some((kernel, name)) => (Some(kernel.parse().ok()?), name),
        None => (None, what),
    };
    let (_, part) = KernelPart::NAMES.into_iter().find(|(known, _)| *known == name)?;
    Some((kernel, part, OptionValue::parse(sizes)))
}

impl FromStr for KernelSizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        for word in text.split(':').filter(|word| !word.is_empty()) {
            let unknown = || format!("'{word}' is none of block=, grid=, tile= with sizes, nor has a kernel's number");
            let (kernel, part, sizes) = parse(word).ok_or_else(unknown)?;
            let sizes = sizes?;
            if sizes.len() > 3 {
                return Err(format!("'{word}' has more than three sizes"));
            }
            if part == KernelPart::Block {
                let threads = sizes.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
                if threads > u64::from(MAX_THREADS) {
                    return Err(format!(
                        "'{word}' makes {threads} threads of a block, which has {MAX_THREADS} at most"
                    ));
                }
                if sizes.get(2).is_some_and(|depth| *depth > MAX_THREADS_ALONG_Z) {
                    return Err(format!("'{word}' has more than {MAX_THREADS_ALONG_Z} threads along z"));
                }
            }
            all.push((kernel, part, sizes));
        }
        Ok(Self(all))
    }
}

impl OptionValue for KernelSizes {
    fn parse(text: &str) -> Result<Self, String> {
        text.parse()
    }

    fn show(&self) -> String {
        let name = |part: &KernelPart| KernelPart::NAMES.iter().find(|(_, known)| known == part).map_or("", |(n, _)| n);
        let word = |(kernel, part, sizes): &(Option<usize>, KernelPart, Vec<u32>)| {
            let kernel = kernel.map_or_else(String::new, |k| format!("{k}."));
            format!("{kernel}{}={}", name(part), sizes.show())
        };
        self.0.iter().map(word).collect::<Vec<_>>().join(":")
    }
}

/// Rows and columns of a matrix product that a thread has in registers; nothing: it is up to the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterTile(Vec<u32>);

impl RegisterTile {
    /// The two sizes, or none.
    #[must_use]
    pub fn sizes(&self) -> &[u32] {
        &self.0
    }
}

impl OptionValue for RegisterTile {
    fn parse(text: &str) -> Result<Self, String> {
        let sizes: Vec<u32> = OptionValue::parse(text)?;
        match sizes.len() {
            2 => Ok(Self(sizes)),
            n => Err(format!("'{text}' has {n} size{}, not two: rows,columns", if n == 1 { "" } else { "s" })),
        }
    }

    fn show(&self) -> String {
        self.0.show()
    }
}

/// Bytes of shared memory that a block has at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedBytes(u64);

impl SharedBytes {
    /// How many they are.
    #[must_use]
    pub fn count(self) -> u64 {
        self.0
    }
}

impl Default for SharedBytes {
    fn default() -> Self {
        Self(MOST_SHARED_BYTES)
    }
}

impl OptionValue for SharedBytes {
    fn parse(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(bytes) if bytes <= MOST_SHARED_BYTES => Ok(Self(bytes)),
            _ => Err(format!("'{text}' is not a whole number between 0 and {MOST_SHARED_BYTES}")),
        }
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_one_kernel_win_and_later_ones() {
        let sizes = KernelSizes::parse("32,8:1.block=64:grid=4,5,6:1.grid=2:2.tile=16,4:block=7").expect("sizes");
        let of = |kernel, part| sizes.of(kernel, part).to_vec();
        assert_eq!([0, 1, 2].map(|k| of(k, KernelPart::Block)), [vec![7], vec![64], vec![7]]);
        assert_eq!([0, 1].map(|k| of(k, KernelPart::Grid)), [vec![4, 5, 6], vec![2]]);
        assert_eq!([0, 2].map(|k| of(k, KernelPart::Tile)), [vec![], vec![16, 4]]);
        assert_eq!(sizes.show(), "block=32,8:1.block=64:grid=4,5,6:1.grid=2:2.tile=16,4:block=7");
        assert_eq!(sizes.last_number(), Some(2));
        assert_eq!(KernelSizes::parse("block=7").expect("sizes").last_number(), None);
        assert!(KernelSizes::parse("1024:grid=4096:tile=64,64:block=4,4,64").is_ok());
        assert_eq!(KernelSizes::parse("").expect("none"), KernelSizes::default());
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for text in [
            "0",
            "block=",
            "threads=3",
            "x.block=3",
            "block=1,2,3,4",
            "1.32",
            "grid=-1",
            "block=1025",
            "64,32",
            "0.block=2,2,128",
        ] {
            assert!(KernelSizes::parse(text).is_err(), "{text}");
        }
    }
    #[test]
    fn a_tile_has_two_sizes_and_a_block_a_limit() {
        assert_eq!(RegisterTile::parse("8,4").expect("a tile").sizes(), [8, 4]);
        for (text, what) in [
            ("3", "'3' has 1 size, not two: rows,columns"),
            ("1,2,3,4", "'1,2,3,4' has 4 sizes, not two: rows,columns"),
            ("8,0", "'0' is not a whole number between 1 and 4294967295"),
        ] {
            assert_eq!(RegisterTile::parse(text).unwrap_err(), what);
        }
        assert_eq!(SharedBytes::parse("49152"), Ok(SharedBytes::default()));
        assert_eq!(SharedBytes::parse("0").expect("none").count(), 0);
        for text in ["49153", "-1", "48k"] {
            assert_eq!(
                SharedBytes::parse(text).unwrap_err(),
                format!("'{text}' is not a whole number between 0 and 49152")
            );
        }
    }
}
