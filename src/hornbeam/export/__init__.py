"""Models in formats for other programs.

`json` writes a model as nested JSON, to read and inspect. `javascript` writes a script that predicts in a browser,
`python` a file that predicts without any package.
`FORMATS` lists every format. The command ``hornbeam show --to`` and this package's functions are built from it, so
a new format needs an entry here, a module, a test and a documentation page (docs/decisions/adding-an-export-format.md).

Modules:

- nested_json: the format ``json``: its entry function, and trees.
- json_models: all other models as JSON: rules, linear models, ensembles, forests, clusters.
- json_values: numbers and conditions as JSON.
- plain_text: the format ``plain``.
- graphviz: the format ``dot``.
- script: the format ``javascript``: its entry function.
- python_file: the format ``python``: its entry function.
- sql_writer: the format ``sql``.
- compiled_writer: the formats ``c`` and ``rust``.
- pmml_writer: the format ``pmml``.
- onnx_writer: the format ``onnx``.
- excel_writer: the formats ``excel`` and ``formula``.
- program: a model and its decision rule as plain data, for the fixed programs of the folder runtimes.
- program_models: trees, rules, equations, forests and ensembles as such data.
- program_rows: models that keep rows or centers as such data.
- program_mixtures: mixtures as such data.
- program_values: numbers, columns and factors as such data.
- shap_trees: forests for `shap.TreeExplainer`, as a dictionary; not a text, so not among the formats.
- judges: run exports in their runtimes and compare the results with the model's.
- runtimes: the fixed programs themselves.
- manifest: what an export was made from, which columns it takes and what it returns.
- writers: what every format needs: the model of an estimator, the writer for its kind, its decision rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.export.compiled_writer.header import c as c
    from hornbeam.export.compiled_writer.rust_module import rust as rust
    from hornbeam.export.excel_writer.workbook import excel as excel
    from hornbeam.export.excel_writer.workbook import formula as formula
    from hornbeam.export.graphviz import dot as dot
    from hornbeam.export.nested_json import json as json
    from hornbeam.export.onnx_writer.file import onnx as onnx
    from hornbeam.export.plain_text import plain as plain
    from hornbeam.export.pmml_writer.document import pmml as pmml
    from hornbeam.export.python_file import python as python
    from hornbeam.export.script import javascript as javascript
    from hornbeam.export.shap_trees import shap as shap
    from hornbeam.export.shap_trees import shap_rows as shap_rows
    from hornbeam.export.sql_writer.query import sql as sql


@dataclass(frozen=True)
class Format:
    """A format that models are written in.

    Attributes
    ----------
    name : str
        The name of the format and of the function that writes it. The function takes a model and returns a text.
    module : str
        The module of this package that holds the function. It is imported when it is first needed, and must not have
        the name of the format, because a submodule would hide the function.
    summary : str
        One line for the help of the command.
    endings : tuple of str
        File name endings for which the command chooses the format.
    options : tuple of str
        Parameters of the function that commands pass: ``p_values`` (a switch), ``calibration`` (from the model file),
        ``costs`` and ``decision_threshold`` (the decision rule of the saved estimator), options of `hornbeam export`.
    """

    name: str
    module: str
    summary: str
    endings: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def write(self, model: Any, **options: Any) -> str | bytes:  # noqa: ANN401 - any model, any option
        """Write a model or the model of a fitted estimator; options are passed to the writing function."""
        text: str | bytes = getattr(import_module(f"{__name__}.{self.module}"), self.name)(model, **options)
        return text


FORMATS = (
    Format("json", "nested_json", "JSON, to inspect and to load again", (".json",), ("p_values", "calibration")),
    Format("plain", "plain_text", "text for people and language models, to load again"),
    Format("dot", "graphviz", "a tree for Graphviz", (".dot", ".gv")),
    Format(
        "javascript",
        "script",
        "a script for browsers that predicts as hornbeam predict does",
        (".js",),
        ("costs", "decision_threshold", "name"),
    ),
    Format(
        "python",
        "python_file",
        "a Python file that predicts without any package",
        (".py",),
        ("costs", "decision_threshold"),
    ),
    Format(
        "onnx",
        "onnx_writer.file",
        "an ONNX graph",
        (".onnx",),
        ("costs", "decision_threshold"),
    ),
    Format(
        "c",
        "compiled_writer.header",
        "a C99 header that predicts without allocation",
        (".h",),
        ("costs", "decision_threshold", "name"),
    ),
    Format(
        "rust",
        "compiled_writer.rust_module",
        "a Rust module that predicts without allocation and without the standard library",
        (".rs",),
        ("costs", "decision_threshold"),
    ),
    Format(
        "sql",
        "sql_writer.query",
        "a query for DuckDB, PostgreSQL, SQLite, BigQuery, Spark, Snowflake or SQL Server",
        (".sql",),
        ("costs", "decision_threshold", "dialect", "keep", "table"),
    ),
    Format("pmml", "pmml_writer.document", "PMML 4.4", (".pmml", ".xml"), ("costs", "decision_threshold")),
    Format(
        "excel",
        "excel_writer.workbook",
        "a workbook whose formulas predict, for small models",
        (".xlsx",),
        ("costs", "decision_threshold"),
    ),
    Format(
        "formula",
        "excel_writer.workbook",
        "the same formulas as text",
        (),
        ("costs", "decision_threshold"),
    ),
)
_MODULES = {format_.name: format_.module for format_ in FORMATS} | {"shap": "shap_trees", "shap_rows": "shap_trees"}

__all__ = ["FORMATS", "Format", *_MODULES]  # noqa: PLE0604 - names


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """List only the public names."""
    return sorted(__all__)
