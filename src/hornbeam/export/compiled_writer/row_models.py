"""Models that keep rows or centers as tables: neighbors, support vector machines, clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.export.compiled_writer.models import Algebra, model_record

if TYPE_CHECKING:
    from hornbeam.export.compiled_writer.models import Plain, Write
    from hornbeam.export.compiled_writer.tables import Entry, Tables

NUMBER, TABLE = 0, 2  # kinds of columns; 1: categories are equal or not
WEIGHTINGS = ("uniform", "inverse", "similarity")
KERNELS = ("polynomial", "rbf", "sigmoid")


def instances(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write kept rows and their distance."""
    return "instances", _instances(tables, plain), max(plain["classes"], 1)


def _instances(tables: Tables, plain: Plain) -> str:
    distance, n_rows = plain["distance"], len(plain["target"])
    tables.need("rows", KEPT=n_rows, OUTPUTS=plain["classes"])
    by_class = [each for row in plain.get("byClass", ()) for each in row]
    knots: list[Any] = []
    ranks: list[Any] = []
    entries: list[Any] = []
    columns = []
    for column in distance["columns"]:
        own = column.get("knots")
        table = len(entries)
        columns.append(
            (
                column["column"], column["kind"], column.get("codes", 0), len(knots), -1 if own is None else len(own),
                table, *(float(column.get(key, 0)) for key in ("expected", "center", "width", "least", "greatest")),
            )
        )  # fmt: skip
        knots += own or []
        ranks += column.get("ranks", [])
        entries += column.get("table", [])
    kept = [_scaled(column, values) for column, values in zip(distance["columns"], plain["kept"], strict=True)]
    fields = (
        tables.records("measured", columns, "columns"),
        tables.reals(knots, "knots"),
        tables.reals(ranks, "ranks"),
        tables.reals(entries, "entries"),
        tables.reals(distance["weights"], "weights"),
        *tables.length(len(columns)),
        *(distance[key] for key in ("missing", "squared", "mean", "rooted", "allTied")),
        tables.reals([each for values in kept for each in values], "kept"),
        tables.reals(plain["target"], "target"),
        tables.reals(plain.get("weights", ()), "row_weights"),
        *tables.length(n_rows),
        plain["wanted"],
        WEIGHTINGS.index(plain["weighting"]),
        plain["classes"],
        tables.reals(by_class, "by_class"),
        float(plain["k"]),
        float(plain["unit"]),
        float(plain["pseudo"]),
    )
    return tables.record("instances_data", fields, "instances")


def _scaled(column: Plain, values: list[Any]) -> list[float]:
    """Return the values of a column scaled for its distance, as the fixed program scales those of a row."""
    known = np.array([float(value) for value in values])
    if column["kind"] != NUMBER:
        return [float(each) for each in np.where(np.isnan(known), column["codes"], known)]
    if "knots" in column:
        return [_ranked(value, column) for value in known.tolist()]
    if not column["width"] > 0:
        return [float(each) for each in np.where(np.isnan(known), known, 0.0)]
    is_unit = column["center"] == 0 and column["width"] == 1
    return [float(each) for each in (known if is_unit else (known - column["center"]) / column["width"])]


def _ranked(value: float, column: Plain) -> float:
    from hornbeam.export.runtimes.python_rows import interpolated

    return value if np.isnan(value) else float(interpolated(value, column["knots"], column["ranks"]))  # type: ignore[no-untyped-call]


def corrected(tables: Tables, plain: Plain, write: Write) -> Entry:
    """Write a model and the rows that correct it."""
    fields = (
        model_record(tables, write(plain["base"])),
        _instances(tables, plain["near"]),
        tables.reals(plain["residuals"], "residuals"),
        float(plain["reach"]),
    )
    return "corrected", tables.record("corrected_data", fields, "corrected"), 1


