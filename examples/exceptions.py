# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""Rules with exceptions: written by hand, learned row by row, and learned at once.

Run it with `python examples/exceptions.py`.
"""

from __future__ import annotations

import numpy as np

import hornbeam
from hornbeam.model.rules.by_hand import rule
from hornbeam.model.rules.rule import RuleList


def main() -> None:
    """Start from one rule, and add rows until all are learned."""
    iris = hornbeam.read("iris")
    schema = iris.schema
    first = rule("if petallength >= 2.45 then Iris-versicolor", schema)
    teacher = hornbeam.ExceptionRulesClassifier.from_model(RuleList(schema, (), rule("Iris-setosa", schema, [first])))
    print("Written by hand:\n")
    print(hornbeam.show.text(teacher))

    order = np.random.default_rng(0).permutation(iris.n_rows)
    for part in np.array_split(order, 5):
        teacher.partial_fit(iris.take(part))
        known = teacher.rows_
        assert known is not None
        print(f"\nAfter {known.n_rows} rows, {teacher.score(iris):.1%} of all 150 rows are predicted right.")
    print()
    print(hornbeam.show.text(teacher))

    print("\nThe same without exceptions, special cases first:\n")
    print(hornbeam.show.text(teacher.as_if_else()))

    print("\nLearned at once:\n")
    print(hornbeam.show.text(hornbeam.ExceptionRulesClassifier().fit(iris)))


if __name__ == "__main__":
    main()
