"""Judges that run in a Java virtual machine: JPMML-Evaluator and PMML4S, each from the jars of its Python package.

One virtual machine is started per process, with the jars of both.
"""

from __future__ import annotations

import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.export.judges import Result, Rows

OPTIONS = (
    "-Xss64m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
)  # a deep stack, and little background work
PACKAGES = {"jpmml": "jpmml_evaluator", "pypmml": "pypmml"}


def find_jpmml() -> str | None:
    """Return what is missing, if JPMML-Evaluator is not installed."""
    return _missing("jpmml")


def find_pypmml() -> str | None:
    """Return what is missing, if PMML4S is not installed."""
    return _missing("pypmml")


def _missing(name: str) -> str | None:
    if not find_spec(PACKAGES[name]) or not find_spec("jpype"):
        return f"{name} (pip install {PACKAGES[name].replace('_', '-')} jpype1)"
    if not shutil.which("java"):
        return "Java (no program `java` on the path)"
    return None


@cache
def _java() -> Any:  # noqa: ANN401 - a module
    """Start the virtual machine, or use the running one."""
    import jpype

    if not jpype.isJVMStarted():
        jars = []
        for package in PACKAGES.values():
            spec = find_spec(package)
            if spec is not None and spec.origin is not None:
                jars += [str(jar) for jar in sorted(Path(spec.origin).parent.rglob("*.jar"))]
        jpype.startJVM(*OPTIONS, classpath=jars, convertStrings=True)
    return jpype


def run_jpmml(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported file in JPMML-Evaluator."""
    java = _java()
    builder = java.JClass("org.jpmml.evaluator.LoadingModelEvaluatorBuilder")()
    evaluator = builder.load(java.java.io.ByteArrayInputStream(path.read_bytes())).build()
    decode = java.JClass("org.jpmml.evaluator.EvaluatorUtil").decodeAll
    return [_result(decode(evaluator.evaluate(_map(java, row))), manifest) for row in rows]


def run_pypmml(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported file in PMML4S, which the package pypmml wraps."""
    java = _java()
    model = java.JClass("org.pmml4s.model.Model").fromString(path.read_bytes().decode())
    return [_result(model.predict(_map(java, row)), manifest) for row in rows]


def _map(java: Any, row: dict[str, Any]) -> Any:  # noqa: ANN401 - objects of Java
    found = java.java.util.HashMap()
    for name, value in row.items():
        found.put(name, java.java.lang.Double(value) if isinstance(value, (int, float)) else value)
    return found


def _result(found: Any, manifest: dict[str, Any]) -> Result:  # noqa: ANN401 - a map of Java
    prediction, *probabilities = (found.get(name) for name in manifest["outputs"])
    if manifest["target"]["kind"] == "numeric":
        return (None if prediction is None else float(prediction)), None
    shares = [float("nan") if each is None else float(each) for each in probabilities]
    return (None if prediction is None else str(prediction)), shares or None
