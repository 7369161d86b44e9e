//! How much of the WebAssembly comes from which crate: as it was linked, before it is shrunk and loses its names.
//!
//! A generic function counts for the crate that wrote it, not for the one that needs it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::problem::{Problem, Result};
use crate::repository;

/// The programs and what Cargo has linked for them.
const PROGRAMS: [(&str, &str); 2] = [("page", "switchboard_dashboard"), ("package", "switchboard_js")];

/// What makes less of both programs than this share is not named.
const LEAST: f64 = 0.005;

/// Sections and kinds of the format.
const IMPORTS: u8 = 2;
const CODE: u8 = 10;
const CUSTOM: u8 = 0;
const FUNCTION: u8 = 0;
const FUNCTION_NAMES: u8 = 1;

type Sizes = BTreeMap<String, usize>;

/// A line per crate, with its bytes of code in the page, with all its parts, and in the package.
pub(crate) fn table() -> Result<String> {
    let mut programs = Vec::new();
    for (_, program) in PROGRAMS {
        let path = repository::path(&format!("target/wasm32-unknown-unknown/release/{program}.wasm"));
        programs.push(of_program(&path)?);
    }
    Ok(lines(&programs))
}

fn lines(programs: &[Sizes]) -> String {
    let totals: Vec<usize> = programs.iter().map(|program| program.values().sum()).collect();
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (column, program) in programs.iter().enumerate() {
        for (name, size) in program {
            let is_small = programs.iter().zip(&totals).all(|(program, total)| {
                let size = program.get(name).copied().unwrap_or(0);
                (size as f64) < LEAST * (*total as f64)
            });
            let name = if is_small { OTHERS } else { name };
            rows.entry(name).or_insert_with(|| vec![0; programs.len()])[column] += size;
        }
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|(_, sizes)| std::cmp::Reverse(sizes.iter().sum::<usize>()));
    rows.push(("all", totals));
    let width = rows
        .iter()
        .map(|(name, _)| name.len())
        .chain([TITLE.len()])
        .max()
        .unwrap_or(0);
    let mut table = format!("{TITLE:width$}");
    for (title, _) in PROGRAMS {
        table += &format!(" {title:>9}");
    }
    for (name, sizes) in rows {
        table += &format!("\n{name:width$}");
        for size in sizes {
            table += &format!(" {size:>9}");
        }
    }
    table + "\n"
}

const TITLE: &str = "code as linked, by crate";
const OTHERS: &str = "others";

fn of_program(path: &Path) -> Result<Sizes> {
    let unreadable = |what: &dyn std::fmt::Display| Problem::new(format!("{} cannot be read: {what}.", path.display()));
    let bytes = fs::read(path).map_err(|error| unreadable(&error))?;
    sizes(&bytes).ok_or_else(|| unreadable(&"it is no WebAssembly as Cargo links it"))
}

/// The bytes of all functions, by crate. Those that only tell wasm-bindgen what to write do not count.
fn sizes(program: &[u8]) -> Option<Sizes> {
    let (mut imported, mut bodies, mut names) = (0, Vec::new(), BTreeMap::new());
    let mut sections = Reader(program.get(8..)?);
    while !sections.0.is_empty() {
        let (id, mut section) = (sections.byte()?, sections.block()?);
        match id {
            IMPORTS => imported = imported_functions(&mut section)?,
            CODE => {
                for _ in 0..section.number()? {
                    bodies.push(section.block()?.0.len());
                }
            }
            CUSTOM if section.block()?.0 == b"name" => names = function_names(&mut section)?,
            _ => {}
        }
    }
    let mut sizes = Sizes::new();
    for (place, size) in bodies.into_iter().enumerate() {
        let name = names.get(&(imported + place)).copied().unwrap_or_default();
        if !name.contains("describe") {
            *sizes.entry(crate_of(name).unwrap_or(OTHERS).to_owned()).or_default() += size;
        }
    }
    Some(sizes)
}

