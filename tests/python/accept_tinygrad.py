"""tinygrad on the simulated GPU, with its CUDA backend: each case gives what NumPy gives.

    python -m heddle run -stats_file /dev/null tests/python/accept_tinygrad.py [NAME...]

With TINYGRAD_SOURCE, the folder of tinygrad's sources (its package does not have its tests), their test/backend/test_ops.py runs after that; it
needs PyTorch. Exit status 77 without tinygrad or NumPy."""

import os
import re
import subprocess
import sys

os.environ.update(DEV="CUDA", CUDA="1", CACHELEVEL="0")
if os.environ.get("TINYGRAD_SOURCE"):
    sys.path.insert(0, os.environ["TINYGRAD_SOURCE"])
try:
    import numpy as np
    from tinygrad import Device, Tensor, TinyJit, dtypes
except ImportError as e:
    print("tinygrad or NumPy is not installed: %s" % e)
    sys.exit(77)

import acceptance

CASES = {}
R = np.random.default_rng(2)


def case(function):
    """Makes a case of a function that gives pairs: what tinygrad makes, and what is right."""
    CASES[function.__name__] = function
    return function


def rand(*shape):
    return R.standard_normal(shape).astype(np.float32)


@case
def elementwise():
    x, y = rand(45, 65), rand(45, 65)
    a, b = Tensor(x), Tensor(y)
    return [(a + b, x + y), (a * b - a / (b * b + 1), x * y - x / (y * y + 1)), (a.exp(), np.exp(x)), (a.sin(), np.sin(x)),
        ((a * a + 1).log(), np.log(x * x + 1)), (a.relu(), np.maximum(x, 0)), (a.tanh(), np.tanh(x)),
        ((a > b).where(a, b), np.where(x > y, x, y)), (a.maximum(b), np.maximum(x, y)),
        (a.half().contiguous().float(), x.astype(np.float16).astype(np.float32)),
        (a.cast(dtypes.int32), x.astype(np.int32)), (a.abs().sqrt(), np.sqrt(np.abs(x)))]


@case
def reductions():
    x = rand(3, 40, 50)
    a = Tensor(x)
    return [(a.sum(), x.sum()), (a.sum(1), x.sum(1)), (a.mean((0, 2)), x.mean((0, 2))), (a.max(2), x.max(2)),
        (a.min(0), x.min(0)), (a.argmax(1), x.argmax(1)), (a.std(1), x.std(1, ddof=1)), (a.cumsum(2), x.cumsum(2)),
        (a.softmax(2).sum(2), np.ones((3, 40), np.float32))]


@case
def movement():
    x = rand(6, 7, 8)
    a = Tensor(x)
    return [(a.permute(2, 0, 1), x.transpose(2, 0, 1)), (a[:, ::2, 1:-1], x[:, ::2, 1:-1]), (a.flip(1), x[:, ::-1]),
        (a.pad(((1, 2), (0, 0), (3, 1))), np.pad(x, ((1, 2), (0, 0), (3, 1)))),
        (Tensor.cat(a, a, dim=1), np.concatenate([x, x], 1)), (a[Tensor([3, 0, 5])], x[[3, 0, 5]]),
        (a.reshape(42, 8).sort(1)[0], np.sort(x.reshape(42, 8), 1)), (a.reshape(-1).topk(5)[0],
        np.sort(x.reshape(-1))[:-6:-1])]


@case
def products():
    x, y, z = rand(33, 70), rand(70, 45), rand(5, 20, 30)
    w, image = rand(8, 3, 3, 3), rand(2, 3, 12, 11)
    right = np.zeros((2, 8, 10, 9), np.float32)
    for i in range(3):
        for j in range(3):
            right += np.einsum("nchw,oc->nohw", image[:, :, i:i + 10, j:j + 9], w[:, :, i, j])
    return [(Tensor(x) @ Tensor(y), x @ y), (Tensor(z) @ Tensor(z).transpose(1, 2), z @ z.transpose(0, 2, 1)),
        (Tensor(image).conv2d(Tensor(w)), right), (Tensor(x).half().matmul(Tensor(y).half()).float(),
        (x.astype(np.float16).astype(np.float32) @ y.astype(np.float16).astype(np.float32)), 2e-2)]


@case
def gradients():
    x, w = rand(16, 10), rand(10, 4)
    a, b = Tensor(x), Tensor(w)
    grads = ((a @ b).tanh() * 2).sum().gradient(a, b)
    inner = 2 * (1 - np.tanh(x @ w) ** 2)
    return [(grads[0], inner @ w.T), (grads[1], x.T @ inner)]


@case
def training():
    """A step of a model, which is captured and replayed as a graph, against the same in NumPy."""
    x, t, w, v = rand(64, 8), rand(64, 1), rand(8, 16) / 3, rand(16, 1) / 4
    a, b, given, wanted = (Tensor(m).contiguous().realize() for m in (w, v, x, t))

    @TinyJit
    def step():
        loss = ((given @ a).tanh() @ b - wanted).square().mean()
        da, db = loss.gradient(a, b)
        return loss.realize(a.assign(a - 0.1 * da), b.assign(b - 0.1 * db))

    pairs = []
    for _ in range(6):
        h = np.tanh(x @ w)
        e = h @ v - t
        pairs.append((step().clone().realize(), np.square(e).mean()))
        dv, dw = h.T @ (2 * e / 64), x.T @ ((2 * e / 64) @ v.T * (1 - h * h))
        w, v = w - 0.1 * dw, v - 0.1 * dv
    return pairs + [(a, w), (b, v)]


def wrong_of(pairs):
    for i, (got, right, *close) in enumerate(pairs):
        got, right = got.numpy(), np.asarray(right)
        if got.shape != right.shape:
            return "[%d] has shape %s, not %s" % (i, got.shape, right.shape)
        bad = ~np.isclose(got, right, rtol=(close or [1e-4])[0], atol=(close or [1e-4])[0])
        if bad.any():
            return "[%d] %d of %d elements differ" % (i, bad.sum(), bad.size)
    return None


def their_tests(source):
    """tinygrad's own tests of its operations: how many passed, failed, were skipped."""
    words = [sys.executable, "-m", "unittest", "test.backend.test_ops"]
    done = subprocess.run(words, cwd=source, env=dict(os.environ, PYTHONPATH=source), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, universal_newlines=True, errors="replace")
    ran = re.search(r"^Ran (\d+) tests", done.stdout, re.M)
    if not ran:
        return done.stdout[-2000:]
    told = {k: int(n) for k, n in re.findall(r"(failures|errors|skipped)=(\d+)", done.stdout.splitlines()[-1])}
    failed = told.get("failures", 0) + told.get("errors", 0)
    names = re.findall(r"^(?:FAIL|ERROR): (\w+)", done.stdout, re.M)
    return "test_ops: %d passed, %d failed (%s), %d skipped" % (
        int(ran[1]) - failed - told.get("skipped", 0), failed, ", ".join(sorted(set(names))), told.get("skipped", 0))


def main(names):
    if Device.DEFAULT != "CUDA":
        print("tinygrad runs on %s, not on CUDA" % Device.DEFAULT)
        return 1
    failed, said = acceptance.run("tinygrad", CASES, lambda case: wrong_of(case()), names)
    if os.environ.get("TINYGRAD_SOURCE"):
        print(their_tests(os.environ["TINYGRAD_SOURCE"]), flush=True)
    print(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
