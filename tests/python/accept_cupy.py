"""CuPy on the simulated GPU: each case runs with NumPy and with CuPy, or compares what a kernel wrote with what it should.

    python -m heddle run -stats_file /dev/null tests/python/accept_cupy.py [NAME...]

Integers and what only moves or selects must be the same; floating point may differ as sums in another order do (CLOSE). One line per
case; the last line counts. Exit status 77 without CuPy. Where CUPY_SUITES names the folder tests/ of CuPy's source archive, its own
suites run too (cupy_suites.py)."""

import os
import sys

try:
    import cupy
    import numpy
except ImportError as e:
    print("CuPy is not installed: %s" % e)
    sys.exit(77)

import acceptance
import cupy_suites

# Relative and absolute difference that two orders of a sum, or two good approximations of a function, may have.
CLOSE = {"float64": (1e-10, 1e-12), "complex128": (1e-10, 1e-12), "float32": (2e-5, 2e-5), "complex64": (2e-5, 2e-5), "float16": (4e-3,
         4e-3)}
CASES = {}


def case(function):
    """Makes a case of a function of numpy or cupy, which returns what is compared."""
    CASES[function.__name__] = lambda: (function(cupy), function(numpy))
    return function


def device_case(function):
    """Makes a case of a function that returns what CuPy gave and what it should have given."""
    CASES[function.__name__] = function
    return function


def rand(xp, *shape, dtype="float32", scale=1.0, seed=1):
    """Normal numbers, the same ones for both."""
    r = numpy.random.RandomState(seed)
    values = r.standard_normal(shape) * scale
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * r.standard_normal(shape) * scale
    return xp.asarray(values.astype(dtype))


# Arrays: making them, moving them, seeing them another way.


@case
def making(xp):
    return [xp.arange(1000), xp.zeros((33, 65)), xp.full((7, 3), 2.5), xp.eye(17), xp.linspace(-3, 3, 101), xp.ones(5, dtype="?"),
            xp.logspace(0, 3, 20), xp.tri(9, 7, 1), xp.meshgrid(xp.arange(4), xp.arange(6)), xp.indices((3, 5)), xp.diag(xp.arange(6))]


@case
def shapes(xp):
    x = rand(xp, 6, 7, 8)
    return [x.T.copy(), x.transpose(1, 2, 0).copy(), xp.concatenate([x, x * 2], 1), xp.stack([x, -x]), xp.flip(x, 1), xp.roll(x, 3, 1),
            xp.tile(x, (2, 1, 3)), x[:, ::2, 1:-1].copy(), x.reshape(42, 8)[5:9], xp.broadcast_to(x, (2, 6, 7, 8)).copy(), xp.repeat(x, 3,
                                                                                                                                     2),
            xp.pad(x, ((1, 2), (0, 0), (2, 2)), mode="reflect"), xp.array_split(x, 4), xp.rot90(x), x.swapaxes(0, 2).ravel()]


@case
def conversions(xp):
    x = rand(xp, 999, scale=50)
    kinds = ["float64", "float16", "int64", "int32", "int16", "int8", "?", "complex64"]
    return [x.astype(k) for k in kinds] + [x.astype(k).astype("float32") for k in kinds[:-1]] + [abs(x).astype("uint8"), x.view("int32")]


@case
def indexing(xp):
    x, at = rand(xp, 50, 40), xp.asarray([3, 7, 7, -1, 0])
    y = x.copy()
    y[at[:2]] = 5
    y[x > 1] = -1
    y[:, 3:9] += x[:, 13:19]
    return [x[at], x[at, at], x[x > 0], x[..., None, 2], y, xp.where(x > 0, x, -2), xp.take(x, at, 1), xp.nonzero(x > 1.5),
            xp.argwhere(x < -2),
            xp.choose(xp.arange(40) % 2, x[:2]), xp.compress(x[0] > 0, x, 1), xp.unravel_index(xp.arange(0, 2000, 77), (50, 40))]


