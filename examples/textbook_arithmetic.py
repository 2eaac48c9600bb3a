# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""The textbook calculations on the weather data: first step by step, then from the trace of the learner.

Run it with `python examples/textbook_arithmetic.py`.
"""

from __future__ import annotations

import hornbeam
from hornbeam.learn.trees.criteria import contingency, entropy, gain_ratio, information, information_gain
from hornbeam.learn.trees.prune.estimates import upper_limit


def main() -> None:
    """Compute gains and error estimates, and print the same from the trace."""
    weather = hornbeam.read("weather")

    print("Step by step")
    outlook = contingency(weather, "outlook")
    print(f"  entropy of 9 yes and 5 no          {entropy([9, 5]):.3f} bits")
    print(f"  average entropy after outlook      {information(outlook):.3f} bits")
    for column in ("outlook", "temperature", "humidity", "windy"):
        table = contingency(weather, column)
        print(f"  {column:12} gain {information_gain(table):.3f} bits, gain ratio {gain_ratio(table):.3f}")

    print("\nPruning: leaves with 2 errors of 6, 1 of 2 and 2 of 6, under a node with 5 of 14")
    leaves = [(2, 6), (1, 2), (2, 6)]
    together = sum(rows * upper_limit(errors / rows, rows, z=0.69) for errors, rows in leaves) / 14
    print(
        f"  estimated error rate of the leaves {together:.2f}, of the node {upper_limit(5 / 14, 14, z=0.69):.2f}: prune"
    )

    print("\nFrom the trace\n")
    print(hornbeam.show.why(hornbeam.ID3Classifier(keep_trace=True).fit(weather)))


if __name__ == "__main__":
    main()
