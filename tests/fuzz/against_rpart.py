"""Random tables against the real rpart: trees, tables of complexity, importances, surrogates and predictions.

Run by `make fuzz-oracle`, or ``python tests/fuzz/against_rpart.py [--tables 200] [--seed 0] [--only NAME]``. Every
table follows from the seed. A table that differs without a documented reason is made as small as it still differs, and
printed; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.random_tables import Drawn, described, shrunk
from fuzz.rpart_claims import CLAIMS, Claim, n_classes
from fuzz.rpart_compare import compare
from fuzz.rpart_process import NoRpartError, Options, Rpart
from fuzz.rpart_reasons import Case, reason_of

MOST_SHOWN = 3  # differing tables of a claim that are made small and printed

if TYPE_CHECKING:
    from hornbeam.data.table import Table


@dataclass
class Outcome:
    """What came of the tables of one claim."""

    identical: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    unexplained: list[int] = field(default_factory=list)  # seeds


STOPS = "subscript out of bounds"


def holds_a_class_without_features(table: Table) -> bool:
    """Whether all rows of some class lack every feature: rpart leaves them out, and cannot print what it learned."""
    known = np.zeros(table.n_rows, np.bool_)
    for place in table.schema.features:
        values = table.columns[place]
        known |= values >= 0 if values.dtype.kind == "i" else ~np.isnan(values)
    codes = table.target_values()
    return bool(set(codes[(codes >= 0) & ~known].tolist()) - set(codes[(codes >= 0) & known].tolist()))


def judge(rpart: Rpart, claim: Claim, pair: Drawn, options: Options) -> tuple[str, str]:
    """Compare one table: ``("", "")``, or the reason that explains the difference, or no reason and the difference."""
    reply = rpart.fit(pair, options)
    if reply.error == STOPS and holds_a_class_without_features(pair.training):
        return "rpart stops", ""
    if reply.error:
        return "", f"rpart stopped: {reply.error}"
    found = compare(pair, options, reply, compat=claim.compat)
    if not found:
        return "", ""
    reason = reason_of(Case(pair, options, reply, found, rpart, compat=claim.compat))
    return ("", str(found)) if reason is None else (reason, "")


def run(rpart: Rpart, claim: Claim, tables: int, seed: int) -> Outcome:
    """Try a claim on so many tables; print the first ones that differ, made small."""
    outcome = Outcome()
    for number in range(seed, seed + tables):
        pair, options = claim.case(number)
        reason, difference = judge(rpart, claim, pair, options)
        if reason:
            outcome.explained[reason] += 1
        elif difference:
            outcome.unexplained.append(number)
            if len(outcome.unexplained) <= MOST_SHOWN:
                show_small(rpart, claim, number)
        else:
            outcome.identical += 1
    return outcome


def show_small(rpart: Rpart, claim: Claim, seed: int) -> None:
    """Print the smallest part of a table that still differs."""
    pair, options = claim.case(seed)
    classes = n_classes(pair.training) if claim.wanted.target == "classes" else 0

    def differs(other: Drawn) -> bool:
        if classes and n_classes(other.training) != classes:  # priors and losses are for so many
            return False
        try:
            _, difference = judge(rpart, claim, other, options)
        except ValueError:  # nothing left to learn from
            return False
        return bool(difference) and not difference.startswith("rpart stopped")

    small = shrunk(pair, differs) if differs(pair) else pair
    sys.stdout.write(f"\n{claim.name}, seed {seed}, {options}\n{described(small.training)}\nto predict:\n")
    sys.stdout.write(f"{described(small.asked)}\n{judge(rpart, claim, small, options)[1]}\n\n")
    sys.stdout.flush()


def report(outcomes: dict[str, Outcome]) -> str:
    """The table of claims."""
    room = max(map(len, outcomes))
    lines = [f"{'claim':{room}}  tables  identical  unexplained  explained"]
    for name, found in outcomes.items():
        tables = found.identical + found.explained.total() + len(found.unexplained)
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(found.explained.items())) or "-"
        lines.append(f"{name:{room}}  {tables:6}  {found.identical:9}  {len(found.unexplained):11}  {reasons}")
    return "\n".join(lines)


def main() -> int:
    """Run all claims, or one; give the exit status."""
    parser = argparse.ArgumentParser(description="CART against the real rpart, on random tables")
    parser.add_argument("--tables", type=int, default=200, help="tables per claim")
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--only", help="one claim; the claims: " + "; ".join(claim.name for claim in CLAIMS))
    given = parser.parse_args()
    claims = [claim for claim in CLAIMS if given.only in (None, claim.name)]
    if not claims:
        parser.error(f"no claim is called {given.only!r}; the claims: {'; '.join(claim.name for claim in CLAIMS)}")
    try:
        with tempfile.TemporaryDirectory() as folder, Rpart(Path(folder)) as rpart:
            outcomes = {claim.name: run(rpart, claim, given.tables, given.seed) for claim in claims}
    except NoRpartError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{report(outcomes)}\n")
    return 1 if any(found.unexplained for found in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
