"""The program rpart in a process of its own: tables and options go in, printed trees and predictions come out."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from fuzz.random_tables import Drawn

SERVER = Path(__file__).resolve().parent / "rpart_server.R"
MISSING = "this comparison needs R with its package rpart; on Debian: apt install r-base-core r-cran-rpart"


class NoRpartError(RuntimeError):
    """R or its package rpart is not installed."""


@dataclass(frozen=True)
class Options:
    """How a tree is grown, in rpart's terms."""

    cp: float = 0.01
    min_split: int = 20
    min_bucket: int = 7
    max_surrogates: int = 5
    max_depth: int = 30
    split: str = "gini"
    priors: tuple[float, ...] | None = None  # of the classes that have rows
    loss: tuple[tuple[float, ...], ...] | None = None  # true class by row, predicted class by column


@dataclass
class Reply:
    """What rpart found."""

    error: str = ""
    text: str = ""
    table: list[tuple[float, ...]] = field(default_factory=list)  # complexity, splits, relative error
    importance: dict[str, float] = field(default_factory=dict)
    surrogates: list[tuple[int, str, float, float, float]] = field(default_factory=list)  # node, column, cut, agreement
    classes: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    answers: list[tuple[float, ...]] = field(default_factory=list)


class Rpart:
    """One long-lived process; use it in a `with` statement."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        program = shutil.which("Rscript")
        if program is None:
            raise NoRpartError(MISSING)
        probe = subprocess.run(
            [program, "-e", "library(rpart)"], capture_output=True, text=True, check=False, timeout=120
        )
        if probe.returncode:
            raise NoRpartError(MISSING)
        self._process = subprocess.Popen(
            [program, "--vanilla", str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)

    def fit(self, pair: Drawn, options: Options) -> Reply:
        """Learn from the training rows, and predict the others."""
        job = self._write(pair, options)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{job}\n")
        self._process.stdin.flush()
        sections: dict[str, list[str]] = {}
        lines: list[str] = []
        for line in iter(self._process.stdout.readline, ""):
            if line == "#end\n":
                return _parsed(sections)
            if line.startswith("#"):
                lines = sections.setdefault(line[1:].strip(), [])
            else:
                lines.append(line.rstrip("\n"))
        msg = "rpart's process ended before its reply did"
        raise RuntimeError(msg)

    def _write(self, pair: Drawn, options: Options) -> Path:
        data, job = self._folder / "rows.bin", self._folder / "job.txt"
        schema = pair.training.schema
        lines = [
            ["method", "class" if isinstance(schema.target_column, Nominal) else "anova"],
            ["data", str(data)],
            ["rows", str(pair.training.n_rows)],
            ["asked", str(pair.asked.n_rows)],
            ["control", *(f"{value!r}" for value in _limits(options))],
            ["split", options.split],
        ]
        if options.priors is not None:
            lines.append(["prior", *map(repr, options.priors)])
        if options.loss is not None:
            lines.append(["loss", *(repr(cost) for row in options.loss for cost in row)])
        blocks = []
        for column, values, others in zip(schema.columns, pair.training.columns, pair.asked.columns, strict=True):
            numbers = np.concatenate([values, others]).astype(np.float64)
            if isinstance(column, Nominal):
                numbers[numbers < 0] = np.nan
                lines.append(["column", "nominal", column.name, *column.categories])
            else:
                lines.append(["column", "numeric", column.name])
            blocks.append(numbers)
        np.concatenate(blocks).tofile(data)
        job.write_text("".join("\t".join(words) + "\n" for words in lines), encoding="utf-8")
        return job


def _limits(options: Options) -> tuple[float, ...]:
    return options.cp, options.min_split, options.min_bucket, options.max_surrogates, options.max_depth


def _parsed(sections: dict[str, list[str]]) -> Reply:
    if "error" in sections:
        return Reply(error=" ".join(sections["error"]).strip())
    reply = Reply(text="\n".join(sections["text"]))
    reply.table = [tuple(map(_number, line.split("\t"))) for line in sections["table"]]
    for line in sections["importance"]:
        name, value = line.split("\t")
        reply.importance[name] = _number(value)
    for line in sections["surrogates"]:
        node, name, cut, agreement, adjusted = line.split("\t")
        reply.surrogates.append((int(node), name, _number(cut), _number(agreement), _number(adjusted)))
    rows = [line.split("\t") for line in sections["answers"]]
    if "yprob" in reply.text:
        reply.classes = rows[0]
        reply.labels = [row[0] for row in rows[1:]]
        rows = [row[1:] for row in rows[1:]]
    reply.answers = [tuple(map(_number, row)) for row in rows]
    return reply


def _number(word: str) -> float:
    return float("nan") if word in ("NA", "NaN") else float(word)
