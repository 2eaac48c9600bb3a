"""Models for machines: the same answers in other forms."""

from __future__ import annotations

from hornbeam.export.javascript import javascript
from hornbeam.export.nested_json import json

__all__ = ["javascript", "json"]