@device_case
def scattered_adds():
    """With repeated places the order of the sums is free, so they are of integers."""
    at = numpy.random.RandomState(2).randint(0, 20, 3000)
    got, want = cupy.zeros(20, "int64"), numpy.zeros(20, "int64")
    cupy.add.at(got, cupy.asarray(at), cupy.arange(3000))
    numpy.add.at(want, at, numpy.arange(3000))
    return [got, cupy.bincount(cupy.asarray(at)), cupy.histogram(cupy.asarray(at), 7)[0]], [want, numpy.bincount(at), numpy.histogram(at,
                                                                                            7)[0]]


# Functions of elements.


@case
def arithmetic(xp):
    out = []
    for kind in ("int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"):
        a, b = (rand(xp, 257, dtype=kind if numpy.dtype(kind).kind in "fc" else "float64", scale=20, seed=s) for s in (1, 2))
        a, b = (abs(v).astype(kind) if kind == "uint16" else v.astype(kind) for v in (a, b))
        b = xp.where(abs(b) < 1, xp.ones_like(b), b)
        out += [a + b, a - b, a * b, a == b, a != b, -a if kind != "uint16" else a, a ** 2]
        if numpy.dtype(kind).kind != "c":
            out += [a // b, a % b, a < b, xp.maximum(a, b), xp.sign(a), xp.clip(a, 1, 9), divmod(a, b)]
        if numpy.dtype(kind).kind in "iu":
            out += [a & b, a | b, a ^ b, ~a, a << 2, a >> 1, xp.gcd(a, b), xp.lcm(a.astype("int64"), b.astype("int64"))]
    return out


@case
def functions(xp):
    x, p = rand(xp, 500, dtype="float64", scale=3), abs(rand(xp, 500, dtype="float64")) + 0.01
    names = "sin cos tan exp expm1 sinh cosh tanh arcsinh arctan floor ceil trunc rint cbrt square degrees sinc i0 fabs".split()
    positive = "log log2 log10 log1p sqrt reciprocal".split()
    out = [getattr(xp, n)(x) for n in names] + [getattr(xp, n)(p) for n in positive]
    out += [xp.arcsin(x / 20), xp.arccos(x / 20), xp.arctanh(x / 20), xp.arccosh(p + 1), xp.hypot(x, p), xp.arctan2(x, p), xp.power(p, x),
            xp.logaddexp(x, p), xp.copysign(p, x), xp.nextafter(x, p), xp.fmod(x, p), xp.ldexp(x, xp.arange(500) % 9), xp.isnan(x / 0),
            xp.heaviside(x, 0.5)]
    return out + [xp.frexp(x), xp.modf(x), xp.signbit(x), xp.float32(1.5) * x.astype("float32"), xp.sin(x.astype("float32")),
                  xp.exp(x.astype("float16"))]


@case
def complex_numbers(xp):
    x = rand(xp, 300, dtype="complex128")
    return [abs(x), xp.angle(x), x.conj(), x.real * x.imag, xp.exp(x), xp.log(x), xp.sqrt(x), xp.sin(x), xp.tanh(x), x / (x + 2), x ** 3,
            xp.sum(x), xp.prod(x[:9])]


@case
def reductions(xp):
    x = rand(xp, 31, 70, 5)
    out = []
    for axis in (None, 0, 1, (0, 2), -1):
        out += [f(x, axis=axis) for f in (xp.sum, xp.mean, xp.std, xp.max, xp.min, xp.any, xp.all, xp.median)]
    for axis in (None, 0, 1):
        out += [xp.argmax(x, axis=axis), xp.argmin(x, axis=axis), xp.nansum(x, axis=axis), xp.count_nonzero(x > 0, axis=axis)]
    return out + [xp.prod(x[:3, :3, 0]), xp.var(x, ddof=1), xp.ptp(x, axis=0), xp.average(x, weights=abs(x) + 1), xp.sum(x > 0),
                  xp.sum(x.astype("int8")),
                  xp.percentile(x, [5, 50, 95]), xp.linalg.norm(x), xp.trace(x[:, :31, 0]), xp.cov(x[:, :, 0]), xp.corrcoef(x[:4, :, 0])]


@case
def scans(xp):
    x = rand(xp, 20, 333, dtype="float64")
    whole = (x * 9).astype("int64")
    return [xp.cumsum(x), xp.cumsum(x, 0), xp.cumsum(x, 1), xp.cumprod(x[:, :9], 1), xp.cumsum(whole), xp.cumsum(whole.astype("?")),
            xp.diff(x, 2), xp.gradient(x[0]),
            xp.cumsum(xp.arange(100000)), xp.ediff1d(x[0]), xp.interp(xp.linspace(0, 9, 50), xp.arange(10.0), xp.arange(10.0) ** 2)]


@case
def sorting(xp):
    x = rand(xp, 7, 500)
    doubled = xp.concatenate([x, x], 1)
    keys = xp.stack([xp.asarray(numpy.random.RandomState(s).randint(0, 9, 400)) for s in range(3)])
    out = [xp.sort(x), xp.sort(x, 0), xp.argsort(x), xp.argsort(doubled, kind="stable"), xp.lexsort(keys), xp.sort(x[0])[::-1],
           xp.sort(xp.arange(5000) * 7919 % 5000),
           xp.partition(x, 9)[:, 9], xp.sort_complex(x[0] + 1j * x[1])]
    for kind in ("int8", "uint8", "int16", "uint32", "int64", "uint64", "float16", "float64"):
        out.append(xp.sort((abs(x) * 40).astype(kind), axis=None))
    return out + [xp.unique(keys), xp.unique(keys, return_counts=True, return_inverse=True), xp.searchsorted(xp.sort(x[0]), x[1]),
                  xp.isin(keys[0], keys[1][:3]),
                  xp.digitize(x[0], xp.asarray([-1.0, 0, 1])), xp.setdiff1d(keys[0], keys[1][:2]),
                  xp.sort(xp.asarray([3, xp.nan, 1, -xp.inf]))]


# Products, by the stand-in for cuBLAS.


@case
def products(xp):
    out = []
    for kind in ("float16", "float32", "float64", "complex64", "complex128", "int32"):
        if kind == "int32":
            a, b = xp.arange(35 * 20).reshape(35, 20).astype(kind), xp.arange(20 * 41).reshape(20, 41).astype(kind)
        else:
            a, b = rand(xp, 35, 20, dtype=kind), rand(xp, 20, 41, dtype=kind, seed=2)
        out += [a @ b, b.T @ a.T, a @ b[:, 3], xp.dot(a[0], b[:, 1]), xp.vdot(a[0], a[1]), xp.inner(a, a), xp.outer(a[0], b[0]),
                xp.tensordot(a, b, 1)]
    a, b = rand(xp, 5, 9, 13), rand(xp, 5, 13, 6)
    out += [a @ b, xp.matmul(a, b[0]), xp.einsum("bij,bjk->bik", a, b), xp.einsum("bij->ji", a), xp.einsum("ij,ij->", a[0], a[1]),
            xp.kron(a[0, :3, :3], b[0, :2])]
    return out + [xp.dot(rand(xp, 130, 140), rand(xp, 140, 150)), xp.linalg.matrix_power(rand(xp, 8, 8, dtype="float64"), 5),
                  xp.cross(a[0, :, :3], a[1, :, :3])]


# Kernels of one's own.


@device_case
def raw_kernel():
    source = r"""
    extern "C" __global__ void scale(const float *x, float *y, float by, int n)
    {
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n)
            y[i] = by * x[i] + threadIdx.x;
    }"""
    x = rand(cupy, 1000)
    y = cupy.empty_like(x)
    kernel = cupy.RawKernel(source, "scale")
    kernel((8,), (128,), (x, y, numpy.float32(3), numpy.int32(1000)))
    want = numpy.float32(3) * x.get() + numpy.arange(1000) % 128
    return [y, kernel.max_threads_per_block, kernel.const_size_bytes], [want.astype("f"), 1024, 0]


@device_case
def raw_module():
    source = r"""
    #include <cuda_fp16.h>
    template <typename T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value + T(threadIdx.x); }
    __constant__ int table[4];
    extern "C" __global__ void look(int *out) { out[threadIdx.x] = table[threadIdx.x % 4]; }
    extern "C" __global__ void sums(const int *x, int *out)
    {
        extern __shared__ int part[];
        part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
        for (int n = blockDim.x / 2; n; n /= 2) {
            __syncthreads();
            if (threadIdx.x < n)
                part[threadIdx.x] += part[threadIdx.x + n];
        }
        if (!threadIdx.x)
            atomicAdd(out, part[0]);
    }"""
    module = cupy.RawModule(code=source, options=("--std=c++17",), name_expressions=["fill<double>", "fill<unsigned char>", "fill<__half>"])
    got, want = [], []
    for name, kind in (("fill<double>", "float64"), ("fill<unsigned char>", "uint8"), ("fill<__half>", "float16")):
        x = cupy.zeros(64, kind)
        module.get_function(name)((1,), (64,), (x, x.dtype.type(5)))
        got.append(x)
        want.append((numpy.arange(64) + 5).astype(kind))
    table = cupy.ndarray(4, "int32", module.get_global("table"))
    table[:] = cupy.asarray([9, 8, 7, 6], "int32")
    x, total = cupy.empty(10, "int32"), cupy.zeros(1, "int32")
    module.get_function("look")((1,), (10,), (x,))
    values = cupy.arange(2048, dtype="int32")
    module.get_function("sums")((8,), (256,), (values, total), shared_mem=1024)
    return got + [x, total], want + [numpy.resize([9, 8, 7, 6], 10).astype("int32"), numpy.asarray([2048 * 2047 // 2], "int32")]


@device_case
def mistakes_in_kernels():
    try:
        cupy.RawKernel("extern \"C\" __global__ void f(int *x) { x[0] = nothing; }", "f")((1,), (1,), (cupy.zeros(1, "i"),))
        text = "no error"
    except cupy.cuda.compiler.CompileException as e:
        text = str(e)
    try:
        cupy.RawKernel("extern \"C\" __global__ void f() {}", "g").compile()
        missing = "no error"
    except cupy.cuda.driver.CUDADriverError as e:
        missing = str(e)
    try:
        cupy.RawKernel("extern \"C\" __global__ void f() {}", "f")((1,), (4096,), ())
        big = "no error"
    except cupy.cuda.driver.CUDADriverError as e:
        big = str(e)
    return ["nothing" in text, missing.split(":")[0], big.split(":")[0]], [True, "CUDA_ERROR_NOT_FOUND", "CUDA_ERROR_INVALID_VALUE"]


@device_case
def kernels_of_expressions():
    squares = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y) + i", "accept_squares")
    lengths = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "accept_lengths")
    x, y = rand(cupy, 40, 50), rand(cupy, 50, seed=2)
    a, b = x.get(), y.get()

    @cupy.fuse()
    def fused(x, y):
        return cupy.sqrt(cupy.absolute(x)) + y * 2

    wanted = (a - b) ** 2 + numpy.arange(2000, dtype="f").reshape(40, 50)
    return [squares(x, y), lengths(x), lengths(x, axis=1), fused(x, y)], [wanted, numpy.sqrt((a * a).sum()), numpy.sqrt((a * a).sum(1)),
                                                                          numpy.sqrt(abs(a)) + b * 2]


@device_case
def functions_of_python():
    from cupyx import jit

    @jit.rawkernel()
    def add(x, y, n):
        at = jit.grid(1)
        if at < n:
            y[at] += x[at]

    @cupy.vectorize
    def larger(a, b):
        if a > b:
            return a
        return b

    x, y = cupy.arange(500.0), cupy.ones(500)
    add[4, 128](x, y, 500)
    return [y, larger(x, cupy.asarray(250.0))], [numpy.arange(500.0) + 1, numpy.maximum(numpy.arange(500.0), 250)]


@case
def random_numbers(xp):
    """Moments: the generators are others than NumPy's."""
    if xp is numpy:
        return [True] * 8
    xp.random.seed(3)
    x, y, g = xp.random.rand(20000), xp.random.randn(20000), xp.random.default_rng(5)
    xp.random.seed(3)
    again = xp.random.rand(20000)
    near = [abs(x.mean() - 0.5) < 0.01, abs(x.var() - 1 / 12) < 0.005, abs(y.mean()) < 0.03, abs(y.std() - 1) < 0.03, (x == again).all(),
            abs(g.random(20000).mean() - 0.5) < 0.01, (xp.sort(xp.random.permutation(500)) == xp.arange(500)).all(),
            abs(g.poisson(4, 5000).mean() - 4) < 0.15]
    return [bool(v) for v in near]


# Streams, memory, textures.


@device_case
def streams_and_events():
    a, b = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream()
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    with a:
        start.record()
        x = cupy.arange(10000)
        y = x * 2
        end.record()
    b.wait_event(end)
    with b:
        z = y + 1
    b.synchronize()
    end.synchronize()
    called = []
    a.launch_host_func(called.append, 7)
    a.synchronize()
    elapsed = cupy.cuda.get_elapsed_time(start, end)
    return [z, elapsed >= 0, end.done and a.done, called], [numpy.arange(10000) * 2 + 1, True, True, [7]]


@device_case
def graphs():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.zeros(100)
        x += 1
        stream.begin_capture()
        x += 2
        x *= 3
        graph = stream.end_capture()
        graph.launch()
        graph.launch()
    stream.synchronize()
    return [x], [numpy.full(100, 33.0)]


@device_case
def memory():
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.used_bytes()
    x = cupy.zeros(1 << 20, "uint8")
    used = pool.used_bytes() - before
    del x
    kept, after = pool.total_bytes() >= 1 << 20, pool.used_bytes() - before
    pinned = cupy.cuda.alloc_pinned_memory(4000)
    host = numpy.frombuffer(pinned, "float32", 1000)
    host[:] = numpy.arange(1000)
    stream = cupy.cuda.Stream()
    device, back = cupy.empty(1000, "float32"), numpy.zeros(1000, "float32")
    device.set(host, stream)
    device.get(stream, out=back)
    stream.synchronize()
    with cupy.cuda.using_allocator(cupy.cuda.malloc_async):
        late = cupy.arange(50) + 1
    with cupy.cuda.using_allocator(cupy.cuda.malloc_managed):
        managed = cupy.arange(50) + 2
    free, total = cupy.cuda.runtime.memGetInfo()
    capsule = cupy.from_dlpack(device)
    return [used, kept, after, back, late, managed, 0 < free <= total, capsule], [
        1 << 20, True, 0, numpy.arange(1000, dtype="f"), numpy.arange(50) + 1, numpy.arange(50) + 2, True, numpy.arange(1000, dtype="f")]


@device_case
def too_much_memory():
    try:
        cupy.empty(1 << 50, "uint8")
        text = "no error"
    except cupy.cuda.memory.OutOfMemoryError:
        text = "out of memory"
    return [text, cupy.arange(3)], ["out of memory", numpy.arange(3)]


@device_case
def textures():
    from cupy.cuda import runtime, texture

    source = r"""
    extern "C" __global__ void points(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out, int width)
    {
        int x = threadIdx.x, y = blockIdx.x;
        float v = tex2D<float>(t, x + 0.5f, y + 0.5f);
        out[y * width + x] = tex2D<float>(t, x + 1.0f, y + 0.5f);
        surf2Dwrite(v * 2, s, x * sizeof(float), y);
    }"""
    values = numpy.arange(12 * 32, dtype="float32").reshape(12, 32)
    arrays = []
    for flags in (0, runtime.cudaArraySurfaceLoadStore):
        channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
        arrays.append(texture.CUDAarray(channel, 32, 12, 0, flags))
    arrays[0].copy_from(values)
    resources = [texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=a) for a in arrays]
    how = texture.TextureDescriptor((runtime.cudaAddressModeClamp, runtime.cudaAddressModeClamp), runtime.cudaFilterModeLinear,
                                    runtime.cudaReadModeElementType)
    looked, surface = texture.TextureObject(resources[0], how), texture.SurfaceObject(resources[1])
    out = cupy.empty((12, 32), "float32")
    cupy.RawKernel(source, "points", backend="nvrtc")((12,), (32,), (looked, surface, out, numpy.int32(32)))
    doubled = numpy.empty_like(values)
    arrays[1].copy_to(doubled)
    between = values + 0.5
    between[:, -1] = values[:, -1]
    return [out, doubled], [between, values * 2]


@device_case
def libraries_without_a_stand_in():
    """Those of NVIDIA that cannot run here end in a status of theirs."""
    from cupy_backends.cuda.libs import cusolver
    from cupy.cuda import cufft

    said = []
    for call, error in ((lambda: cupy.fft.fft(cupy.arange(8.0)), cufft.CuFFTError), (lambda: cupy.linalg.svd(cupy.eye(3)),
                        cusolver.CUSOLVERError)):
        try:
            call()
            said.append("no error")
        except error:
            said.append("its error")
    return said + [cupy.arange(5) + 1], ["its error", "its error", numpy.arange(5) + 1]


def pairs(a, b, path=""):
    """What is to be compared in two results, with the way to it."""
    if isinstance(b, (list, tuple)):
        if not isinstance(a, (list, tuple)) or len(a) != len(b):
            yield path + " (how many)", a, b
            return
        for i, (x, y) in enumerate(zip(a, b)):
            yield from pairs(x, y, "%s[%d]" % (path, i))
    else:
        yield path, a, b


def difference(got, want):
    """None if they are equal or near enough, else how they differ."""
    got = got.get() if isinstance(got, cupy.ndarray) else got
    a, b = numpy.asarray(got), numpy.asarray(want)
    if a.shape != b.shape:
        return "has shape %s, not %s" % (a.shape, b.shape)
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        relative, absolute = max((CLOSE[k.name] for k in (a.dtype, b.dtype)))
        same = numpy.isclose(a, b, rtol=relative, atol=absolute * max(1.0,
                             float(numpy.nanmax(abs(b), initial=0, where=numpy.isfinite(b)))), equal_nan=True)
    else:
        same = a == b
    if numpy.all(same):
        return None
    at = tuple(int(i) for i in numpy.argwhere(~numpy.asarray(same))[0])
    return "is %r, not %r, at %s; %d of %d differ" % (a[at], b[at], at, int(numpy.sum(~numpy.asarray(same))), a.size)


def run(function):
    """None if a case's results are as they should be, else what differs."""
    got, want = function()
    compared = 0
    for path, a, b in pairs(got, want):
        text = difference(a, b)
        if text:
            return "%s %s" % (path, text)
        compared += 1
    return None if compared else "compares nothing"


def main(names):
    numpy.seterr(all="ignore")
    failed, said = acceptance.run("CuPy %s" % cupy.__version__, CASES, run, names)
    folder = os.environ.get("CUPY_SUITES")
    status = cupy_suites.run(folder) if folder and not names else 0
    print(said)
    return 1 if failed or status else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
