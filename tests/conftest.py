import os

import numpy as np
import pytest
from hypothesis import settings

import bayescmp as bc
from bayescmp import checks

# many tests are about something else than probabilities, and are fast with a few draws
checks.LEAST_DRAWS = 1


@pytest.fixture
def labour():
    """SVM vs DT on the Labour data: 100 random splits, error rates."""
    return bc.load_labour().pair("SVM", "DT")


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


settings.register_profile("few", max_examples=5, deadline=None, derandomize=True, database=None)
settings.register_profile("many", max_examples=200, deadline=None, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))
