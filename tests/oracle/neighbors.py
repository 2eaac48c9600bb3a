"""Hold neighbours against the reference program's IB1 and IBk: the same answer for every row of every fold.

Run in the folder `tests` as ``python -m oracle.neighbors``; it writes RESULTS-neighbors.md, and the exit status is 1 if
anything differs or is left out.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from locate import has_shared, shared_root
from oracle.answers import CODES

from hornbeam.data.read import read
from hornbeam.data.schema import Nominal
from hornbeam.learn.compat_weka import cross_validation_folds
from hornbeam.learn.instances.nearest import NeighborsClassifier, NeighborsRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

HERE = Path(__file__).resolve().parent
EXPECTED = 86  # pairs of scheme and set with a stored answer
STOPPED = {("IB1", "letter")}  # before it had answered
OPTIONS: dict[str, dict[str, Any]] = {"IB1": {"k": 1, "ties": "first"}, "IBk-5": {"k": 5, "ties": "all"}}
DIGITS = 1e-5  # stored numbers have six


@dataclass(frozen=True)
class Outcome:
    """How one set came out by one scheme."""

    scheme: str
    data: str
    differing: int  # rows with another answer
    tied: int  # rows whose k-th neighbour is as far as others
    decided: int  # of these, rows to whom other rows of the tie would have given another answer (IB1)


@cache
def _small() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((HERE / "neighbors_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in OPTIONS for data in sorted(_small()) if scheme in _small()[data]]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    found = [(s, path.stem) for s in OPTIONS for path in sorted((shared_root() / "oracle" / s).glob("*.json"))]
    return [pair for pair in found if pair[1] not in _small()]


def table_of(data: str) -> Table:
    """The set itself: of this folder, of the package's examples, or of the shared folder."""
    if data not in _small():
        return read(shared_root() / "data" / f"{data}.arff", target=-1)
    own = HERE / "data" / f"{data}.arff"
    return read(own, target=-1) if own.exists() else read(data)


def stored(scheme: str, data: str) -> dict[str, Any]:
    """What the program answered in cross-validation."""
    if data in _small():
        return {"pred": _small()[data][scheme]}
    path = shared_root() / "oracle" / scheme / f"{data}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")).get("cv", {})
    return found


def differences(found: NDArray[np.float64], truth: NDArray[np.float64], theirs: dict[str, Any]) -> int:
    """Rows with another answer; where single answers are not stored, 0 or 1 by their errors on average."""
    if "pred" not in theirs:
        return int(not np.isclose(np.mean(np.abs(found - truth)), theirs["mae"], rtol=DIGITS))
    if isinstance(theirs["pred"], str):
        return int(np.sum(found != [CODES.find(character) for character in theirs["pred"]]))
    wanted = np.array(theirs["pred"], np.float64)
    return int(np.sum(~np.isclose(found, wanted, rtol=DIGITS, atol=DIGITS)))


def compare(scheme: str, data: str) -> Outcome:
    """Cross-validate on the program's folds, and compare every answer."""
    table = table_of(data)
    classes = isinstance(table.schema.target_column, Nominal)
    kind = NeighborsClassifier if classes else NeighborsRegressor
    found = np.empty(table.n_rows)
    tied = decided = 0
    for train, test in cross_validation_folds(table.target_values(), stratify=classes):
        model = kind(compat="weka", **OPTIONS[scheme]).fit(table.take(train)).model_
        asking = table.take(test)
        found[test] = model.predict(asking)
        everyone = replace(model, all_tied=True)
        neighbours = everyone.neighbours(asking)
        several = neighbours.counts > model.k
        tied += int(several.sum())
        if scheme == "IB1":
            codes = model.kept.target_values()[neighbours.rows]
            starts = neighbours.start[:-1]
            decided += int(np.sum(np.maximum.reduceat(codes, starts) != np.minimum.reduceat(codes, starts)))
    return Outcome(scheme, data, differences(found, table.target_values(), stored(scheme, data)), tied, decided)


def _compared(pair: tuple[str, str]) -> Outcome | None:
    return None if pair in STOPPED else compare(*pair)


def main() -> int:
    """Compare everything and write the page."""
    pairs = small_pairs() + shared_pairs()
    with ProcessPoolExecutor(cpu_count()) as pool:
        outcomes = [outcome for outcome in pool.map(_compared, pairs) if outcome is not None]
    same = sum(not outcome.differing for outcome in outcomes)
    lines = [
        "# Neighbours against the reference program",
        "",
        'Written by `make oracle`. With `compat="weka"`, `NeighborsClassifier` and `NeighborsRegressor` give the',
        'answers of IB1 (`k=1`, `ties="first"`) and IBk with five neighbours (`ties="all"`) for every row.',
        "*tied*: rows that have several rows as far as the last neighbour; of IB1, in brackets, those among them where",
        "the first of these and another are of different classes, so that the order of rows decides.",
        "",
        f"{same} of {len(outcomes)} are identical. Stopped before it had answered: letter by IB1. Of abalone and",
        "bank8FM only the mean absolute error is stored, and is the same to six digits.",
        "",
        "| set | IB1 | tied | IBk-5 | tied |",
        "|---|---|---|---|---|",
    ]
    for data in sorted({outcome.data for outcome in outcomes}):
        cells = []
        for scheme in OPTIONS:
            found = [outcome for outcome in outcomes if (outcome.scheme, outcome.data) == (scheme, data)]
            if not found:
                cells += ["", ""]
                continue
            one = found[0]
            cells.append("same" if not one.differing else f"**{one.differing} rows differ**")
            cells.append(f"{one.tied} ({one.decided})" if scheme == "IB1" else str(one.tied))
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    (HERE / "RESULTS-neighbors.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(lines[7] + "\n")
    return 0 if same == len(outcomes) and len(pairs) == EXPECTED else 1


if __name__ == "__main__":
    sys.exit(main())
