import numpy as np
import pytest
import tiny


@pytest.fixture(scope="module")
def model():
    return tiny.new_model(8)


@pytest.fixture(scope="module")
def sources():
    random = np.random.default_rng(1)
    length = np.array([4, 1, 5, 0, 2, 5])
    source = random.integers(3, 8, (6, 5)) * (np.arange(5) < length[:, None])
    return source.astype(np.int32), length
