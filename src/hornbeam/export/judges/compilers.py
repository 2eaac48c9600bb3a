"""Judges that are compilers: exports are compiled with a small program that reads rows and writes results."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.judges import Manifests, Result, Rows

# Reads for every column of a row its length and its text (-1: missing), or its number; writes the class and the outputs
# of every row, after it has compared them with those of all rows at once.
PROGRAM = """
#include "exported_NUMBER.h"
#include <stdio.h>
#include <stdlib.h>

static int read_row(double *values) {
    for (int column = 0; column < NAME_COLUMNS; column++) {
        int length;
        if (!name_n_categories[column]) {
            if (fread(&values[column], sizeof(double), 1, stdin) != 1) return 0;
            continue;
        }
        if (fread(&length, sizeof length, 1, stdin) != 1) return 0;
        char *text = length < 0 ? 0 : (char *)calloc((size_t)length + 1, 1);
        if (text && fread(text, 1, (size_t)length, stdin) != (size_t)length) return 0;
        values[column] = name_code(column, text);
        free(text);
    }
    return 1;
}

int run_NUMBER(size_t n_rows);

int run_NUMBER(size_t n_rows) {
    double *rows = (double *)calloc(n_rows * NAME_COLUMNS + 1, sizeof(double));
    double *many = (double *)calloc(n_rows * OUTPUTS + 1, sizeof(double));
    int *classes = (int *)calloc(n_rows + 1, sizeof(int));
    for (size_t row = 0; row < n_rows; row++)
        if (!read_row(rows + row * NAME_COLUMNS)) return 1;
    name_predict_rows(rows, n_rows, many, classes);
    for (size_t row = 0; row < n_rows; row++) {
        const double *values = rows + row * NAME_COLUMNS;
        double outputs[OUTPUTS];
        int label = -1;
        RUN
        if (memcmp(outputs, many + row * OUTPUTS, sizeof outputs) || (label >= 0 && label != classes[row])) return 2;
        fwrite(&label, sizeof label, 1, stdout);
        fwrite(outputs, sizeof(double), OUTPUTS, stdout);
    }
    free(rows);
    free(many);
    free(classes);
    return 0;
}
"""
MAIN = """
#include <stdlib.h>
DECLARATIONS
int main(int n_arguments, char **arguments) {
    size_t n_rows = n_arguments > 1 ? (size_t)atol(arguments[1]) : 0;
    int failed = 0;
    CALLS
    return failed;
}
"""
FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off")

RUST_MAIN = """
#![forbid(unsafe_code)]
#![deny(warnings)]
MODULES

fn main() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()));
    let n_rows: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("the number of rows");
    CALLS
}
"""
RUST_PROGRAM = """
use crate::exported_NUMBER as exported;
use std::io::{Read, Write};

fn read<const N: usize>(input: &mut dyn Read) -> [u8; N] {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).expect("more rows");
    bytes
}

fn read_value(input: &mut dyn Read, column: usize) -> f64 {
    if exported::CATEGORIES[column].is_empty() {
        return f64::from_ne_bytes(read(input));
    }
    let length = i32::from_ne_bytes(read(input));
    if length < 0 {
        return f64::NAN;
    }
    let mut text = vec![0; length as usize];
    input.read_exact(&mut text).expect("a text");
    exported::code(column, std::str::from_utf8(&text).expect("UTF-8"))
}

