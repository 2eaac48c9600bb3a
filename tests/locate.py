"""Where the tests find data that is not part of the project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

Kind = Literal["data", "oracle", "seeds"]
HERE = Path(__file__).resolve().parent


def shared_root() -> Path:
    """Give the folder of shared data beside the project, or the one that HORNBEAM_SHARED names; it may not exist."""
    named = os.environ.get("HORNBEAM_SHARED")
    return Path(named) if named else HERE.parent.parent / "shared"


def has_shared(kind: Kind) -> bool:
    """Whether a kind of shared data is at hand."""
    return (shared_root() / kind).is_dir()


def shared(kind: Kind) -> Path:
    """Give the folder of a kind of shared data; where it is absent, skip the test that asks.

    Parameters
    ----------
    kind : {"data", "oracle", "seeds"}
        ARFF files; other programs' answers to them; worked examples.
    """
    folder = shared_root() / kind
    if not folder.is_dir():
        reason = f"needs the shared {kind} folder, beside the project or named by HORNBEAM_SHARED"
        pytest.skip(reason, allow_module_level=True)
    return folder
