"""Warnings and errors of Python name parameters of `hornbeam.read`; those of the commands name options."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from click.testing import CliRunner

import hornbeam
from hornbeam.cli.main import app
from hornbeam.data import errors
from hornbeam.data.errors import DataError, in_python, option

if TYPE_CHECKING:
    from pathlib import Path

PARAMETERS = set(inspect.signature(hornbeam.read).parameters)


@pytest.mark.parametrize("name", ["zip", "zip code", "it's", "a,b", "x'y z", "--keep"])
@pytest.mark.parametrize("flag", ["nominal", "numeric", "keep", "ignore", "text"])
def test_names_are_quoted_for_python(flag: str, name: str) -> None:
    assert in_python(f"read so; {option(flag, name)} to change") == f"read so; {flag}=[{name!r}] to change"


@pytest.mark.parametrize(
    ("typed", "python"),
    [
        ("header: none, so; --header to change", "header: none, so; header=... to change"),
        ("--skip-rows 0 to change", "skip_rows=0 to change"),
        ("--comment '' to change", "comment='' to change"),
        (
            "too many; --skip-rows if the table starts further down",
            "too many; skip_rows=... if the table starts further down",
        ),
        ("--skip-bad-rows to leave such rows out", "bad_rows='skip' to leave such rows out"),
        ("--dates when=%d/%m/%Y to change", "dates={'when': '%d/%m/%Y'} to change"),
        ("a, --date-parts for other parts", "a, date_parts=... for other parts"),
        ("(or leave it out: --ignore)", "(or leave it out: --ignore)"),
        ("no option -- here, and --unknown stays", "no option -- here, and --unknown stays"),
    ],
)
def test_options_are_parameters(typed: str, python: str) -> None:
    assert in_python(typed) == python


def test_every_parameter_exists() -> None:
    listed = (*errors._LISTS, *errors._PAIRS, *errors._OTHERS)
    assert {name.replace("-", "_") for name in listed} - PARAMETERS == {"max_classes"}  # of the commands alone


def untidy(path: Path) -> Path:
    n = 40
    frame = pd.DataFrame({
        "index": range(1, n + 1),
        "price": [f"${i * 37:,}.00" for i in range(n)],
        "the day": pd.date_range("2020-01-05", periods=n).strftime("%d/%m/%Y"),
        "code": [f"ID{i:05d}x" for i in range(n)],
        "y": [0, 1] * (n // 2),
    })  # fmt: skip
    frame.to_csv(path, index=False)
    return path


def test_warnings_name_parameters_and_commands_options(tmp_path: Path) -> None:
    path = untidy(tmp_path / "a.csv")
    with pytest.warns(hornbeam.DataWarning) as found:
        hornbeam.read(path, target="y")
    texts = [str(one.message) for one in found]
    assert len(texts) >= 5
    assert not [text for text in texts if re.search(r"(^|\s)--\w", text)]
    assert any("nominal=['price'] to change" in text for text in texts)
    assert any("keep=['the day'] to use the date itself" in text for text in texts)
    assert all(one.filename == __file__ for one in found)
    printed = CliRunner().invoke(app, ["data", str(path), "--target", "y"])
    assert "--nominal price to change" in printed.output
    assert "nominal=[" not in printed.output


def test_errors_name_parameters_and_commands_options(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("a,b,c\n1,2,3\n4,5,6\n7,8\n9,1,2\n")
    with pytest.raises(DataError, match="bad_rows='skip' to leave such rows out"):
        hornbeam.read(tmp_path / "b.csv")
    assert hornbeam.read(tmp_path / "b.csv", bad_rows="skip").n_rows == 3
    printed = CliRunner().invoke(app, ["data", str(tmp_path / "b.csv")])
    assert "--skip-bad-rows to leave such rows out" in str(printed.exception) + printed.output
