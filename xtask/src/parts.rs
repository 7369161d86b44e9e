//! `cargo xtask parts`: puts the parts of the dashboard beside its program. Trunk calls it at the end of each build.
//!
//! Trunk knows nothing of parts. It finds `xtask/parts/wasm-bindgen` before wasm-bindgen on its path, which cuts the
//! program before wasm-bindgen reads it and leaves the parts in `target/parts`. They work with their own program only, and
//! name its functions by numbers: so all of it gets one name, which changes when any of it does.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, iter};

use crate::fingerprint::Fingerprint;
use crate::names;
use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;
use crate::tools;

/// What loads the parts, as the cutter names it.
const LOADER: &str = "__wasm_split.js";

const PROGRAM: &str = "switchboard-dashboard";

/// Set while Trunk builds a dashboard with parts: where its stand-in finds wasm-bindgen.
const TOOLS: &str = "SWITCHBOARD_TOOLS";

/// The split points that `www/boot.js` may have the browser load beside the program.
const BESIDE: [&str; 2] = ["connect", "session"];

/// How long a part may take before it counts as failed, in milliseconds: five kilobytes a second are enough.
const PATIENCE: u32 = 30_000;

/// What Trunk has wasm-opt do with the program, see `www/index.html`; and the features that the target has, which only
/// the program itself names.
const OPTIMISATION: [&str; 11] = [
    "-Oz",
    "--low-memory-unused",
    "--one-caller-inline-max-function-size=50",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-call-indirect-overlong",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Has Trunk cut the program.
pub(crate) fn cut(trunk: &mut Command) {
    let tools = tools::search_path();
    let folders = iter::once(repository::path("xtask/parts")).chain(env::split_paths(&tools));
    let path = env::join_paths(folders).unwrap_or_else(|_| tools.clone());
    trunk.env("PATH", path).env(TOOLS, tools).args(["--features", "parts"]);
}

/// Adds the parts to what Trunk has built, if it had the program cut.
pub(crate) fn run() -> Result<()> {
    if env::var_os(TOOLS).is_none() {
        return Ok(());
    }
    let folder = env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from);
    let folder = folder.ok_or_else(|| Problem::new("`cargo xtask parts` is called by Trunk."))?;
    add(&folder, &repository::path("target/parts"))
}

fn add(folder: &Path, parts: &Path) -> Result<()> {
    let page = folder.join("index.html");
    let by_trunk = name_by_trunk(&read(&page)?)?;
    let loader = parts.join(LOADER);
    let names = part_names(&read(&loader)?);
    for name in &names {
        shrink(
            &parts.join(format!("{name}.wasm")),
            &folder.join(format!("{name}.wasm")),
        )?;
    }
    let (script, program) = (format!("{by_trunk}.js"), format!("{by_trunk}_bg.wasm"));
    minify(&folder.join(&script))?;
    names::number(&[folder.join(&script), folder.join(&program)])?;

    let mut fingerprint = Fingerprint::default();
    for file in [&folder.join(&script), &folder.join(&program), &loader] {
        fingerprint.add(read_bytes(file)?);
    }
    for name in &names {
        fingerprint.add(read_bytes(&folder.join(format!("{name}.wasm")))?);
    }
    let hash = format!("{:016x}", fingerprint.value());

    let ours = format!("{PROGRAM}-{hash}");
    for name in &names {
        rename(folder, &format!("{name}.wasm"), &format!("{name}-{hash}.wasm"))?;
    }
    rename(folder, &program, &format!("{ours}_bg.wasm"))?;
    rename(folder, &script, &format!("{ours}.js"))?;
    let hashed_loader = format!("parts-{hash}.js");
    let script = folder.join(format!("{ours}.js"));
    write(&script, &importing(&read(&script)?, &hashed_loader))?;
    write(
        &folder.join(&hashed_loader),
        &hashed(&read(&loader)?, &ours, &names, &hash),
    )?;
    minify(&folder.join(&hashed_loader))?;
    let links = links(&read(&loader)?, &hashed_loader, &hash);
    let named = read(&page)?.replace(&by_trunk, &ours);
    write(&page, &named.replacen("</head>", &format!("{links}</head>"), 1))
}

/// What Trunk has called the program, without endings.
fn name_by_trunk(page: &str) -> Result<String> {
    let name = page.split(['/', '"', '=', ' ']).find_map(|word| {
        let name = word.strip_suffix("_bg.wasm")?;
        name.starts_with(PROGRAM).then(|| name.to_owned())
    });
    name.ok_or_else(|| Problem::new(format!("The page that Trunk has built does not name {PROGRAM}.")))
}

/// The parts that the loader knows, without endings.
fn part_names(loader: &str) -> Vec<String> {
    let quoted = loader
        .split('"')
        .filter_map(|word| word.strip_prefix("./")?.strip_suffix(".wasm"));
    quoted.map(str::to_owned).collect()
}

/// The parts that one split point needs: those that it shares with others, and its own.
fn needed_by(split: &str, loader: &str) -> Vec<String> {
    let Some((own, shared)) = definition(&format!("__wasm_split_load_{split}"), loader) else {
        return Vec::new();
    };
    let shared = shared.split(", ").filter_map(|name| Some(definition(name, loader)?.0));
    shared.chain([own]).flat_map(part_names).collect()
}