/// How many functions are imported. Cargo has nothing else imported.
fn imported_functions(section: &mut Reader<'_>) -> Option<usize> {
    let count = section.number()?;
    for _ in 0..count {
        section.block()?;
        section.block()?;
        if section.byte()? != FUNCTION {
            return None;
        }
        section.number()?;
    }
    Some(count)
}

fn function_names<'program>(section: &mut Reader<'program>) -> Option<BTreeMap<usize, &'program str>> {
    let mut names = BTreeMap::new();
    while !section.0.is_empty() {
        let (kind, mut part) = (section.byte()?, section.block()?);
        if kind == FUNCTION_NAMES {
            for _ in 0..part.number()? {
                names.insert(part.number()?, std::str::from_utf8(part.block()?.0).ok()?);
            }
        }
    }
    Some(names)
}

/// The crate that a mangled name begins with. Of `<T as Trait>` it is that of the trait, unless it is known what `T` is.
fn crate_of(name: &str) -> Option<&str> {
    if let Some(path) = name.strip_prefix("_R") {
        let (_, root) = path.split_once("Cs")?;
        return identifier(root.split_once('_')?.1);
    }
    let first = identifier(name.strip_prefix("_ZN")?)?;
    if !first.contains('$') {
        return Some(first);
    }
    first.split('$').find_map(|word| Some(word.split_once("..")?.0))
}

/// A name after its length.
fn identifier(text: &str) -> Option<&str> {
    let end = text.find(|character: char| !character.is_ascii_digit())?;
    text.get(end..)?.get(..text[..end].parse().ok()?)
}

/// What is left to be read.
struct Reader<'program>(&'program [u8]);

impl<'program> Reader<'program> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    /// As many bytes as the number before them says.
    fn block(&mut self) -> Option<Reader<'program>> {
        let length = self.number()?;
        let (block, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Reader(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section of the format.
    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        [&[id, u8::try_from(content.len()).unwrap()], content].concat()
    }

    #[test]
    fn the_functions_of_a_program_count_for_their_crates() {
        let imports = section(IMPORTS, &[1, 1, b'm', 1, b'f', FUNCTION, 0]);
        let code = section(CODE, &[3, 2, 0, 11, 4, 0, 1, 1, 11, 3, 0, 1, 11]);
        let mut names = vec![4, b'n', b'a', b'm', b'e', FUNCTION_NAMES];
        let mut list = vec![3];
        for (number, name) in [(1, "_ZN4core3fmt1hE"), (2, "_ZN4core1xE"), (3, "start")] {
            list.extend([number, u8::try_from(name.len()).unwrap()]);
            list.extend(name.as_bytes());
        }
        names.push(u8::try_from(list.len()).unwrap());
        names.extend(list);
        let program = [b"\0asm\x01\0\0\0".to_vec(), imports, code, section(CUSTOM, &names)].concat();
        let expected = Sizes::from([("core".to_owned(), 6), (OTHERS.to_owned(), 3)]);
        assert_eq!(sizes(&program), Some(expected.clone()));
        assert_eq!(sizes(&program[..program.len() - 1]), None);
        assert_eq!(
            lines(&[expected, Sizes::from([("core".to_owned(), 9)])]),
            "\
code as linked, by crate      page   package
core                             6         9
others                           3         0
all                              9         9
"
        );
    }

    #[test]
    fn a_name_tells_its_crate() {
        for (name, expected) in [
            ("_ZN16switchboard_core6engine5Board3now17h0E", Some("switchboard_core")),
            (
                "_ZN54_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0E",
                Some("alloc"),
            ),
            ("_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h0E", Some("core")),
            (
                "_RNvMNtCs6KxVvEeBgvb_8dlmalloc8dlmallocNtB2_8Dlmalloc6malloc",
                Some("dlmalloc"),
            ),
            ("board_answer_8edb", None),
        ] {
            assert_eq!(crate_of(name), expected, "{name}");
        }
    }
}
