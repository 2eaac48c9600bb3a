"""Sentences are fitted to the width of a terminal, and whole in a pipe."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def on_a_terminal(columns: int, *arguments: str) -> tuple[int, list[str]]:
    """Give the exit code of a command and the lines that it writes to a terminal of a width, without colors."""
    terminal, inside = os.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    for name in ("COLUMNS", "LINES"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "hornbeam", *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=inside, stderr=inside, env=environment) as running:
        os.close(inside)
        written = b""
        try:
            while piece := os.read(terminal, 1 << 16):
                written += piece
        except OSError:  # how the end of a pseudo-terminal is told
            pass
    os.close(terminal)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", written.decode())
    return running.returncode, [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").split("\n")]


@pytest.fixture
def long_names(tmp_path: Path) -> Path:
    names = ["a class with a name that fills a line", "another class with a name that is as long"]
    path = tmp_path / "a table with a rather long name.csv"
    lines = [f"{i},{i * 37 % 50}.5,1,{names[i * 37 % 50 > 25]}" for i in range(100)]
    path.write_text("\n".join(["number,size of it,always the same,kind of it", *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize("columns", [60, 80])
def test_lines_are_broken_between_words(long_names: Path, columns: int) -> None:
    code, lines = on_a_terminal(columns, "learn", str(long_names), "--cv", "3")
    assert code == 0
    commands = [line for line in lines if line.startswith("  hornbeam ")]
    assert commands  # these are whole, to be copied
    lines = [line for line in lines if line not in commands]
    assert max(map(len, lines)) <= columns
    joined = " ".join(line.strip() for line in lines)
    assert "the target is 'kind of it', the last column; --target COLUMN to change" in joined
    assert "always predicting the most common class: " in joined
    assert re.search(r"Verdict: Right in \d+ of 100 held-out rows, \d+ more than always predicting 'a class", joined)


def test_a_pipe_gets_whole_lines(good: Any, long_names: Path) -> None:
    outcome = good("learn", long_names, "--cv", "3")
    assert max(map(len, outcome.out.splitlines())) > 100
    assert "the target is 'kind of it', the last column; --target COLUMN to change\n" in outcome.err


def test_errors_are_broken_between_words(long_names: Path) -> None:
    code, lines = on_a_terminal(60, "learn", str(long_names), "--target", "xyzzy")
    assert code == 2
    assert max(map(len, lines)) <= 60
    assert "no column is called 'xyzzy'" in " ".join(line.strip() for line in lines)


def test_one_class_is_said_beside_the_accuracy(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "rare.csv"
    rows = "".join(f"{i * 37 % 101}.5,{'yes' if i % 40 == 0 else 'no'}\n" for i in range(400))
    path.write_text("x,cancelled\n" + rows, encoding="utf-8")
    out = good("learn", path, "--cv", 3).out.splitlines()
    headline = next(place for place, line in enumerate(out) if line.startswith("3-fold cross-validation: "))
    assert out[headline + 1] == "  but 97.5% of these rows are 'no': look at balanced accuracy and recall"
    assert not any("of these rows are" in line for line in good("learn", "iris", "--cv", 3).out.splitlines())


@pytest.mark.parametrize("columns", [60, 80])
def test_wide_comparisons_are_divided_into_tables(columns: int) -> None:
    for arguments in (("labor", "--schemes", "c45,cart,part,ripper,one-r"), ("labor", "vote", "iris")):
        code, lines = on_a_terminal(columns, "compare", *arguments, "--cv", "3")
        assert code == 0
        assert max(map(len, lines)) <= columns
        heads = [line.split() for line in lines if line.startswith(("method ", "table "))]
        assert len(heads) > 2
        for place, line in enumerate(lines):  # every line of a table begins with a name
            if line.startswith("method "):
                rows = lines[place + 1 : place + 4]
                assert all(re.match(r"\S", row) for row in rows)
