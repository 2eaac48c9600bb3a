"""Comparing two commits: what counts as a change, and that the command finds one."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import hornbeam
from benchmarks import compare, phases
from benchmarks.compare import INSTALLED, Build, Comparison, Pair, chosen, spread
from benchmarks.peer import Measurement


def test_changes_within_the_noise_are_not_reported() -> None:
    assert Comparison("a", 1.00, 1.04, 0.05).verdict() == ""
    assert Comparison("a", 1.00, 1.04, 0.01).verdict() == "SLOWER"
    assert Comparison("a", 1.00, 1.02, 0.01).verdict() == "slower"
    assert Comparison("a", 1.00, 0.90, 0.01).verdict() == "faster"


def test_noise_is_the_distance_of_the_second_best_run() -> None:
    assert spread([2.0, 1.0, 1.1]) == pytest.approx(0.1)
    assert spread([1.0, 1.0]) == compare.LEAST_NOISE


def test_only_our_own_measurements_are_compared_each_once() -> None:
    pairs = chosen(None, quick=True)
    assert len(pairs) > 20
    assert {pair.measurement.peer for pair in pairs} == {"ours"}
    assert len({pair.measurement for pair in pairs}) == len(pairs)
    with pytest.raises(SystemExit, match="no race 'nothing'"):
        chosen(["nothing"], quick=True)


def test_commits_take_turns_and_slower_ones_fail(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    order: list[str] = []

    def measure(self: Build, _measurement: Measurement) -> dict[str, Any]:
        order.append(self.name)
        return {"cpu": 1.0 if self.name == "old" else 1.5, "accuracy": 0.9 if self.name == "old" else 0.8}

    monkeypatch.setattr(Build, "measure", measure)
    monkeypatch.setattr(compare, "build", lambda name: Build(name, compare.ROOT, None))
    monkeypatch.setattr(compare, "python", lambda *_, **__: "")
    monkeypatch.setattr(compare, "chosen", lambda *_, **__: [Pair(Measurement("ours", "ripper", "rules", 100))])
    assert compare.main(["old", INSTALLED, "--repeats", "3"]) == 1
    assert order == ["old", ".", ".", "old", "old", "."]
    printed = capsys.readouterr().out
    assert "1.500   1.0%  SLOWER" in printed
    assert "result changed: accuracy 0.9 -> 0.8" in printed
    assert "1 of 1 changed beyond noise; 1 slower by more than 3%." in printed


def test_shares_of_phases_and_what_sixteen_cores_could_do() -> None:
    watch = phases.Watch()
    watch.wall.update(shared=1.0, alone=0.5, short=0.001)
    watch.cpu.update(shared=1.5, alone=0.5, short=0.001)
    watch.alone.update(alone=0.5)
    *lines, last = watch.lines()
    assert [line.split() for line in lines] == [
        ["wall", "CPU", "one", "thread", "of", "all", "phase"],
        ["1.00", "1.50", "0.0%", "0.0%", "shared"],
        ["0.50", "0.50", "100.0%", "25.0%", "alone"],
        ["1.50", "2.00", "25.0%", "25.0%", "all"],
    ]
    assert last == "at most 3.4 times as fast on 16 cores"


def test_a_phase_is_the_innermost_function_of_the_package() -> None:
    table = hornbeam.read("weather.nominal")
    seen = []

    class Rows:
        def __array__(self, *_: Any, **__: Any) -> Any:
            seen.append(phases.phase_of(sys._getframe()))
            return np.zeros(1, np.int64)

    table.take(Rows())
    assert seen[0] == "data/indices: row_numbers"
    assert phases.phase_of(sys._getframe()) == phases.OUTSIDE
