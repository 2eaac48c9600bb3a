"""The format ``rust``: its entry function, and the interface of the module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.export.compiled_writer.contents import decision, fixed_part, model_tables, needed_parts
from hornbeam.export.compiled_writer.rust_syntax import RustTables, string
from hornbeam.export.compiled_writer.tables import wrapped
from hornbeam.export.manifest import manifest_line
from hornbeam.export.program import program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hornbeam.export.compiled_writer.models import Plain
    from hornbeam.export.writers import Exportable


def rust(model: Exportable, *, costs: ArrayLike | None = None, decision_threshold: float | None = None) -> str:
    """Write a model as a Rust module that predicts as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : model or fitted estimator
        What to write. For an estimator, its `model_`, and its decision rule.
    costs, decision_threshold : optional
        Instead of the estimator's.

    Returns
    -------
    str
        The module. It uses only ``core`` (for programs without the standard library), allocates no memory and has no
        unsafe code.

    Raises
    ------
    TypeError
        For models that the fixed program does not support.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> module = export.rust(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    >>> "pub fn predict(values: &[f64; COLUMNS]) -> usize" in module
    True
    """
    data = program(model, "Rust", costs, decision_threshold)
    tables, entry = model_tables(data, RustTables)
    decided = decision(tables, data)
    is_class = bool(data["target"].get("categories"))
    return "\n".join(
        (
            f"// {manifest_line(model, 'rust')}",
            _about(data),
            "#![allow(dead_code, clippy::all)]\n",
            _texts(data),
            f"type Int = {tables.integer}; // in tables",
            *(f"const {name}: usize = {size};" for name, size in tables.sizes.items()),
            "",
            fixed_part("rust", "base"),
            fixed_part("rust", "numbers"),
            *needed_parts(tables, "rust"),
            "// ---- the model ----\n",
            *tables.lines,
            f"static THE_MODEL: Model = {tables.initializer('model', tables.model(entry))};",
            f"static THE_DECISION: Decision = {decided};\n",
            fixed_part("rust", "interface"),
            fixed_part("rust", "interface_classes" if is_class else "interface_numbers"),
        )
    )


def _about(data: Plain) -> str:
    gives = "the index of the class" if data["target"]["kind"] == "nominal" else "the number"
    return (
        "//! A model learned by hornbeam, as a module that needs `core` only. A row is an array of values, one per\n"
        "//! column: a number, or a category as `code(column, text)` gives it; NaN is a missing value.\n"
        f"//! `predict(values)` returns {gives}.\n"
    )


def _texts(data: Plain) -> str:
    """Return the names of the columns, of the classes, and of the categories of every column."""
    columns, classes = data["columns"], data["target"].get("categories", ())
    lines = _list("COLUMNS", "COLUMN_NAMES", [string(column["name"]) for column in columns])
    if classes:
        lines += _list("CLASSES", "CLASS_NAMES", [string(name) for name in classes])
    lines.append("pub static CATEGORIES: [&[&str]; COLUMNS] = [")
    for column in columns:
        lines += ["  &[", *wrapped(string(text) for text in column.get("categories", ())), "  ],"]
    return "\n".join([*lines, "];\n"])


def _list(size: str, name: str, written: Sequence[str]) -> list[str]:
    head = [f"pub const {size}: usize = {len(written)};", f"pub static {name}: [&str; {size}] = ["]
    return [*head, *wrapped(written), "];"]
