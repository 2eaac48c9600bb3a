"""A table in every format that other programs write."""

from __future__ import annotations

import pandas as pd
import pytest


@pytest.fixture
def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": ["Ann", "Bob", "Cid", "Dot"],
            "age": [30.5, 41.0, None, 55.25],
            "born": pd.to_datetime(["1993-01-05", "1982-07-31", "2001-12-01", "1968-02-29"]),
            "code": ["007", "010", "123", "999"],
            "member": [True, False, True, True],
            "class": ["a", "b", "a", "b"],
        }
    )