def svm(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write a support vector machine."""
    axes, machines, kernel = plain["axes"], plain["machines"], plain.get("kernel")
    algebra = Algebra(tables)
    for factor, _, _ in axes:
        algebra.add_factor(factor)
    products = plain.get("products", [])
    vectors = plain.get("vectors", [])
    n_point = len(products) if products else len(axes)
    tables.need("svm", POINT=max(n_point, len(axes)), VECTORS=len(vectors), MACHINES=len(machines))
    tables.need(OUTPUTS=plain["classes"])
    kernel = kernel or {"name": "polynomial", "degree": 1, "gamma": 1.0, "coef0": 0.0}
    name = kernel["name"] if kernel["name"] in KERNELS else "polynomial"
    fields = (
        tables.records("factor", algebra.factors, "factors"),
        tables.reals([shift for _, shift, _ in axes], "shift"),
        tables.reals([width for _, _, width in axes], "width"),
        tables.reals(algebra.entries, "tables"),
        *tables.length(len(axes)),
        *tables.length(len(products)),
        len(products[0]) - 1 if products else 0,
        tables.reals([weight for weight, *_ in products], "product_weights"),
        tables.integers([axis for _, *chosen in products for axis in chosen], "chosen"),
        *tables.length(len(machines)),
        plain["classes"],
        KERNELS.index(name),
        kernel["degree"],
        *tables.length(len(vectors)),
        n_point,
        tables.integers([code for pair in plain["pairs"] for code in pair], "pairs"),
        tables.integers([each for one in machines for each in one.get("runs", [])], "runs"),
        tables.reals([one["intercept"] for one in machines], "intercepts"),
        tables.reals([each for one in machines for each in one.get("plane", [])], "planes"),
        tables.reals([each for one in machines for each in one.get("coefficients", [])], "coefficients"),
        tables.reals([each for pair in plain.get("slopes", ()) for each in pair], "slopes"),
        tables.singles([float(each) for vector in vectors for each in vector], "vectors"),
        float(kernel["gamma"]),
        float(kernel["coef0"]),
    )
    return "svm", tables.record("svm_data", fields, "svm"), max(plain["classes"], 1)


def centers(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write the centers of clusters."""
    n_clusters = len(plain["numbers"])
    tables.need("clusters", OUTPUTS=n_clusters)
    fields = (
        tables.records("scale", [(column, *map(float, rest)) for column, *rest in plain["scales"]], "scales"),
        tables.integers([column for column, _ in plain["nominal"]], "nominal"),
        tables.reals([weight for _, weight in plain["nominal"]], "weights"),
        tables.reals([each for row in plain["numbers"] for each in row], "numbers"),
        tables.integers([code for row in plain["codes"] for code in row], "codes"),
        *tables.length(len(plain["scales"])),
        *tables.length(len(plain["nominal"])),
    )
    return "centers", tables.record("centers_data", fields, "centers"), n_clusters


def mixture(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write the components of a mixture."""
    n, d, groups = len(plain["base"]), len(plain["numbers"]), plain["groups"]
    matrices = plain.get("matrices", [])
    tables.need("mixtures", OUTPUTS=n, PLACES=d, TRIANGLE=d * (d + 1) // 2 if matrices else 1)
    parts = [part for g in groups for part in zip(g["columns"], g["codes"], g["steps"], strict=True)]
    starts = np.cumsum([0, *(len(group["columns"]) for group in groups)])
    sizes = [len(group["cells"][0]) for group in groups]
    cells = np.cumsum([0, *(n * size for size in sizes)])
    grouped = [tuple(map(int, each)) for each in zip(starts[:-1], starts[1:], sizes, cells[:-1], strict=True)]
    fields = (
        tables.reals(plain["weights"], "weights"),
        tables.reals(plain["base"], "base"),
        tables.records("placed", [(c, scale, float(a), float(b)) for c, scale, a, b in plain["numbers"]], "numbers"),
        _flat(tables, plain["means"], "means"),
        _flat(tables, plain.get("deviations", ()), "deviations"),
        _flat(tables, plain.get("logs", ()), "logs"),
        _flat(tables, [row[: i + 1] for matrix in matrices for i, row in enumerate(matrix)], "matrices"),
        len(matrices),
        tables.integers(plain["counts"], "counts"),
        _flat(tables, plain["rates"], "rates"),
        _flat(tables, plain["logRates"], "log_rates"),
        tables.records("group", grouped, "groups"),
        tables.records("grouped", parts, "parts"),
        _flat(tables, [row for group in groups for row in group["cells"]], "cells"),
        *tables.length(d),
        *tables.length(len(plain["counts"])),
        *tables.length(len(groups)),
    )
    return "mixture", tables.record("mixture_data", fields, "mixture"), n


def _flat(tables: Tables, rows: Any, name: str) -> str:  # noqa: ANN401 - rows of numbers
    return tables.reals([each for row in rows for each in row], name)
