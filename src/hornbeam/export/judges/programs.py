"""Judges that are programs: exported files are run by the interpreter of their language, on rows as JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hornbeam.export.judges import Manifests, Result, Rows

PYTHON = """
import json, sys, types
rows, found = json.load(sys.stdin), []
for path in sys.argv[1:]:
    exported = types.ModuleType("exported")
    with open(path, "rb") as file:  # not imported: an import may take compiled code of an earlier file of this name
        exec(compile(file.read(), path, "exec"), exported.__dict__)
    classes = exported.PREDICTOR.target.get("categories", [])
    results = map(exported.PREDICTOR.result, rows)
    found.append([[prediction, known and [known[name] for name in classes]] for prediction, known in results])
print(json.dumps(found))
"""
NODE = """
const fs = require("fs"), vm = require("vm");
const rows = JSON.parse(fs.readFileSync(0, "utf-8")), given = process.argv.slice(1), found = [];
for (let i = 0; i < given.length; i += 2) {
  vm.runInThisContext(fs.readFileSync(given[i], "utf-8"));
  const model = globalThis[given[i + 1]], classes = model.target.categories || [];
  found.push(rows.map((row) => {
    const { prediction, probabilities } = model.predict(row);
    return [prediction, probabilities && classes.map((each) => probabilities[each])];
  }));
}
process.stdout.write(JSON.stringify(found));
"""


def find_python() -> str | None:
    """Return None: Python is always available."""
    return None


def many_python(paths: Sequence[Path], rows: Rows, _manifests: Manifests) -> list[list[Result]]:
    """Run exported Python files, without any package."""
    return _results([sys.executable, "-I", "-S", "-c", PYTHON, *map(str, paths)], rows)


def find_node() -> str | None:
    """Return what is missing, if Node.js is not installed."""
    return None if shutil.which("node") else "Node.js (no program `node` on the path)"


def many_node(paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    """Run exported scripts in Node.js."""
    names = [manifest.get("name", "hornbeam") for manifest in manifests]
    pairs = [str(each) for pair in zip(paths, names, strict=True) for each in pair]
    return _results(["node", "-e", NODE, *pairs], rows)


def _results(command: list[str], rows: Rows) -> list[list[Result]]:
    """Run a program that reads rows as JSON and writes lists of predictions and probabilities."""
    done = subprocess.run(  # noqa: S603 - no text of the rows or the model is in the command
        command, input=json.dumps(rows), capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        last = next((line for line in reversed(lines) if "Error" in line), lines[-1])  # Node.js prints its version last
        msg = f"{command[0]} stopped with exit code {done.returncode}: {last}"
        raise RuntimeError(msg)
    return [[(prediction, probabilities) for prediction, probabilities in each] for each in json.loads(done.stdout)]
