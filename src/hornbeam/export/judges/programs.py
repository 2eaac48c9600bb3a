"""Judges that are programs: exported files are run by the interpreter of their language, on rows as JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.export.judges import Result, Rows

PYTHON = """
import importlib.machinery, importlib.util, json, sys
loader = importlib.machinery.SourceFileLoader("exported", sys.argv[1])  # whatever the file's name ends with
spec = importlib.util.spec_from_file_location("exported", sys.argv[1], loader=loader)
exported = importlib.util.module_from_spec(spec)
spec.loader.exec_module(exported)
classes = exported.PREDICTOR.target.get("categories", [])
results = map(exported.PREDICTOR.result, json.load(sys.stdin))
print(json.dumps([[prediction, known and [known[name] for name in classes]] for prediction, known in results]))
"""
NODE = """
const fs = require("fs"), vm = require("vm");
const [path, name] = process.argv.slice(1);
vm.runInThisContext(fs.readFileSync(path, "utf-8"));
const model = globalThis[name], classes = model.target.categories || [];
const results = JSON.parse(fs.readFileSync(0, "utf-8")).map((row) => {
  const { prediction, probabilities } = model.predict(row);
  return [prediction, probabilities && classes.map((each) => probabilities[each])];
});
process.stdout.write(JSON.stringify(results));
"""


def find_python() -> str | None:
    """Return None: Python is there."""
    return None


def run_python(path: Path, rows: Rows, _manifest: dict[str, Any]) -> list[Result]:
    """Run an exported Python file, without any package."""
    return _results([sys.executable, "-I", "-S", "-c", PYTHON, str(path)], rows)


def find_node() -> str | None:
    """Return what is missing, if Node.js is not there."""
    return None if shutil.which("node") else "Node.js (no program `node` on the path)"


def run_node(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported script in Node.js."""
    return _results(["node", "-e", NODE, str(path), manifest.get("name", "hornbeam")], rows)


def _results(command: list[str], rows: Rows) -> list[Result]:
    """Run a program that reads rows as JSON and writes a list of predictions and probabilities."""
    done = subprocess.run(  # noqa: S603 - no text of the rows or the model is in the command
        command, input=json.dumps(rows), capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        last = next((line for line in reversed(lines) if "Error" in line), lines[-1])  # Node.js ends with its version
        msg = f"{command[0]} stopped with exit code {done.returncode}: {last}"
        raise RuntimeError(msg)
    return [(prediction, probabilities) for prediction, probabilities in json.loads(done.stdout)]
