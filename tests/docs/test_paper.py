"""The paper's table is that of tests/oracle/RESULTS.md."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEARNERS = {  # how the names of schemes start
    "J48": "C4.5",
    "Id3": "ID3",
    "rpart": "CART",
    "PART": "PART",
    "JRip": "RIPPER",
    "OneR": "1R",
    "Prism": "PRISM",
    "M5": "model trees and their rules",
    "LinearRegression": "linear regression",
    "IB": "nearest neighbors",
    "KStar": "K*",
    "Cobweb": "concept formation",
    "hclust": "hierarchical clustering",
}


def test_comparisons_are_those_of_the_results() -> None:
    expected: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    results = (ROOT / "tests/oracle/RESULTS.md").read_text(encoding="utf-8")
    for name, sets, identical in re.findall(
        r"^\| [^|]+ \| (?:w39-)?(\S+) \| (\d+) \| (\d+) \| \d+ \| identical \|$", results, re.MULTILINE
    ):
        learner = next(title for start, title in LEARNERS.items() if name.startswith(start))
        for row in (learner, "all"):
            expected[row][0] += int(sets)
            expected[row][1] += int(identical)
    paper = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| ([^|]+) \| [^|]*\| (\d+) \| (\d+) \|$", paper, re.MULTILINE)
    assert {learner: [int(sets), int(identical)] for learner, sets, identical in found} == dict(expected)
