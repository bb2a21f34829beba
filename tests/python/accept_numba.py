"""numba-cuda on Heddle: programs of our own, compared with NumPy; and, if HEDDLE_NUMBA_SUITE is set, numba-cuda's own tests.

    PYTHON=venv/bin/python tests/python/run full accept_numba
    HEDDLE_NUMBA_SUITE=all HEDDLE_ACCEPT_SECONDS=7200 PYTHON=venv/bin/python tests/python/run full accept_numba

HEDDLE_NUMBA_SUITE is `all` or names modules, as `cudapy.test_atomics nrt.test_nrt`; the tests need filecheck, psutil, cffi and pytest, and
NUMBA_CUDA_TEST_BIN_DIR where it is set. A table of the modules is printed, and each failure; less than 95 % passed is a failure.
"""

import importlib.util
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree

if importlib.util.find_spec("numba_cuda") is None:
    print("no numba-cuda here")
    sys.exit(77)

import numpy as np  # noqa: E402
import numba  # noqa: E402
from numba import cuda  # noqa: E402

import heddle  # noqa: E402

if not cuda.is_available():
    print("numba-cuda finds no GPU: its parts for CUDA 12 or 13 are missing (numba-cuda[cu13]), or this is not heddle run")
    sys.exit(77 if not heddle.active() else 1)

MODULE_SECONDS = 1500  # for each module of numba-cuda's tests
ENOUGH = 0.95          # of these that must pass


@cuda.jit
def vector_add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def block_sums(a, out):
    part = cuda.shared.array(128, numba.float64)
    t = cuda.threadIdx.x
    part[t] = 0
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        part[t] += a[i]
    cuda.syncthreads()
    n = cuda.blockDim.x // 2
    while n:
        if t < n:
            part[t] += part[t + n]
        cuda.syncthreads()
        n //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit(device=True)
def twice(v):
    return v + v


