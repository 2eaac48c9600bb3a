"""Budgets of Hypothesis: small by default, long where HYPOTHESIS_PROFILE=slow (make check-slow)."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadline: a shared machine may be slow at any moment, and speed is not what tests are about.
settings.register_profile(
    "default", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "slow", max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
