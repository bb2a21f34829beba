"""Arrays of CuPy, and a kernel in CUDA C++ that it compiles. Skipped where that is not installed."""

import pytest

np = pytest.importorskip("numpy")
cp = pytest.importorskip("cupy")


def test_arrays():
    x = cp.arange(1000, dtype=cp.float32)
    assert float((x * 2 + 1).sum()) == 2 * 499500 + 1000
    np.testing.assert_array_equal(cp.asnumpy(cp.sort(-x)), -np.arange(1000, dtype=np.float32)[::-1])


def test_kernel():
    square = cp.RawKernel("""
        extern "C" __global__ void square(int *x, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n)
                x[i] *= x[i];
        }""", "square")
    x = cp.arange(300, dtype=cp.int32)
    square((3,), (128,), (x, 300))
    assert cp.asnumpy(x).tolist() == [i * i for i in range(300)]
