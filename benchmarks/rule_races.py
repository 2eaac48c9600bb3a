"""The races of rules."""

from __future__ import annotations

from benchmarks.peer import Measurement
from benchmarks.races import SHARE, Bar, Race, accuracy_of, faster, quantity, ratio

COLUMNS = "5 numeric and 5 nominal columns, 2 classes by four rules, 5 % noise"


def races_of_rules(small: int, large: int) -> list[Race]:
    """RIPPER, PART, C4.5rules, PRISM and INDUCT, on two sizes."""
    chosen, tree = _entry("ours", "c45rules", large), _entry("ours", "pruned", large)
    scaled = [(name, *(_entry("ours", name.lower(), rows) for rows in (small, large))) for name in ("PRISM", "INDUCT")]
    return [
        _ripper(small, large),
        _part(small, large),
        Race(
            "c45rules",
            "C4.5rules against the C4.5 tree alone: the columns of ripper",
            (chosen, tree),
            (Bar("time against the tree (CPU)", ratio(chosen, tree, "cpu"), "at most", 10),),
        ),
        Race(
            "covering",
            "PRISM and INDUCT on ten times the rows: the columns of ripper",
            tuple(each for _, *both in scaled for each in both),
            tuple(
                Bar(f"{name}, time for ten times the rows (CPU)", ratio(more, few, "cpu"), "at most", 17)
                for name, few, more in scaled
            ),
        ),
    ]


def _entry(peer: str, task: str, rows: int) -> Measurement:
    return Measurement(peer, task, "rules", rows, text="arff" if peer.startswith("weka") else "")


def _ripper(small: int, large: int) -> Race:
    ours, many = (_entry("ours", "ripper", rows) for rows in (small, large))
    jrip, jrip_many = (_entry("weka_jrip", "ripper", rows) for rows in (small, large))
    wittgenstein = _entry("wittgenstein", "ripper", small)
    return Race(
        "ripper",
        f"RIPPER as it comes: {COLUMNS}",
        (ours, jrip, wittgenstein, many, jrip_many),
        (
            faster(jrip, ours, 10),
            faster(wittgenstein, ours, 100),
            Bar("more rows, speed against WEKA JRip (CPU)", ratio(jrip_many, many, "cpu"), "at least", 30),
            Bar("time for ten times the rows (CPU)", ratio(many, ours, "cpu"), "at most", 17),
            *(
                bar
                for says, one, rival in (("", ours, jrip), ("more rows, ", many, jrip_many))
                for bar in (
                    Bar(
                        f"{says}accuracy on held-out rows (0.95 to two digits)",
                        accuracy_of(one),
                        "at least",
                        0.945,
                        SHARE,
                    ),
                    Bar(f"{says}rules against WEKA JRip", ratio(one, rival, "rules"), "at most", 1),
                )
            ),
        ),
    )


def _part(small: int, large: int) -> Race:
    part, part_many = (_entry("ours", "part", rows) for rows in (small, large))
    weka_part = _entry("weka_part", "part", small)
    return Race(
        "part",
        "PART as it comes: the columns of ripper",
        (part, weka_part, part_many),
        (
            faster(weka_part, part, 15),
            Bar("more rows, where WEKA PART does not finish", quantity(part_many, "cpu"), "at most", 60, "s"),
        ),
    )
