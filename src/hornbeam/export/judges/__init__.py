"""Run exports in the runtimes that they are made for, and compare them with the model.

A judge runs an exported file on rows and returns its predictions. `JUDGES` lists them by format; each knows which
program or package it needs.

- check: compare the results of a judge with the model's own predictions.
- read_back: hornbeam itself, for formats that it reads back.
- programs: judges that are programs: Python, Node.js.
- databases: judges that are databases: DuckDB, SQLite, PostgreSQL.
- spark: Spark SQL, run by PySpark.
- compilers: judges that are compilers: gcc, clang, rustc, rustc for WebAssembly.
- java: judges that run in a Java virtual machine: jpmml, pypmml.
- sheets: judges that compute sheets: LibreOffice, the package formulas.
- graphs: judges that run ONNX graphs: ONNX Runtime, the reference evaluator.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Manifests = Sequence[dict[str, Any]]
    Rows = list[dict[str, Any]]  # column names to numbers, texts or None
    Result = tuple[Any, list[float] | None]  # the prediction, and the probabilities in the order of the classes


@dataclass(frozen=True)
class Judge:
    """A runtime that can run exported files.

    Attributes
    ----------
    name : str
        The name of the runtime, for ``--runtime``.
    format : str
        The format that it runs.
    module : str
        The module of this package with the function ``run_NAME(path, rows, manifest)``, which returns the results, or
        ``many_NAME(paths, rows, manifests)``, which returns those of several files, and ``find_NAME()``, which returns
        None if the runtime is available, or what is missing and how to get it.
    dialects : tuple of str
        The dialects of the format that it runs; empty: the format has none.
    """

    name: str
    format: str
    module: str
    dialects: tuple[str, ...] = ()

    def missing(self) -> str | None:
        """Return what is missing on this machine, and how to get it; None if the runtime is available."""
        found: str | None = self._function("find")()
        return found

    def run(self, path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
        """Return the results of an exported file for rows."""
        (results,) = self.run_many([path], rows, [manifest])
        return results

    def run_many(self, paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
        """Return the results of each of some exported files for the same rows; compilers and programs start once."""
        many, one = self._function("many"), self._function("run")
        if many is not None:
            found: list[list[Result]] = many(paths, rows, manifests)
            return found
        return [one(path, rows, manifest) for path, manifest in zip(paths, manifests, strict=True)]

    def _function(self, verb: str) -> Any:  # noqa: ANN401 - a function
        return getattr(import_module(f"{__name__}.{self.module}"), f"{verb}_{self.name}", None)


JUDGES = (
    Judge("python", "python", "programs"),
    Judge("node", "javascript", "programs"),
    Judge("hornbeam", "json", "read_back"),
    Judge("hornbeam", "plain", "read_back"),
    Judge("onnxruntime", "onnx", "graphs"),
    Judge("onnx", "onnx", "graphs"),
    Judge("gcc", "c", "compilers"),
    Judge("clang", "c", "compilers"),
    Judge("rustc", "rust", "compilers"),
    Judge("wasm", "rust", "compilers"),
    Judge("postgres", "sql", "databases", ("postgres",)),
    Judge("duckdb", "sql", "databases", ("duckdb", "postgres")),
    Judge("jpmml", "pmml", "java"),
    Judge("pypmml", "pmml", "java"),
    Judge("spark", "sql", "spark", ("spark",)),
    Judge("sqlite", "sql", "databases", ("sqlite",)),
    Judge("libreoffice", "excel", "sheets"),
    Judge("formulas", "excel", "sheets"),
)


def judges_for(manifest: dict[str, Any]) -> list[Judge]:
    """Return the judges that can run an export with this manifest, the best one first."""
    dialect = manifest.get("dialect")
    return [
        judge
        for judge in JUDGES
        if judge.format == manifest["format"] and (not judge.dialects or dialect in judge.dialects)
    ]
