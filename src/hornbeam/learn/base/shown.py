"""How notebooks show an estimator: a fitted one by its model, any other by scikit-learn's diagram.

The HTML is made in `report`, a higher layer, and is reached through the package.
"""

from __future__ import annotations

from typing import Any

import hornbeam


class ShownByModel:
    """A mixin that goes before scikit-learn's `BaseEstimator`, for estimators with `model_` once fitted."""

    def _repr_html_inner(self) -> str:
        shown: str = hornbeam._html(self) if hasattr(self, "model_") else super()._repr_html_inner()  # type: ignore[misc]
        return shown

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle and hasattr(self, "model_"):
            bundle["text/html"] = hornbeam._html(self)
        return bundle
