"""A stored sample of small tables with rpart's results, so that they are compared every day and without R.

``python tests/fuzz/rpart_store.py`` writes it anew, with the real rpart.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.random_tables import Drawn
from fuzz.rpart_claims import CLAIMS, Claim
from fuzz.rpart_compare import compare
from fuzz.rpart_process import Options, Reply, Rpart

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = Path(__file__).resolve().parent / "rpart_sample.json"
OF_EACH = 4  # tables of a claim
ROWS = range(15, 60)
FEWEST_SPLITS = 2


def stored() -> dict[str, list[tuple[Drawn, Options, Reply]]]:
    """The sample, by claim."""
    plain = json.loads(SAMPLE.read_text(encoding="utf-8"))
    return {name: [_case(each) for each in cases] for name, cases in plain.items()}


def _case(plain: dict[str, Any]) -> tuple[Drawn, Options, Reply]:
    schema = Schema.from_json(plain["schema"])
    tables = []
    for rows in (plain["training"], plain["asked"]):
        arrays = [
            np.array(values, np.int32 if isinstance(column, Nominal) else np.float64)
            for column, values in zip(schema.columns, rows, strict=True)
        ]
        tables.append(Table(schema, arrays))
    options = {key: _tuples(value) for key, value in plain["options"].items()}
    reply = {key: _tuples(value) for key, value in plain["reply"].items()}
    return Drawn(*tables), Options(**options), Reply(**reply)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _plain(pair: Drawn, options: Options, reply: Reply) -> dict[str, Any]:
    tables = {"training": pair.training, "asked": pair.asked}
    rows = {name: [values.tolist() for values in table.columns] for name, table in tables.items()}
    return {"schema": pair.training.schema.to_json(), **rows, "options": asdict(options), "reply": asdict(reply)}


def _chosen(rpart: Rpart, claim: Claim) -> Iterator[dict[str, Any]]:
    """Small tables of a claim whose trees have some splits and are the same here, from the first seed on."""
    found = seed = 0
    while found < OF_EACH:
        pair, options = claim.case(seed)
        seed += 1
        if pair.training.n_rows not in ROWS:
            continue
        reply = rpart.fit(pair, options)
        if reply.table[-1][1] >= FEWEST_SPLITS and not compare(pair, options, reply, compat=claim.compat):
            found += 1
            yield _plain(pair, options, reply)


def main() -> None:
    """Write the sample."""
    with tempfile.TemporaryDirectory() as folder, Rpart(Path(folder)) as rpart:
        plain = {claim.name: list(_chosen(rpart, claim)) for claim in CLAIMS if claim.compat}
    lines = [f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, cases)) + "\n]" for name, cases in plain.items()]
    SAMPLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
