"""warp-lang on the simulated GPU: kernels give what NumPy gives.

    python -m heddle run -stats_file /dev/null tests/python/accept_warp.py [NAME...]

The library in warp's wheel has a stripped CUDA runtime, which does not start on Heddle; one that is built from warp's sources has not
(docs/python.md). WARP_SOURCE names a folder of sources with such a library. Exit status 77 without either, or without NumPy."""

import os
import sys

if os.environ.get("WARP_SOURCE"):
    sys.path.insert(0, os.environ["WARP_SOURCE"])
try:
    import numpy as np
    import warp as wp
except ImportError as e:
    print("warp-lang or NumPy is not installed: %s" % e)
    sys.exit(77)

import acceptance

wp.config.quiet = True
wp.init()
CASES = {}
R = np.random.default_rng(4)


def case(function):
    """Makes a case of a function that gives pairs: an array of warp, and what is right."""
    CASES[function.__name__] = function
    return function


def array(values, dtype=None, **how):
    kinds = {"float32": float, "int32": int}
    return wp.array(values, dtype=dtype or kinds[values.dtype.name], device="cuda", **how)


@wp.kernel
def scale(x: wp.array(dtype=float), y: wp.array(dtype=float), a: float):
    i = wp.tid()
    y[i] = wp.sin(x[i]) * a + wp.sqrt(wp.abs(x[i]))


@wp.kernel
def multiply(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    s = float(0.0)
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


@wp.kernel
def sum_up(x: wp.array(dtype=float), total: wp.array(dtype=float), most: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(total, 0, x[i])
    wp.atomic_max(most, 0, x[i])


@wp.kernel
def turn(p: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.vec3), angle: float):
    i = wp.tid()
    r = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), angle)
    q[i] = wp.quat_rotate(r, p[i])


@wp.kernel
def squares(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * x[i])


@case
def elementwise():
    x = R.standard_normal(1000).astype(np.float32)
    y = wp.zeros(1000, dtype=float, device="cuda")
    wp.launch(scale, dim=1000, inputs=[array(x), y, 2.5], device="cuda")
    return [(y, np.sin(x) * 2.5 + np.sqrt(np.abs(x)))]


@case
def products():
    a, b = R.standard_normal((30, 40)).astype(np.float32), R.standard_normal((40, 20)).astype(np.float32)
    c = wp.zeros((30, 20), dtype=float, device="cuda")
    wp.launch(multiply, dim=(30, 20), inputs=[array(a), array(b), c], device="cuda")
    return [(c, a @ b)]


@case
def atomics():
    x = R.standard_normal(5000).astype(np.float32)
    total, most = wp.zeros(1, dtype=float, device="cuda"), wp.zeros(1, dtype=float, device="cuda")
    wp.launch(sum_up, dim=5000, inputs=[array(x), total, most], device="cuda")
    return [(total, [x.sum()]), (most, [x.max()])]


@case
def vectors():
    p = R.standard_normal((500, 3)).astype(np.float32)
    q = wp.zeros(500, dtype=wp.vec3, device="cuda")
    wp.launch(turn, dim=500, inputs=[array(p, wp.vec3), q, 0.7], device="cuda")
    c, s = np.cos(0.7), np.sin(0.7)
    return [(q, np.stack([c * p[:, 0] - s * p[:, 1], s * p[:, 0] + c * p[:, 1], p[:, 2]], 1))]


@case
def gradients():
    x = R.standard_normal(300).astype(np.float32)
    a, loss = array(x, float, requires_grad=True), wp.zeros(1, dtype=float, device="cuda", requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squares, dim=300, inputs=[a, loss], device="cuda")
    tape.backward(loss)
    return [(a.grad, 3 * x * x), (loss, [(x ** 3).sum()])]


@case
def scans_and_sorts():
    x = R.integers(0, 1000, 700).astype(np.int32)
    a, out = array(x), wp.zeros(700, dtype=int, device="cuda")
    wp.utils.array_scan(a, out, inclusive=True)
    keys, values = wp.zeros(1400, dtype=int, device="cuda"), wp.zeros(1400, dtype=int, device="cuda")
    wp.copy(keys, a, count=700)
    wp.copy(values, array(np.arange(700, dtype=np.int32)), count=700)
    wp.utils.radix_sort_pairs(keys, values, 700)
    return [(out, x.cumsum()), (keys[:700].numpy(), np.sort(x)), (values[:700].numpy(), np.argsort(x, kind="stable"))]


@case
def graphs():
    x = np.arange(100, dtype=np.float32)
    a, b = array(x), wp.zeros(100, dtype=float, device="cuda")
    wp.launch(scale, dim=100, inputs=[a, b, 1.0], device="cuda")
    with wp.ScopedCapture(device="cuda") as capture:
        wp.launch(scale, dim=100, inputs=[a, b, 3.0], device="cuda")
        wp.launch(scale, dim=100, inputs=[b, a, 2.0], device="cuda")
    for _ in range(2):
        wp.capture_launch(capture.graph)
    f = lambda v, k: np.sin(v) * k + np.sqrt(np.abs(v))
    for _ in range(2):
        y = f(x, np.float32(3))
        x = f(y, np.float32(2))
    return [(b, y), (a, x)]


def wrong_of(pairs):
    for i, (got, right) in enumerate(pairs):
        got, right = np.asarray(got.numpy() if hasattr(got, "numpy") else got), np.asarray(right)
        if got.shape != right.shape or not np.allclose(got, right, rtol=1e-4, atol=1e-4):
            return "[%d] is not what NumPy gives" % i
    return None


def main(names):
    try:
        array(np.zeros(4, np.float32)).numpy()
    except RuntimeError as e:
        print("warp's library has a CUDA runtime that does not start here: %s" % e)
        return 77
    failed, said = acceptance.run("warp %s" % wp.__version__, CASES, lambda case: wrong_of(case()), names)
    print(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
