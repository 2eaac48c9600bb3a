"""Why a model may differ from WEKA's: each reason is checked on the two results, and is a row of docs/compat.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.random_tables import Drawn
    from fuzz.weka_claims import Claim, Found


def explained(claim: Claim, pair: Drawn, found: Found, reference: Found) -> str | None:
    """The first reason that accounts for the whole difference; None if there is none."""
    return None
