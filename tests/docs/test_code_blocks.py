"""Every block of code in the documentation is run by some test, or is listed here with the reason why not."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from docs.test_documentation import DRAWN, DRAWN_BY_EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.relative_to(ROOT).as_posix(): page for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))}
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)

# The blocks of these pages are run here, in their order, on files that are made up.
RUN_HERE = ("README.md", "docs/clusters/index.md", "docs/howto/big-data.md", "docs/howto/dates.md", "docs/scale.md")
RUN_ELSEWHERE = {  # by the page and the first words of the block
    ("docs/export/c.md", "#include"): "tests/docs/test_export_pages.py",
    ("docs/export/javascript.md", "<script"): "tests/integration, in a browser",
    ("docs/export/javascript.md", "require"): "tests/docs/test_export_pages.py",
    ("docs/export/pmml.md", "import"): "tests/docs/test_export_pages.py",
    ("docs/export/rust.md", "mod"): "tests/export/test_rust.py",
    ("docs/export/sql.md", "hornbeam export"): "tests/integration/test_postgres.py",
    ("docs/serve.md", "hornbeam learn"): "tests/docs/test_export_pages.py, without the network",
    ("docs/pictures.md", "hornbeam show iris.hornbeam --to space"): "tests/cli/test_show.py",
    ("docs/pictures.md", "hornbeam show ib3.hornbeam --to space"): "tests/show/charts/test_kept_rows.py",
    ("docs/command-line.md", "eval"): "tests/cli/test_shell.py, in the shells",
}
NOT_RUN = {
    ("README.md", "make demo"): "the two commands of a first visit",
    ("README.md", "warning:"): "what make demo prints",
    ("docs/tutorial.md", "make demo"): "installs the package",
    ("docs/scale.md", "tree = "): "needs a frame of Spark or Dask: tests/scale/test_frames.py",
    ("docs/scale.md", "source = hornbeam.scan("): "needs a PostgreSQL server: tests/integration",
    ("docs/forests/index.md", "Errors"): "a table",
    ("docs/gpu.md", "pip install"): "needs a GPU",
    ("docs/gpu.md", "import hornbeam"): "needs a GPU: benchmarks/gpu.py",
    ("docs/trees/index.md", "petallength"): "two splits",
    ("docs/trees/pruning.md", "leaves"): "a table",
}


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """The language and the lines of every block of a page."""
    yield from BLOCK.findall(PAGES[page].read_text(encoding="utf-8"))


def listed(page: str, text: str) -> tuple[str, str] | None:
    """The entry of a block in the lists above."""
    entries = [key for key in RUN_ELSEWHERE | NOT_RUN if key[0] == page and text.lstrip().startswith(key[1])]
    return max(entries, default=None)


def is_session(language: str, text: str) -> bool:
    """Whether doctest or test_documentation.py runs a block."""
    return language == "console" or (language == "python" and ">>> " in text)


def is_drawn(text: str) -> bool:
    """Whether test_documentation.py runs a block for the picture that it draws, or to save a model for one."""
    lines = text.strip().split("\n")
    return all(DRAWN.fullmatch(line) or DRAWN_BY_EXAMPLE.fullmatch(line) for line in lines)


def test_every_block_is_run_or_listed() -> None:
    used = set()
    for page in PAGES:
        for language, text in blocks(page):
            if is_session(language, text) or is_drawn(text):
                continue
            entry = listed(page, text)
            used.add(entry)
            assert entry or page in RUN_HERE, f"{page}: no test runs the block that begins {text[:60]!r}"
    assert used - {None} == set(RUN_ELSEWHERE | NOT_RUN)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that those pages read."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    rows = 60
    numbers = pd.DataFrame({"income": random.normal(size=rows).round(2), "age": random.integers(18, 80, rows)})
    yes = np.where(numbers["income"] + random.normal(size=rows) / 2 > 0, "yes", "no")
    days = pd.date_range("2024-01-01", periods=rows, freq="D").strftime("%Y-%m-%d")
    numbers.assign(default=yes).to_csv("loans.csv", index=False)
    numbers.to_csv("new.csv", index=False)
    numbers.to_csv("customers.csv", index=False)
    numbers.assign(price=3 * numbers["income"] + 1).to_csv("houses.csv", index=False)
    numbers.assign(day=days, closed=yes).to_csv("visits.csv", index=False)
    numbers.assign(delayed=yes).to_parquet("flights.parquet")
    for folder, target in (("flights", "delayed"), ("folder", "y"), ("new", "y")):
        Path(folder).mkdir()
        numbers.assign(**{target: yes}).to_parquet(f"{folder}/1.parquet")


@pytest.mark.parametrize("page", RUN_HERE)
@pytest.mark.usefixtures("files")
def test_blocks_without_results_run(page: str) -> None:
    from hornbeam.cli.main import app

    names: dict[str, object] = {}
    ran = 0
    for language, text in blocks(page):
        if is_session(language, text) or is_drawn(text) or listed(page, text) in NOT_RUN:
            continue
        if language == "python":
            exec(compile(text, page, "exec"), names)  # noqa: S102 - our own page
            ran += 1
            continue
        for line in text.strip().split("\n"):
            program, *arguments = shlex.split(line, comments=True)
            assert Path(program).name == "hornbeam", line
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, (line, result.output, result.exception)
            ran += 1
    assert ran
