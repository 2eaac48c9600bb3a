"""pyarrow's own CSV reader, with texts dictionary-encoded: what a Table needs at least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyarrow import csv

if TYPE_CHECKING:
    from pathlib import Path


def why_absent() -> str | None:
    """Never absent: hornbeam needs it."""
    return None


def read(path: Path) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A CSV file as a pyarrow table; empty texts are missing, as in a Table."""
    return csv.read_csv(path, convert_options=csv.ConvertOptions(auto_dict_encode=True, strings_can_be_null=True))
