import pytest
from scale import CudaError, Gpu


@pytest.fixture
def gpu():
    with Gpu() as g:
        yield g


@pytest.mark.parametrize("n", [0, 1, 127, 128, 129, 5000])
def test_scale(gpu, n):
    assert gpu.scale(range(n), 0.5) == [i * 0.5 for i in range(n)]


def test_errors_have_names(gpu):
    with pytest.raises(CudaError, match="CUDA_ERROR_INVALID_VALUE"):
        gpu.call("cuMemAlloc_v2", None, 16)
