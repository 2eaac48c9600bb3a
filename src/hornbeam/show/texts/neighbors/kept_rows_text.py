"""Which rows a learner kept (prototypes), and which it dropped as noise: one per line, by number, with their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.model.neighbors.instances import ANSWERING, NOISY, WAITING
from hornbeam.show.texts.neighbors.instances_text import value_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.instances import Instances

BY_RECORD = "by record"  # how rows are kept by a learner that waits, and drops rows
STATES = {
    ANSWERING: ("kept", "rows kept, which predict"),
    WAITING: ("waiting", "rows kept, which do not predict yet"),
    NOISY: ("noise", "rows dropped as noise"),
}


def row_numbers(model: Instances, numbers: NDArray[np.int64] | None = None) -> dict[str, list[int]]:
    """Give the rows that were kept, that wait for a better record, and that were dropped, counted from 1.

    Parameters
    ----------
    model : Instances
        Of a learner that keeps some of the rows it sees.
    numbers : array, optional
        The number of every row seen, from 0, where rows were left out before learning.

    Raises
    ------
    ValueError
        Where the model does not say which rows it was learned from.
    """
    seen = getattr(model, "seen_as", None)
    if seen is None:
        msg = "the model does not choose among rows; rows kept and dropped are listed for IB2, IB3 and IB5"
        raise ValueError(msg)
    found = {}
    for state, (name, _) in STATES.items():
        rows = np.sort(seen[seen[:, 1] == state, 0])
        found[name] = ((rows if numbers is None else numbers[rows]) + 1).tolist()
    return found


def write(model: Instances, table: Table | None = None, numbers: NDArray[np.int64] | None = None) -> str:
    """Write all rows kept and dropped.

    Parameters
    ----------
    model : Instances
        Of a learner that keeps some of the rows it sees.
    table : Table, optional
        The rows that it was learned from, for their values. Without it, only rows that predict have theirs.
    numbers : array, optional
        As for `row_numbers`.
    """
    listed = row_numbers(model, numbers)
    first = {number: place for place, number in enumerate(listed["kept"])}
    lines: list[str] = []
    for name, title in STATES.values():
        if name != "kept" and model.recipe.get("kept") != BY_RECORD:
            continue
        lines += ["", f"{title}: {len(listed[name])}"]
        for number in listed[name]:
            if table is not None:
                lines.append(f"  row {number}{_values(table, number - 1)}")
            elif name == "kept":
                lines.append(f"  row {number}{_values(model.kept, first[number])}")
            else:
                lines.append(f"  row {number}")
    return "\n".join(lines[1:])


def _values(table: Table, row: int) -> str:
    """The class of a row, and its features."""
    schema = table.schema
    told = [_value(table, place, row) for place in schema.features]
    label = value_words(schema.target_column, table.target_values()[row])
    return f", {label}: {', '.join(told)}"


def _value(table: Table, place: int, row: int) -> str:
    column: Any = table.schema.columns[place]
    return f"{printable(column.name, NAME_LIMIT)} {value_words(column, table.columns[place][row])}"
