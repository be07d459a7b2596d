import numpy as np
import pytest

import bayescmp as bc


@pytest.fixture
def labour():
    """SVM vs DT on the Labour data: 100 random splits, error rates."""
    return bc.load_labour().pair("SVM", "DT")


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)
