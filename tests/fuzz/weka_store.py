"""Store a few of WEKA's answers, so that the tests can hold the estimators against them where WEKA is not installed.

Run as ``python tests/fuzz/weka_store.py``; it writes tests/oracle/weka_random_tables.json. Of every claim two small
tables are kept: with row weights, those on which WEKA's answer depends on the weights (or, where WEKA ignores weights,
on which that of the estimator's default does); without, those with rows that have no class, and a few by name.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.random_tables import Drawn, drawn, with_last_target
from fuzz.weka_claims import Claim, Found, claims, identical, ours, theirs
from fuzz.weka_program import Weka

from hornbeam.data.read import read
from hornbeam.data.write import arff_text
from hornbeam.learn.base.estimator import has_target, unweighted

PLACE = Path(__file__).resolve().parents[1] / "oracle" / "weka_random_tables.json"
BY_NAME = Path(__file__).resolve().parent / "weka_tables"
EACH = 2
MOST_ROWS = 30
SEEDS = 400


def stored(weka: Weka, claim: Claim, pair: Drawn) -> dict[str, Any] | None:
    """The answer as plain data, if both sides agree on it."""
    answer = weka.ask(claim.scheme, claim.options, pair)
    found, reference = ours(claim, pair), theirs(claim, answer)
    if found.error or not identical(found, reference):
        return None
    return {
        "claim": claim.name,
        "training": arff_text(pair.training),
        "asked": arff_text(pair.asked),
        "text": answer.text,
        "rows": answer.rows,
    }


def tells(weka: Weka, claim: Claim, pair: Drawn) -> bool:
    """Whether the table is one that an estimator with other rules for these rows would fail on."""
    if claim.compared == "clusters":
        return True
    if not claim.wanted.weighted:
        return not bool(has_target(pair.training).all())
    plain = Drawn(unweighted(pair.training), pair.asked)
    if ours(claim, plain).error or _text(weka, claim, pair) != _text(weka, claim, plain):
        return True
    default = replace(claim, learner=lambda: claim.learner().set_params(compat=None))
    return not identical(ours(default, pair), ours(default, plain))


def _text(weka: Weka, claim: Claim, pair: Drawn) -> Found | tuple[str, str]:
    found = weka.ask(claim.scheme, claim.options, pair)
    return found.text, str(found.rows)


def named(weka: Weka) -> list[dict[str, Any]]:
    """The tables in the folder `weka_tables`: the first line of each says for which claim, the last row is asked."""
    by_name = {claim.name: claim for claim in claims()}
    found = []
    for path in sorted(BY_NAME.glob("*.arff")):
        claim = by_name[path.read_text(encoding="utf-8").splitlines()[0].removeprefix("% ")]
        table = read(path) if claim.wanted.target == "none" else with_last_target(read(path))
        rows = range(table.n_rows)
        entry = stored(weka, claim, Drawn(table.take(rows[:-1]), table.take(rows[-1:])))
        if entry is None:
            msg = f"{path.name}: WEKA and hornbeam differ"
            raise ValueError(msg)
        found.append(entry)
    return found


def main() -> None:
    """Write the file."""
    kept: list[dict[str, Any]] = []
    with Weka() as weka:
        for claim in claims():
            small = replace(claim, wanted=replace(claim.wanted, most_rows=MOST_ROWS))
            entries = 0
            for seed in range(SEEDS):
                pair = drawn(seed, small.wanted)
                pair = Drawn(pair.training, pair.asked.take(range(min(pair.asked.n_rows, 4))))
                if pair.training.n_rows < MOST_ROWS // 3 or not tells(weka, small, pair):
                    continue
                entry = stored(weka, small, pair)
                if entry is not None:
                    kept.append(entry)
                    entries += 1
                if entries == EACH:
                    break
        kept += named(weka)
    PLACE.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(kept)} tables\n")


if __name__ == "__main__":
    main()
