"""Compare the estimators with WEKA itself, on random tables.

Run by `make fuzz-oracle`: ``python tests/fuzz/against_weka.py [--tables 200] [--seed 0] [--only NAME]``. Every claim
of `docs/compat.md` about WEKA is tried on tables of its own; the printed model and every prediction are compared. The
exit status is 1 if any difference has no explanation; such a table is made as small as possible and printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.random_tables import Drawn, described, drawn, shrunk
from fuzz.weka_claims import Claim, Found, claims, identical, ours, same_rows, theirs
from fuzz.weka_program import MissingProgramError, Weka
from fuzz.weka_reasons import Case, explained
from oracle.clusters.clusters_in_clusters import without_last
from oracle.exceptions import explained as differing_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN = 2  # differing tables that are printed for each claim


@dataclass
class Tally:
    """How the tables of one claim came out."""

    tables: int = 0
    identical: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unexplained: list[int] = field(default_factory=list)


def compare(weka: Weka, claim: Claim, pair: Drawn) -> tuple[str | None, Found, Found]:
    """Why both sides differ: "" if they do not, None if no reason is known."""
    found, reference = both(weka, claim, pair)
    if identical(found, reference):
        return "", found, reference
    case = Case(claim, pair, found, reference, lambda other: both(weka, claim, other))
    return explained(case), found, reference


def both(weka: Weka, claim: Claim, pair: Drawn) -> tuple[Found, Found]:
    """What the estimator gives, and what WEKA gives."""
    return ours(claim, pair), theirs(claim, weka.ask(claim.scheme, claim.options, pair))


def run(weka: Weka, claim: Claim, seeds: Sequence[int]) -> Tally:
    """Try one claim on the tables of some seeds."""
    tally = Tally()
    for seed in seeds:
        reason, _, _ = compare(weka, claim, drawn(seed, claim.wanted))
        tally.tables += 1
        if reason == "":
            tally.identical += 1
        elif reason is None:
            tally.unexplained.append(seed)
        else:
            tally.reasons[reason] += 1
    return tally


def run_on_sets(weka: Weka, claim: Claim) -> Tally:
    """Try one claim on the data sets on which it is known to differ; their places stand in for seeds."""
    tally = Tally()
    for place, data in enumerate(sorted(differing_sets(claim.name))):
        table = without_last(data)
        reason, _, _ = compare(weka, claim, Drawn(table, table.take([0])))
        tally.tables += 1
        if reason:
            tally.reasons[reason] += 1
        else:
            tally.unexplained.append(place)
    return tally


def show(weka: Weka, claim: Claim, seed: int) -> str:
    """The smallest table found on which the two sides differ, and what they gave."""
    pair = shrunk(drawn(seed, claim.wanted), lambda smaller: compare(weka, claim, smaller)[0] is None)
    _, found, reference = compare(weka, claim, pair)
    lines = [f"--- {claim.name}, seed {seed}: training rows, then asked rows", described(pair.training), ""]
    lines += [described(pair.asked), "", "hornbeam:", found.error or found.text]
    lines += ["WEKA:", reference.error or reference.text]
    if not found.error and not reference.error and not same_rows(found.rows, reference.rows):
        lines += ["predictions of hornbeam:", str(found.rows), "predictions of WEKA:", str(reference.rows)]
    return "\n".join(lines)


def row_of(claim: Claim, tally: Tally) -> str:
    """A line of the table of results."""
    reasons = "; ".join(f"{count} {reason}" for reason, count in tally.reasons.most_common()) or "-"
    return f"| {claim.name} | {tally.tables} | {tally.identical} | {reasons} | {len(tally.unexplained)} |"


def main() -> int:
    """Try all claims and print the table."""
    parser = argparse.ArgumentParser(description="Compare with WEKA on random tables.")
    parser.add_argument("--tables", type=int, default=200, help="tables for each claim")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first table")
    parser.add_argument("--only", default="", help="only claims whose name contains this")
    parser.add_argument("--quiet", action="store_true", help="print no differing tables")
    given = parser.parse_args()
    chosen = [claim for claim in claims() if given.only in claim.name]
    if not chosen:
        parser.error(f"no claim contains {given.only!r}; the claims are {', '.join(c.name for c in claims())}")
    write = sys.stdout.write
    unexplained = 0
    try:
        with Weka() as weka:
            write(f"WEKA {weka.version}, seeds {given.seed} to {given.seed + given.tables - 1}\n\n")
            write("| claim | tables | identical | explained | unexplained |\n|---|---|---|---|---|\n")
            shown: list[str] = []
            for claim in chosen:
                start = time.monotonic()
                tally = run(weka, claim, range(given.seed, given.seed + given.tables))
                write(row_of(claim, tally) + "\n")
                sys.stdout.flush()
                sys.stderr.write(f"{claim.name}: {time.monotonic() - start:.0f} s\n")
                unexplained += len(tally.unexplained)
                if claim.compared == "clusters":
                    tally_of_sets = run_on_sets(weka, claim)
                    write(row_of(replace(claim, name=f"{claim.name} on data sets"), tally_of_sets) + "\n")
                    unexplained += len(tally_of_sets.unexplained)
                if not given.quiet:
                    shown += [show(weka, claim, seed) for seed in tally.unexplained[:SHOWN]]
    except MissingProgramError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    write("".join(f"\n{each}\n" for each in shown))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