pub fn run(input: &mut dyn Read, output: &mut dyn Write, n_rows: usize) {
    let mut rows = vec![[0.0; exported::COLUMNS]; n_rows];
    for row in rows.iter_mut() {
        for column in 0..exported::COLUMNS {
            row[column] = read_value(input, column);
        }
    }
    MANY
    for (row, values) in rows.iter().enumerate() {
        RUN
        output.write_all(&i32::to_ne_bytes(label)).expect("written");
        for value in outputs {
            output.write_all(&f64::to_ne_bytes(value)).expect("written");
        }
    }
}
"""
CLASSES_IN_RUST = (
    """let (mut many, mut classes) = (vec![[0.0; exported::CLASSES]; n_rows], vec![0; n_rows]);
    exported::predict_rows(&rows, &mut many, &mut classes);""",
    """let mut outputs = [0.0; exported::CLASSES];
        let label = exported::predict_proba(values, &mut outputs) as i32;
        if exported::predict(values) as i32 != label || classes[row] as i32 != label || many[row] != outputs {
            std::process::exit(2);
        }""",
)
NUMBERS_IN_RUST = (
    """let mut many = vec![0.0; n_rows];
    exported::predict_rows(&rows, &mut many);""",
    """let (label, outputs) = (-1, [exported::predict(values)]);
        if f64::to_bits(many[row]) != f64::to_bits(outputs[0]) {
            std::process::exit(2);
        }""",
)
WASM_TARGETS = ("wasm32-wasip1", "wasm32-wasi")  # the second is its name in older compilers
WASM_IN_NODE = """
const fs = require("fs"), { WASI } = require("wasi");
const [path, nRows] = process.argv.slice(1);
const wasi = new WASI({ version: "preview1", args: ["exported", nRows], returnOnExit: true });
const compiled = new WebAssembly.Module(fs.readFileSync(path));
process.exitCode = wasi.start(new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: wasi.wasiImport }));
"""
RUST_FLAGS = ("--edition=2021", "-Copt-level=1", "-Coverflow-checks=on")


def find_gcc() -> str | None:
    """Return what is missing, if gcc is not installed."""
    return None if shutil.which("gcc") else "gcc (no program `gcc` on the path)"


def many_gcc(paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    """Compile exported headers with gcc, and run them."""
    return _many_c("gcc", paths, rows, manifests)


def find_clang() -> str | None:
    """Return what is missing, if clang is not installed."""
    return None if shutil.which("clang") else "clang (no program `clang` on the path)"


def many_clang(paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    """Compile exported headers with clang, and run them."""
    return _many_c("clang", paths, rows, manifests)


def _many_c(compiler: str, paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    with tempfile.TemporaryDirectory() as folder:
        sources = [Path(folder) / "main.c"]
        for number, (path, manifest) in enumerate(zip(paths, manifests, strict=True)):
            shutil.copy(path, Path(folder) / f"exported_{number}.h")
            name, classes = manifest["name"], manifest["target"].get("categories", [])
            run = "label = name_predict_proba(values, outputs);" if classes else "outputs[0] = name_predict(values);"
            text = PROGRAM.replace("RUN", run).replace("OUTPUTS", str(max(len(classes), 1)))
            text = text.replace("NAME_", f"{name.upper()}_").replace("name_", f"{name}_")
            sources.append(Path(folder) / f"run_{number}.c")
            sources[-1].write_text(text.replace("NUMBER", str(number)), "utf-8")
        declared = "".join(f"int run_{number}(size_t n_rows);\n" for number in range(len(paths)))
        calls = "\n    ".join(f"if (!failed) failed = run_{number}(n_rows);" for number in range(len(paths)))
        sources[0].write_text(MAIN.replace("DECLARATIONS", declared).replace("CALLS", calls), "utf-8")
        program = str(Path(folder) / "main")
        compile_with([compiler, *FLAGS, *map(str, sources), "-o", program, "-lm"])
        return run_compiled([program], rows, manifests)


def find_rustc() -> str | None:
    """Return what is missing, if rustc is not installed."""
    return None if shutil.which("rustc") else "rustc (no program `rustc` on the path)"


def many_rustc(paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    """Compile exported modules with rustc, and run them."""
    return _many_rust(["rustc"], [], paths, rows, manifests)


def find_wasm() -> str | None:
    """Return what is missing, if no rustc can compile for WebAssembly, or Node.js, which runs it, is not installed."""
    if _wasm_compiler() is None:
        more = "rustup target add wasm32-wasip1; Debian: apt install rustc libstd-rust-dev-wasm32 lld"
        return f"a rustc that compiles for WebAssembly ({more})"
    return None if shutil.which("node") else "Node.js (no program `node` on the path)"


def many_wasm(paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    """Compile exported modules for WebAssembly, and run them in Node.js."""
    compiler = _wasm_compiler()
    assert compiler is not None
    return _many_rust(compiler, ["node", "--no-warnings", "-e", WASM_IN_NODE], paths, rows, manifests)


@cache
def _wasm_compiler() -> list[str] | None:
    for compiler in dict.fromkeys(filter(None, (shutil.which("rustc"), shutil.which("rustc", path="/usr/bin")))):
        for target in WASM_TARGETS:
            command = [compiler, f"--target={target}"]
            done = subprocess.run([*command, "--print=target-libdir"], capture_output=True, text=True, check=False)  # noqa: S603 - fixed options
            if done.returncode == 0 and Path(done.stdout.strip()).exists():
                return command
    return None


def _many_rust(
    compiler: list[str], runner: list[str], paths: Sequence[Path], rows: Rows, manifests: Manifests
) -> list[list[Result]]:
    with tempfile.TemporaryDirectory() as folder:
        for number, (path, manifest) in enumerate(zip(paths, manifests, strict=True)):
            shutil.copy(path, Path(folder) / f"exported_{number}.rs")
            many, one = CLASSES_IN_RUST if manifest["target"].get("categories") else NUMBERS_IN_RUST
            text = RUST_PROGRAM.replace("MANY", many).replace("RUN", one).replace("NUMBER", str(number))
            (Path(folder) / f"run_{number}.rs").write_text(text, "utf-8")
        modules = "\n".join(f"mod exported_{number};\nmod run_{number};" for number in range(len(paths)))
        calls = "\n    ".join(f"run_{number}::run(&mut input, &mut output, n_rows);" for number in range(len(paths)))
        source, program = Path(folder) / "main.rs", Path(folder) / "main"
        source.write_text(RUST_MAIN.replace("MODULES", modules).replace("CALLS", calls), "utf-8")
        compile_with([*compiler, *RUST_FLAGS, str(source), "-o", str(program)])
        return run_compiled([*runner, str(program)], rows, manifests)


def compile_with(command: list[str]) -> None:
    """Run a compiler; its first error becomes a RuntimeError."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed options and paths of ours
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:200])
        msg = f"{command[0]} could not compile the export: {first}"
        raise RuntimeError(msg)


