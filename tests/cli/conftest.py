"""The command line, in the process of the test: `command("learn", "iris")` gives exit code and both streams."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from hornbeam.cli.main import run


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def good(command: Command) -> Command:
    """A command that must succeed."""

    def call(*arguments: object) -> Outcome:
        outcome = command(*arguments)
        assert outcome.code == 0, outcome.err
        return outcome

    return call


@pytest.fixture
def bad(command: Command) -> Command:
    """A command that must fail with one line on the error stream and exit code 2."""

    def call(*arguments: object) -> Outcome:
        outcome = command(*arguments)
        assert outcome.code == 2, outcome
        lines = [line for line in outcome.err.splitlines() if line.startswith("hornbeam: ")]
        assert len(lines) == 1, outcome.err
        assert outcome.err.splitlines()[-1] == lines[0]
        assert "Traceback" not in outcome.err
        return outcome

    return call
