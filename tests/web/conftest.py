"""Makes tests of the requests that a description allows: schemathesis does this as a plugin of pytest."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    if find_spec("schemathesis") is not None:
        config.pluginmanager.import_plugin("schemathesis.pytest.plugin")