class Kernels(unittest.TestCase):
    """What kernels compute."""

    def test_vector_add(self):
        rng = np.random.default_rng(1)
        for dtype in (np.int8, np.uint16, np.int32, np.int64, np.float32, np.float64, np.complex64, np.complex128):
            for n in (1, 31, 1000):
                a = (rng.random(n) * 50).astype(dtype)
                b = (rng.random(n) * 50).astype(dtype)
                out = np.zeros_like(a)
                vector_add[(n + 63) // 64, 64](a, b, out)
                np.testing.assert_array_equal(out, a + b)

    def test_reduction(self):
        a = np.random.default_rng(2).random(10000)
        out = np.zeros(6)
        block_sums[6, 128](a, out)
        np.testing.assert_allclose(out.sum(), a.sum(), rtol=1e-13)
        total = cuda.reduce(lambda x, y: x + y)
        for n in (1, 32, 33, 5000):
            self.assertEqual(total(np.arange(n)), np.arange(n).sum())
        most = cuda.reduce(lambda x, y: max(x, y))
        self.assertEqual(most(a), a.max())

    def test_matrix_product(self):
        side = 8

        @cuda.jit
        def product(a, b, c):
            sa = cuda.shared.array((side, side), numba.float32)
            sb = cuda.shared.array((side, side), numba.float32)
            x, y = cuda.grid(2)
            tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
            total = numba.float32(0)
            for k in range(a.shape[1] // side):
                sa[tx, ty] = a[x, ty + k * side]
                sb[tx, ty] = b[tx + k * side, y]
                cuda.syncthreads()
                for i in range(side):
                    total += sa[tx, i] * sb[i, ty]
                cuda.syncthreads()
            c[x, y] = total

        rng = np.random.default_rng(3)
        a, b = rng.random((24, 40), dtype=np.float32), rng.random((40, 32), dtype=np.float32)
        c = np.zeros((24, 32), np.float32)
        product[(3, 4), (side, side)](a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)

    def test_memories(self):
        table = np.arange(10) * 1.5

        @cuda.jit
        def kernel(a, out):
            held = cuda.const.array_like(table)
            given = cuda.shared.array(0, numba.int32)
            own = cuda.local.array(10, numba.float64)
            t = cuda.threadIdx.x
            given[t] = a[t]
            for i in range(10):
                own[i] = held[i] * t
            cuda.syncthreads()
            other = cuda.blockDim.x - 1 - t
            out[t] = given[other] + own[t % 10]

        a, out = np.arange(64, dtype=np.int32) ** 2, np.zeros(64)
        kernel[1, 64, 0, 64 * 4](a, out)
        t = np.arange(64)
        np.testing.assert_array_equal(out, a[::-1] + table[t % 10] * t)

    def test_atomics(self):
        @cuda.jit
        def kernel(v, bins, most, least, total, cell, swaps):
            i = cuda.grid(1)
            cuda.atomic.add(bins, v[i] % bins.size, 1)
            cuda.atomic.max(most, 0, v[i])
            cuda.atomic.min(least, 0, v[i])
            cuda.atomic.add(total, 0, v[i] * 0.5)
            cuda.atomic.inc(cell, 0, 9)
            if cuda.atomic.cas(swaps, i // 32, 0, i + 1) == 0:
                cuda.atomic.add(swaps, 8, 1)

        v = np.random.default_rng(4).integers(0, 1 << 40, 256)
        bins, total = np.zeros(16, np.int32), np.zeros(1)
        most, least = np.zeros(1, np.int64), np.full(1, 1 << 62)
        cell, swaps = np.zeros(1, np.uint32), np.zeros(9, np.int32)
        kernel[4, 64](v, bins, most, least, total, cell, swaps)
        np.testing.assert_array_equal(bins, np.bincount(v % 16, minlength=16))
        self.assertEqual((most[0], least[0]), (v.max(), v.min()))
        np.testing.assert_allclose(total[0], v.sum() * 0.5, rtol=1e-12)
        self.assertEqual(cell[0], 256 % 10)
        self.assertEqual(swaps[8], 8)
        np.testing.assert_array_equal((swaps[:8] - 1) // 32, np.arange(8))

    def test_warps(self):
        @cuda.jit
        def kernel(v, out):
            t = cuda.threadIdx.x
            out[0, t] = cuda.shfl_sync(0xFFFFFFFF, v[t], (t + 1) % 32)
            out[1, t] = cuda.shfl_xor_sync(0xFFFFFFFF, v[t], 5)
            out[2, t] = cuda.ballot_sync(0xFFFFFFFF, v[t] > 50)
            out[3, t] = cuda.all_sync(0xFFFFFFFF, v[t] >= 0)
            out[4, t] = cuda.match_any_sync(0xFFFFFFFF, v[t] % 3)
            out[5, t] = cuda.popc(v[t]) * 100 + cuda.clz(numba.int32(v[t]))
            out[6, t] = cuda.laneid
            out[7, t] = cuda.activemask() if t < 7 else 0

        v = np.random.default_rng(5).integers(1, 100, 32)
        out = np.zeros((8, 32), np.int64)
        kernel[1, 32](v, out)
        t = np.arange(32)
        np.testing.assert_array_equal(out[0], np.roll(v, -1))
        np.testing.assert_array_equal(out[1], v[t ^ 5])
        np.testing.assert_array_equal(out[2] & 0xFFFFFFFF, np.full(32, sum(1 << i for i in range(32) if v[i] > 50)))
        self.assertTrue((out[3] == 1).all())
        same = [sum(1 << i for i in range(32) if v[i] % 3 == v[k] % 3) for k in range(32)]
        np.testing.assert_array_equal(out[4] & 0xFFFFFFFF, same)
        np.testing.assert_array_equal(out[5], [bin(x).count("1") * 100 + 32 - int(x).bit_length() for x in v])
        np.testing.assert_array_equal(out[6], t)
        np.testing.assert_array_equal(out[7][:7], np.full(7, 127))

    def test_mathematics(self):
        functions = {"sin": math.sin, "cos": math.cos, "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "tanh": math.tanh,
                     "erf": math.erf, "lgamma": math.lgamma, "log1p": math.log1p, "cbrt": None}
        for dtype, close in ((np.float64, 4e-15), (np.float32, 1e-6)):
            x = np.linspace(0.1, 9.5, 200).astype(dtype)
            for name, f in functions.items():
                if not f:
                    continue
                text = "def kernel(x, y):\n    i = cuda.grid(1)\n    if i < x.size:\n        y[i] = math.%s(x[i])\n" % name
                space = {"cuda": cuda, "math": math}
                exec(text, space)
                y = np.zeros_like(x)
                cuda.jit(space["kernel"])[2, 128](x, y)
                np.testing.assert_allclose(y, [f(v) for v in x], rtol=close, atol=close, err_msg=name)

    def test_halves_and_integers(self):
        @cuda.jit
        def kernel(h, out, ints):
            i = cuda.grid(1)
            out[i] = h[i] * h[i] + h[i]
            ints[i] = (ints[i] // 7) * 3 - (ints[i] % 7) + (ints[i] >> 2) ** 2

        h = np.linspace(-3, 3, 32).astype(np.float16)
        out, ints = np.zeros_like(h), np.arange(-16, 16)
        want = (ints // 7) * 3 - (ints % 7) + (ints >> 2) ** 2
        kernel[1, 32](h, out, ints)
        np.testing.assert_allclose(out.astype(np.float32), (h * h + h).astype(np.float32), rtol=2e-3, atol=2e-3)
        np.testing.assert_array_equal(ints, want)

    def test_device_functions(self):
        @cuda.jit(device=True)
        def gcd(a, b):
            while b:
                a, b = b, a % b
            return a

        @cuda.jit
        def kernel(a, b, out):
            i = cuda.grid(1)
            out[i] = twice(gcd(a[i], b[i]))

        rng = np.random.default_rng(6)
        a, b = rng.integers(1, 1000, 64), rng.integers(1, 1000, 64)
        out = np.zeros_like(a)
        kernel[2, 32](a, b, out)
        np.testing.assert_array_equal(out, 2 * np.gcd(a, b))

    def test_records(self):
        of = np.dtype([("a", np.int16), ("b", np.float64), ("c", np.int32, (3,))], align=True)

        @cuda.jit
        def kernel(r):
            i = cuda.grid(1)
            r[i].b = r[i].a * 0.25
            for k in range(3):
                r[i].c[k] = k - r[i].a

        r = np.zeros(40, of)
        r["a"] = np.arange(40) - 20
        kernel[1, 40](r)
        np.testing.assert_array_equal(r["b"], r["a"] * 0.25)
        np.testing.assert_array_equal(r["c"], np.arange(3) - r["a"][:, None].astype(np.int32))

    def test_grid_sync(self):
        @cuda.jit
        def kernel(a, b, rounds):
            g = cuda.cg.this_grid()
            i = cuda.grid(1)
            for r in range(rounds):
                b[(i + 1) % a.size] = a[i]
                g.sync()
                a[i] = b[i]
                g.sync()

        a = np.arange(6 * 96)
        b = np.zeros_like(a)
        want = np.roll(a, 5)
        kernel[6, 96](a, b, 5)
        np.testing.assert_array_equal(a, want)
        kernel.compile((numba.int64[::1], numba.int64[::1], numba.int64))
        self.assertGreaterEqual(next(iter(kernel.overloads.values())).max_cooperative_grid_blocks(96), 6)

    def test_ufuncs(self):
        @numba.vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
        def hypotenuse(a, b):
            return math.sqrt(a * a + b * b)

        @numba.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda")
        def product(a, b, c):
            for i in range(c.shape[0]):
                for j in range(c.shape[1]):
                    s = 0.0
                    for k in range(a.shape[1]):
                        s += a[i, k] * b[k, j]
                    c[i, j] = s

        rng = np.random.default_rng(7)
        for dtype in (np.float32, np.float64):
            a, b = rng.random((7, 50)).astype(dtype), rng.random((1, 50)).astype(dtype)
            np.testing.assert_allclose(hypotenuse(a, b), np.hypot(a, b), rtol=1e-6)
        self.assertAlmostEqual(hypotenuse.reduce(cuda.to_device(np.array([3.0, 4.0]))), 5.0)
        a, b = rng.random((9, 3, 4)), rng.random((9, 4, 5))
        np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-13)

    def test_random(self):
        from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32

        @cuda.jit
        def kernel(states, u, g):
            i = cuda.grid(1)
            u[i] = xoroshiro128p_uniform_float32(states, i)
            g[i] = xoroshiro128p_normal_float64(states, i)

        told = []
        for seed in (1, 1, 2):
            u, g = np.zeros(1024, np.float32), np.zeros(1024)
            kernel[8, 128](create_xoroshiro128p_states(1024, seed=seed), u, g)
            self.assertTrue((u >= 0).all() and (u <= 1).all() and abs(u.mean() - 0.5) < 0.05)
            self.assertTrue(abs(g.mean()) < 0.15 and abs(g.std() - 1) < 0.1)
            told.append(u)
        np.testing.assert_array_equal(told[0], told[1])
        self.assertTrue((told[0] != told[2]).any())

    def test_linked_source(self):
        text = """
            extern "C" __device__ int triangle(int *result, int n)
            {
                int s = 0;
                for (int i = 1; i <= n; i++)
                    s += i;
                *result = s;
                return 0;
            }
        """
        triangle = cuda.declare_device("triangle", "int32(int32)", link=cuda.CUSource(text))

        @cuda.jit
        def kernel(out):
            i = cuda.grid(1)
            out[i] = triangle(i)

        out = np.zeros(50, np.int32)
        kernel[1, 50](out)
        np.testing.assert_array_equal(out, [i * (i + 1) // 2 for i in range(50)])


class Memory(unittest.TestCase):
    """Arrays on the device and on the host."""

    def test_device_arrays(self):
        a = np.arange(120, dtype=np.float32).reshape(4, 5, 6)
        d = cuda.to_device(a)
        np.testing.assert_array_equal(d[1:3, ::2, -1].copy_to_host(), a[1:3, ::2, -1])
        np.testing.assert_array_equal(d.reshape(20, 6).copy_to_host(), a.reshape(20, 6))
        np.testing.assert_array_equal(d.ravel().copy_to_host(), a.ravel())
        e = cuda.device_array_like(d)
        e.copy_to_device(d)
        e[0, 0, :] = 7
        a[0, 0, :] = 7
        np.testing.assert_array_equal(e.copy_to_host(), a)
        t = cuda.to_device(np.asfortranarray(a[0]))
        np.testing.assert_array_equal(t.T.copy_to_host(), a[0].T)
        shared = cuda.as_cuda_array(e)
        self.assertEqual(shared.__cuda_array_interface__["data"], e.__cuda_array_interface__["data"])
        self.assertTrue(cuda.is_cuda_array(e))

    def test_host_memory(self):
        n = 500
        b = np.arange(n, dtype=np.float64)
        for made in (cuda.pinned_array(n), cuda.mapped_array(n), cuda.managed_array(n)):
            made[:] = 3
            out = cuda.mapped_array(n) if cuda.cudadrv.driver.is_device_memory(made) else np.zeros(n)
            vector_add[4, 128](made, b, out)
            cuda.synchronize()
            np.testing.assert_array_equal(out, b + 3)
        with cuda.pinned(b):
            d = cuda.to_device(b, stream=cuda.stream())
            np.testing.assert_array_equal(d.copy_to_host(), b)
        with cuda.mapped(b) as d:
            vector_add[4, 128](d, d, d)
            cuda.synchronize()
        np.testing.assert_array_equal(b, 2 * np.arange(n))

    def test_figures(self):
        context = cuda.current_context()
        free, total = context.get_memory_info()
        self.assertTrue(0 < free <= total)
        held = cuda.device_array(1 << 26, np.uint8)
        self.assertLessEqual(context.get_memory_info()[0], free - (1 << 26))
        del held
        device = cuda.get_current_device()
        self.assertEqual(device.name.decode() if isinstance(device.name, bytes) else device.name, heddle.gpu()["name"])
        self.assertEqual("%d.%d" % device.compute_capability, heddle.gpu()["compute_cap"])
        self.assertEqual((device.WARP_SIZE, len(cuda.gpus)), (32, 1))


class Order(unittest.TestCase):
    """Streams, events and threads of the host."""

    def test_streams(self):
        streams = [cuda.stream() for _ in range(3)]
        a = [np.full(1000, i, np.int64) for i in range(3)]
        given = [cuda.to_device(x, stream=s) for x, s in zip(a, streams)]
        for d, s in zip(given, streams):
            for _ in range(4):
                vector_add[8, 128, s](d, d, d)
        out = [d.copy_to_host(stream=s) for d, s in zip(given, streams)]
        for i, s in enumerate(streams):
            s.synchronize()
            np.testing.assert_array_equal(out[i], np.full(1000, 16 * i))

    def test_events(self):
        first, last = cuda.event(), cuda.event()
        s = cuda.stream()
        d = cuda.to_device(np.ones(100), stream=s)
        first.record(s)
        vector_add[1, 128, s](d, d, d)
        last.record(s)
        last.synchronize()
        self.assertTrue(first.query() and last.query())
        self.assertGreaterEqual(cuda.event_elapsed_time(first, last), 0)
        other = cuda.stream()
        last.wait(other)
        np.testing.assert_array_equal(d.copy_to_host(stream=other), np.full(100, 2.0))

    def test_host_threads(self):
        results = {}

        def work(k):
            d = cuda.to_device(np.full(200, k))
            for _ in range(5):
                vector_add[2, 128](d, d, d)
            results[k] = d.copy_to_host()

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k in range(4):
            np.testing.assert_array_equal(results[k], np.full(200, 32 * k))


class Words(unittest.TestCase):
    """What kernels print, what is said of them, and what goes wrong. Errors that end a context have a process of their own."""

    def in_process(self, text):
        """Both outputs of Python on a program, and its exit status."""
        lines = ["import numpy as np", "from numba import cuda"] + [line[12:] for line in text.strip("\n").split("\n")]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as f:
                f.write("\n".join(lines) + "\n")
            done = subprocess.run([sys.executable, "-W", "ignore", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=300)
        return done.stdout, done.returncode

    def test_print(self):
        said, status = self.in_process("""
            @cuda.jit
            def kernel(v):
                i = cuda.grid(1)
                if i < 3:
                    print("thread", i, v[i], -i)
            kernel[1, 32](np.array([1.5, 2.5, -3.25]))
            cuda.synchronize()
        """)
        self.assertEqual(status, 0, said)
        for line in ("thread 0 1.500000 0", "thread 1 2.500000 -1", "thread 2 -3.250000 -2"):
            self.assertIn(line, said)

    def test_exceptions(self):
        said, status = self.in_process("""
            @cuda.jit(debug=True, opt=False)
            def kernel(v):
                i = cuda.grid(1)
                if v[i] == 5:
                    raise ValueError("five at this place")
            kernel[1, 4](np.arange(4))
            try:
                kernel[1, 8](np.arange(8))
            except ValueError as e:
                print("told:", e)
        """)
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"told: .*program.py, line 7, tid=\[0, 0, 5\] ctaid=\[0, 0, 0\]: five at this place")

    def test_bad_access(self):
        said, status = self.in_process("""
            @cuda.jit
            def kernel(v):
                v[cuda.grid(1) + (1 << 33)] = 1
            try:
                kernel[1, 8](cuda.to_device(np.arange(8)))
                cuda.synchronize()
            except cuda.cudadrv.driver.CudaAPIError as e:
                print("told:", e)
        """)
        self.assertRegex(said, "told: .*ILLEGAL_ADDRESS")
        self.assertRegex(said, "heddle: kernel .*kernel.*: illegal address: 8-byte write of global memory at .*\n.*thread \\(0,0,0\\)")

    def test_bad_launches(self):
        @cuda.jit(launch_bounds=64)
        def bounded(v):
            v[cuda.grid(1)] = 1

        v = cuda.device_array(4096, np.int32)
        bounded[1, 64](v)
        for kernel, grid, block, shared in ((bounded, 1, 65, 0), (bounded, 1, 64, 1 << 20), (bounded, 1, 2048, 0)):
            with self.assertRaises(Exception) as caught:
                kernel[grid, block, 0, shared](v)
            self.assertRegex(str(caught.exception), "INVALID_VALUE|invalid argument")
        bounded[64, 64](v)
        np.testing.assert_array_equal(v.copy_to_host(), np.ones(4096))

    def test_no_memory(self):
        with self.assertRaises(Exception) as caught:
            cuda.device_array(1 << 50, np.uint8)
        self.assertIn("OUT_OF_MEMORY", str(caught.exception))
        np.testing.assert_array_equal(cuda.to_device(np.arange(5)).copy_to_host(), np.arange(5))

    def test_kernels_tell(self):
        kernel = cuda.jit("void(float64[::1], float64[::1])")(block_sums.py_func)
        self.assertEqual(kernel.get_shared_mem_per_block(), 128 * 8)
        self.assertTrue(0 < kernel.get_regs_per_thread() <= 255)
        self.assertEqual(kernel.get_local_mem_per_thread(), 0)
        self.assertTrue(0 < kernel.get_max_threads_per_block() <= 1024)
        self.assertIn(".entry", list(kernel.inspect_asm().values())[0])


# --- numba-cuda's own tests

def modules():
    import numba_cuda
    top = os.path.join(os.path.dirname(numba_cuda.__file__), "numba", "cuda", "tests")
    found = []
    for folder, _, files in os.walk(top):
        inner = os.path.relpath(folder, top).replace(os.sep, ".")
        found += ["%s.%s" % (inner, f[:-3]) for f in files if f.startswith("test_") and f.endswith(".py")]
    return sorted(found)


def counts(path):
    """Passed, failed, skipped, and what failed, of a file that pytest wrote."""
    passed = failed = skipped = 0
    names = []
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        kinds = {c.tag: c for c in case}
        bad = kinds.get("failure", kinds.get("error"))
        if bad is not None:
            failed += 1
            names.append("%s.%s: %s" % (case.get("classname").strip("."), case.get("name"), (bad.get("message") or "").split("\n")[0][:200]))
        elif "skipped" in kinds:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped, names


def suite(asked):
    total = [0, 0, 0]
    began = time.time()
    # What the tests expect beside them, and a wheel of numba-cuda has not.
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "pytest.ini"), "w") as f:
            f.write("[pytest]\nconsider_namespace_packages = true\n")
        with open(os.path.join(folder, "conftest.py"), "w") as f:
            f.write("import pytest\n@pytest.fixture(scope='class')\ndef initialize_from_pytest_config(request):\n"
                    "    request.cls._dump_failed_filechecks = False\n")
        for module in modules() if asked == "all" else asked.split():
            report, log, start = os.path.join(folder, "report.xml"), os.path.join(folder, "log"), time.time()
            if os.path.exists(report):
                os.remove(report)
            words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", report, "--pyargs", "numba.cuda.tests." + module]
            ended = "1 failed: "
            with open(log, "w") as f:
                try:
                    status = subprocess.run(words, cwd=folder, stdout=f, stderr=f, timeout=MODULE_SECONDS).returncode
                    ended += "exit status %d" % status
                except subprocess.TimeoutExpired:
                    ended += "no end in %d s" % MODULE_SECONDS
            try:
                passed, failed, skipped, names = counts(report)
            except (OSError, xml.etree.ElementTree.ParseError):
                passed, failed, skipped, names = 0, 1, 0, [ended]
            total = [x + y for x, y in zip(total, (passed, failed, skipped))]
            print("%-45s %4d passed %3d failed %3d skipped %5d s" % (module, passed, failed, skipped, time.time() - start))
            for name in names:
                print("    FAIL " + name)
            sys.stdout.flush()
    print("numba-cuda %s: %d passed, %d failed, %d skipped, %d s" % (numba_cuda_version(), total[0], total[1], total[2], time.time() - began))
    return total[0] > 0 and total[0] >= ENOUGH * (total[0] + total[1])


def numba_cuda_version():
    from importlib.metadata import version
    return version("numba-cuda")


if __name__ == "__main__":
    result = unittest.main(exit=False, warnings="ignore").result
    good = result.wasSuccessful()
    said = "%d programs on numba-cuda %s, %d wrong" % (result.testsRun, numba_cuda_version(), len(result.failures) + len(result.errors))
    if os.environ.get("HEDDLE_NUMBA_SUITE"):
        good = suite(os.environ["HEDDLE_NUMBA_SUITE"]) and good
    print(said)
    sys.exit(0 if good else 1)
