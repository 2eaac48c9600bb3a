"""`hornbeam learn` and `hornbeam report` on real tables as pandas writes them: no traceback, no flood, a verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from corpus.tables import NAMES, moderate, write

from hornbeam.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

MOST_LINES = 200
MOST_BYTES = 1_500_000  # of a report
REFUSED = {  # nothing to predict: the command says so in one line
    "Ecdat/Bwages": "hornbeam: the target 'sex' is missing in every row; name another column with --target",
    "Zelig/friendship": "hornbeam: the table 'Zelig-friendship' has no rows; expected at least one below the header",
    "Zelig/sna.ex": "hornbeam: the table 'Zelig-sna.ex' has no rows; expected at least one below the header",
}
# How the sentences of `hornbeam.evaluate.verdicts.of_score` start.
VERDICT = re.compile(
    r"(?:Verdict: )?(?:Right in |Explains .*% of the variance |This .* has learned nothing: |Worse than |"
    r"Not clearly better than |By accuracy no better |By its errors no better |Too few rows to say |"
    r"Too few held-out rows |There are no held-out rows |All held-out rows are of one class, |"
    r"The held-out values are all the same: )"
)


def few(number: int) -> list[object]:
    """Give all tables as parameters; all but a few are slow."""
    step = -(-len(NAMES) // number)
    return [
        pytest.param(name, marks=[] if i % step == 0 or name in REFUSED else [pytest.mark.slow])
        for i, name in enumerate(NAMES)
    ]


def check(name: str, capsys: pytest.CaptureFixture[str], *arguments: object) -> bool:
    """Run a command and check what it prints; False where it rightly refuses the table."""
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    lines = [*captured.out.splitlines(), *captured.err.splitlines()]
    assert "Traceback" not in captured.err
    assert "internal error" not in captured.err
    assert len(lines) <= MOST_LINES
    if name in REFUSED:
        assert code == 2
        assert captured.err.splitlines()[-1] == REFUSED[name]
        return False
    assert code == 0, captured.err
    verdicts = [line for line in captured.out.splitlines() if VERDICT.match(line)]
    assert len(verdicts) == 1, captured.out
    return True


@pytest.mark.parametrize("name", few(25))
def test_learn(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(name, capsys, "learn", write(name, tmp_path), "--cv", 3)


@pytest.mark.parametrize("name", few(6))
def test_report(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.html"
    if check(name, capsys, "report", write(name, tmp_path), "--cv", 3, "-o", path):
        assert 0 < path.stat().st_size <= MOST_BYTES
    else:
        assert not path.exists()


def test_there_are_enough_tables() -> None:
    assert len(set(NAMES)) >= 300
    assert set(REFUSED) <= set(NAMES)


@pytest.mark.slow
def test_the_list_of_tables_is_the_rule() -> None:
    assert list(NAMES) == moderate()
