"""The format ``c``: its entry function, and the interface of the header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hornbeam.export.compiled_writer.c_syntax import NULL, CTables, string
from hornbeam.export.compiled_writer.contents import decision, fixed_part, model_tables, needed_parts
from hornbeam.export.compiled_writer.forest_blocks import block_rows
from hornbeam.export.manifest import manifest_line
from hornbeam.export.program import program

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.export.compiled_writer.models import Plain
    from hornbeam.export.writers import Exportable

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
NAMES = re.compile(r'"(?:[^"\\]|\\.)*"|\b(?P<prefix>hb_(?=[a-z])|HB_(?=[A-Z]))')  # of the fixed program; and texts


def c(
    model: Exportable, *, name: str = "model", costs: ArrayLike | None = None, decision_threshold: float | None = None
) -> str:
    """Write a model as a C99 header that predicts as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : model or fitted estimator
        What to write. For an estimator, its `model_`, and its decision rule.
    name : str
        The prefix of every name in the header.
    costs, decision_threshold : optional
        Instead of the estimator's.

    Returns
    -------
    str
        The header. It allocates no memory and needs only the standard headers math.h, stddef.h, stdint.h and string.h,
        and for forests immintrin.h where the compiler uses AVX-512.

    Raises
    ------
    TypeError
        For models that the fixed program does not support.
    ValueError
        If the name is not a C identifier, or a text has a NUL.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> header = export.c(hornbeam.C45Classifier().fit(hornbeam.read("weather")), name="play")
    >>> "int play_predict(const double *values)" in header
    True
    """
    if not NAME.fullmatch(name):
        msg = f"name is {name!r}; expected letters, digits and underscores, a letter first"
        raise ValueError(msg)
    data = program(model, "C", costs, decision_threshold)
    tables, entry = model_tables(data, CTables)
    n_classes = len(data["target"].get("categories", ()))
    decided = decision(tables, data)
    sizes = {"COLUMNS": len(data["columns"]), **tables.sizes}
    if "forests" in tables.parts:
        sizes["BLOCK"] = block_rows(sizes)
    text = "\n".join(
        (
            f"/* {manifest_line(model, 'c', name=name)} */",
            _about(name, data),
            f"#ifndef {name.upper()}_H\n#define {name.upper()}_H\n",
            f"typedef {tables.integer} hb_int; /* in tables */",
            *(f"#define HB_{key} {value}" for key, value in sizes.items()),
            fixed_part("c", "base"),
            *needed_parts(tables, "c"),
            "\n/* ---- the model ---- */\n",
            *tables.lines,
            f"static const hb_model hb_the_model = {tables.initializer('model', tables.model(entry))};",
            f"static const hb_decision hb_the_decision = {decided};",
            _texts(data),
            fixed_part("c", "interface_classes" if n_classes else "interface_numbers"),
            fixed_part("c", "interface_rows_forest" if entry[0] == "forest" else "interface_rows"),
            "#endif",
        )
    )
    return NAMES.sub(lambda found: _renamed(found, name), text) + "\n"


def _renamed(found: re.Match[str], name: str) -> str:
    """Return a name with the prefix of this header; a text in quotes is data and stays as it is."""
    prefix = found["prefix"]
    return found[0] if prefix is None else f"{name}_" if prefix == "hb_" else f"{name.upper()}_"


def _about(name: str, data: Plain) -> str:
    gives = "the index of the class" if data["target"]["kind"] == "nominal" else "the number"
    return (
        "/* A model learned by hornbeam, as C99 without allocation. A row is an array of doubles, one per column:\n"
        f"   a number, or a category as {name}_code(column, text) gives it; NAN is a missing value.\n"
        f"   {name}_predict(values) returns {gives}. Compile with -ffp-contract=off to get the last digit too. */"
    )


def _texts(data: Plain) -> str:
    """Return the names of the columns, of the classes, and of the categories of every column."""
    columns, classes = data["columns"], data["target"].get("categories", ())
    lines = _list("hb_column_names", [column["name"] for column in columns])
    if classes:
        lines += [f"#define HB_CLASSES {len(classes)}", *_list("hb_class_names", classes)]
    for place, column in enumerate(columns):
        if column.get("categories"):
            lines += _list(f"hb_categories_{place}", column["categories"])
    lines.append("static const char *const *const hb_categories[] = {")
    lines += [f"    {f'hb_categories_{place}' if c.get('categories') else NULL}," for place, c in enumerate(columns)]
    lines += [
        "};",
        f"static const int hb_n_categories[] = {{{', '.join(str(len(c.get('categories', ()))) for c in columns)}}};",
    ]
    return "\n".join(lines)


def _list(name: str, texts: Any) -> list[str]:  # noqa: ANN401 - a sequence of str
    return [f"static const char *const {name}[] = {{", *(f"    {string(text)}," for text in texts), "};"]
