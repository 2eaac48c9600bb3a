"""WEKA's J48, an optional peer: a Java class builds the tree and measures that inside the warm Java machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import folder, text_path

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

SOURCE = Path(__file__).with_name("WekaBuild.java")
J48 = ("weka.classifiers.trees.J48", {"leaves": "measureNumLeaves", "size": "measureTreeSize"})


def _jar() -> Path:
    return Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))


def why_absent() -> str | None:
    """Why WEKA cannot take part, or None."""
    if not _jar().is_file():
        return "WEKA was not found (Debian: apt install weka; or set WEKA_JAR to its jar)"
    missing = [program for program in ("java", "javac") if not shutil.which(program)]
    return f"{' and '.join(missing)} not found (Debian: apt install default-jdk)" if missing else None


def measure(measurement: Measurement, scheme: tuple[str, dict[str, str]] = J48) -> dict[str, Any]:
    """Let our class build one of WEKA's schemes: its class, and the facts to report."""
    name, measures = scheme
    return run(SOURCE, name, measurement, *(f"{ours}={theirs}" for ours, theirs in measures.items()))


def run(source: Path, name: str, measurement: Measurement, *more: str) -> dict[str, Any]:
    """Compile a class of ours where needed, and hand it a class of WEKA's, the rows, and what else it wants to know."""
    classes = folder() / "java"
    compiled = classes / f"{source.stem}.class"
    if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
        _run("javac", "-cp", str(_jar()), "-d", str(classes), str(source))
    file = text_path(measurement.data, measurement.rows, "arff")
    # one thread collects garbage: several would spend CPU on waiting for each other
    java = ("java", "-XX:+UseSerialGC", "-cp", f"{_jar()}{os.pathsep}{classes}", source.stem)
    output = _run(*java, name, str(file), str(measurement.rows), *more)
    return dict(json.loads(output.splitlines()[-1]))


def _run(program: str, *arguments: str) -> str:
    path = shutil.which(program)
    assert path is not None
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        msg = f"{program} failed: {done.stderr.strip()[-500:]}"
        raise RuntimeError(msg)
    return done.stdout
