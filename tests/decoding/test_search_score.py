import numpy as np
import pytest

from neural_gpu_tf.decoding.score import Score

SOURCE = np.array([[3, 4, 0], [5, 0, 0]], np.int32)
LOG_P = np.array([[-1.0, -2.0], [-3.0, -np.inf]], np.float32)
COVERAGE = np.array(
    [[[0.5, 2.0, 0.9], [0.0, 0.25, 0.0]], [[0.7, 0.0, 0.0], [1.0, 0.3, 0.0]]],
    np.float32,
)


@pytest.mark.parametrize(
    "alpha, beta", [(0.0, 0.0), (0.6, 0.0), (0.0, 0.3), (1.5, 2.0)]
)
def test_is_the_papers(alpha, beta):
    """Symbols of the source alone count; what has no attention at all is finite."""
    length = np.array([[4], [7]])
    found = Score(SOURCE, alpha, beta)(LOG_P, length, COVERAGE)
    for i, symbols in enumerate(SOURCE):
        for j, log_p in enumerate(LOG_P[i]):
            seen = [
                np.log(max(min(p, 1.0), 1e-10))
                for symbol, p in zip(symbols, COVERAGE[i, j], strict=True)
                if symbol
            ]
            expected = log_p / ((5 + length[i, 0]) / 6) ** alpha + beta * sum(seen)
            np.testing.assert_allclose(found[i, j], expected, rtol=1e-5)
