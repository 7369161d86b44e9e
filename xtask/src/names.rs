//! The names under which WebAssembly imports functions of its script, with numbers instead of hashes.
//!
//! wasm-bindgen tells functions of one name apart by a hash, in both files. Nothing else in them compresses so badly.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::problem::{Problem, Result};

/// How the names of imported functions begin.
const START: &[u8] = b"__wbg_";

/// A hash is a number of 64 bits.
const DIGITS: usize = 16;

/// The numbers given so far.
#[derive(Default)]
struct Names {
    /// The name, with its hash.
    numbers: BTreeMap<Vec<u8>, usize>,
    /// The name without it: how many there are.
    counts: BTreeMap<Vec<u8>, usize>,
}

/// Numbers the names in all files of one program.
pub(crate) fn number(files: &[PathBuf]) -> Result<()> {
    let mut names = Names::default();
    for file in files {
        let failed = |error: std::io::Error| Problem::new(format!("{} cannot be changed: {error}.", file.display()));
        let mut content = fs::read(file).map_err(failed)?;
        names.replace(&mut content);
        fs::write(file, content).map_err(failed)?;
    }
    Ok(())
}

impl Names {
    /// Replaces the hashes by numbers of the same length: the WebAssembly has lengths before its names.
    fn replace(&mut self, content: &mut [u8]) {
        let mut at = 0;
        while at + START.len() <= content.len() {
            if !content[at..].starts_with(START) {
                at += 1;
                continue;
            }
            let is_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let length = content[at..].iter().take_while(|byte| is_in_name(byte)).count();
            self.replace_one(&mut content[at..at + length]);
            at += length;
        }
    }

    fn replace_one(&mut self, name: &mut [u8]) {
        let Some((before, hash)) = name.split_last_chunk::<DIGITS>() else {
            return;
        };
        if !before.ends_with(b"_") || !hash.iter().all(u8::is_ascii_hexdigit) {
            return;
        }
        let place = before.len();
        let count = self.counts.entry(name[..place].to_owned()).or_default();
        let number = *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            *count += 1;
            *count
        });
        name[place..].copy_from_slice(format!("{number:0DIGITS$}").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_same_number_in_all_files() {
        let mut names = Names::default();
        let mut replaced = |text: &str| {
            let mut content = text.as_bytes().to_owned();
            names.replace(&mut content);
            String::from_utf8(content).unwrap()
        };
        assert_eq!(
            replaced("\u{1a}__wbg_get_adf3c8b63e45f3b5\0\u{1a}__wbg_get_0df3c8b63e45f3b5\0__wbg_board_free\0__wbg_"),
            "\u{1a}__wbg_get_0000000000000001\0\u{1a}__wbg_get_0000000000000002\0__wbg_board_free\0__wbg_"
        );
        assert_eq!(
            replaced("{__wbg_set_0df3c8b63e45f3b5(){},__wbg_get_0df3c8b63e45f3b5(){}}"),
            "{__wbg_set_0000000000000001(){},__wbg_get_0000000000000002(){}}"
        );
    }
}
