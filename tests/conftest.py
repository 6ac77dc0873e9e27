"""Hypothesis profiles: `ci` (the default) is derandomised so that a run repeats; `hunt` searches further."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=40, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("hunt", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("NDIS_VERIFY_HYPOTHESIS", "ci"))