/// What a constant of the loader fetches, and the names of those that it needs for that.
fn definition<'loader>(constant: &str, loader: &'loader str) -> Option<(&'loader str, &'loader str)> {
    let (_, rest) = loader.split_once(&format!("const {constant} = "))?;
    let (definition, _) = rest.split_once(']')?;
    definition.rsplit_once('[')
}

/// The loader with the names that all files have.
fn hashed(loader: &str, program: &str, names: &[String], hash: &str) -> String {
    let loader = loader
        .replace(&format!("\"./{PROGRAM}.js\""), &format!("\"./{program}.js\""))
        .replace(
            "import.meta.url))",
            &format!("import.meta.url), {{ signal: AbortSignal.timeout({PATIENCE}) }})"),
        );
    names.iter().fold(loader, |loader, name| {
        loader.replace(&format!("\"./{name}.wasm\""), &format!("\"./{name}-{hash}.wasm\""))
    })
}

/// The script with the loader under its new name. What the program imports goes by the old one.
fn importing(script: &str, loader: &str) -> String {
    ["from \"./", "from\"./", "from './", "from'./"]
        .iter()
        .fold(script.to_owned(), |script, from| {
            script.replace(&format!("{from}{LOADER}"), &format!("{from}{loader}"))
        })
}

/// What the page names besides the program: the loader, and what `www/boot.js` may have the browser load beside them.
fn links(loader: &str, hashed_loader: &str, hash: &str) -> String {
    let parts = BESIDE.iter().flat_map(|split| {
        needed_by(split, loader).into_iter().map(move |name| {
            format!("<link as=fetch class=boot-{split} crossorigin href=./{name}-{hash}.wasm type=application/wasm>")
        })
    });
    format!(
        "<link href=./{hashed_loader} rel=modulepreload>{}",
        parts.collect::<String>()
    )
}

fn shrink(part: &Path, target: &Path) -> Result<()> {
    let name = part.display();
    process::run(
        Command::new("wasm-opt")
            .args(OPTIMISATION)
            .arg(part)
            .arg("-o")
            .arg(target),
        &format!("The part {name} of the dashboard could not be made smaller; the lines above say why."),
    )
}

/// Trunk's minifier leaves modern JavaScript as it is.
fn minify(script: &Path) -> Result<()> {
    let name = script.display();
    process::run(
        Command::new("esbuild")
            .args(["--minify", "--format=esm", "--log-level=error", "--allow-overwrite"])
            .arg(script)
            .arg(format!("--outfile={name}")),
        &format!("{name} could not be made smaller; the lines above say why."),
    )
}

fn rename(folder: &Path, from: &str, to: &str) -> Result<()> {
    fs::rename(folder.join(from), folder.join(to))
        .map_err(|error| Problem::new(format!("{from} cannot be renamed to {to}: {error}.")))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("{} cannot be read: {error}.", path.display()))
}

fn write(path: &Path, content: &str) -> Result<()> {
    fs::write(path, content).map_err(|error| Problem::new(format!("{} cannot be written: {error}.", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the cutter writes it.
    const WRITTEN: &str = r#"import { initSync } from "./switchboard-dashboard.js";
/* session, why */
const __chunk_4 = makeLoad(() => {
    const src = fetch(new URL("./chunk_4.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
export const __wasm_split_load_why = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_why.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_4]));
export const __wasm_split_load_session = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_session.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_4]));
"#;

    #[test]
    fn the_loader_names_all_parts_and_what_each_shares() {
        assert_eq!(part_names(WRITTEN), ["chunk_4", "split_why", "split_session"]);
        assert_eq!(needed_by("session", WRITTEN), ["chunk_4", "split_session"]);
        assert!(needed_by("nothing", WRITTEN).is_empty());
        assert_eq!(
            links(WRITTEN, "parts-1f.js", "1f"),
            "<link href=./parts-1f.js rel=modulepreload>\
             <link as=fetch class=boot-session crossorigin href=./chunk_4-1f.wasm type=application/wasm>\
             <link as=fetch class=boot-session crossorigin href=./split_session-1f.wasm type=application/wasm>"
        );
    }

    #[test]
    fn the_loader_fetches_by_the_new_names_and_gives_up_some_time() {
        let loader = hashed(WRITTEN, "switchboard-dashboard-1f", &part_names(WRITTEN), "1f");
        assert!(loader.starts_with(r#"import { initSync } from "./switchboard-dashboard-1f.js";"#));
        let fetch = |part| {
            format!(r#"fetch(new URL("./{part}-1f.wasm", import.meta.url), {{ signal: AbortSignal.timeout(30000) }});"#)
        };
        for part in ["chunk_4", "split_why", "split_session"] {
            assert!(loader.contains(&fetch(part)), "{part} in {loader}");
        }
    }

    #[test]
    fn only_the_address_of_the_loader_changes() {
        let script = r#"import*as a from"./__wasm_split.js";const b={"./__wasm_split.js":a};"#;
        assert_eq!(
            importing(script, "parts-1f.js"),
            r#"import*as a from"./parts-1f.js";const b={"./__wasm_split.js":a};"#
        );
    }

    #[test]
    fn the_page_tells_the_name_of_the_program() {
        let page = "<link href=./switchboard-dashboard-1853bfc1_bg.wasm id=boot-wasm rel=preload>";
        assert_eq!(name_by_trunk(page).unwrap(), "switchboard-dashboard-1853bfc1");
        assert!(name_by_trunk("<html>").is_err());
    }
}
