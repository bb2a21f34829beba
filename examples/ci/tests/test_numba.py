"""A kernel in Python, compiled by numba-cuda. Skipped where that is not installed."""

import pytest

np = pytest.importorskip("numpy")
cuda = pytest.importorskip("numba.cuda")


@cuda.jit
def add_up(x, total):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])


def test_sum():
    x = np.arange(1000, dtype=np.int32)
    total = cuda.to_device(np.zeros(1, dtype=np.int32))
    add_up[8, 128](x, total)
    assert total.copy_to_host()[0] == x.sum()