def run_compiled(command: list[str], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    """Run a compiled program on rows, and read the classes and outputs that it writes for each export."""
    given = b"".join(_packed(rows, manifest["columns"]) for manifest in manifests)
    done = subprocess.run([*command, str(len(rows))], input=given, capture_output=True, check=False)  # noqa: S603 - made here
    if done.returncode:
        why = "many rows at once and single rows give different results" if done.returncode == 2 else "see its code"  # noqa: PLR2004
        msg = f"the compiled export stopped with exit code {done.returncode} ({why})"
        raise RuntimeError(msg)
    found, at = [], 0
    for manifest in manifests:
        classes = manifest["target"].get("categories", [])
        layout = struct.Struct(f"=i{max(len(classes), 1)}d")
        results: list[Result] = []
        for label, *outputs in layout.iter_unpack(done.stdout[at : at + layout.size * len(rows)]):
            if classes:
                results.append((classes[label], None if manifest["kind"] == "partition" else outputs))
            else:
                results.append((outputs[0], None))
        at += layout.size * len(rows)
        found.append(results)
    return found


def _packed(rows: Rows, columns: list[dict[str, Any]]) -> bytes:
    parts = []
    for row in rows:
        for column in columns:
            value = row[column["name"]]
            if not column.get("categories"):
                parts.append(struct.pack("=d", float("nan") if value is None or isinstance(value, str) else value))
            elif value is None:
                parts.append(struct.pack("=i", -1))
            else:
                text = str(value).encode()
                parts.append(struct.pack("=i", len(text)) + text)
    return b"".join(parts)
