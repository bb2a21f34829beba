"""Triton on the simulated GPU: kernels, compiled by Triton and its ptxas, give what PyTorch gives on the CPU.

    python -m heddle run -stats_file /dev/null tests/python/accept_triton.py [NAME...]

Cases that need a GPU of capability 9.0 are skipped on older ones. Exit status 77 without Triton, PyTorch or a C compiler, which Triton
makes its launchers with."""

import os
import shutil
import sys
import tempfile

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
try:
    import torch
    import torch.nn.functional as F
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError as e:
    print("Triton or PyTorch is not installed: %s" % e)
    sys.exit(77)
if not torch.version.cuda or not shutil.which(os.environ.get("CC", "gcc")):
    print("this PyTorch was built without CUDA" if not torch.version.cuda else "there is no C compiler")
    sys.exit(77)

import acceptance

CASES = {}
HOPPER = torch.cuda.get_device_capability()[0] == 9
ONLY_90 = set()


def case(function):
    """Makes a case of a function that checks itself."""
    CASES[function.__name__] = function
    return function


def hopper(function):
    """A case for GPUs of capability 9.0."""
    ONLY_90.add(function.__name__)
    return case(function)


def close(got, want, relative=1e-5, absolute=1e-5):
    torch.testing.assert_close(got.cpu().to(want.dtype), want, rtol=relative, atol=absolute)


def same(got, want):
    close(got, want, 0, 0)


def rand(*shape, dtype=torch.float32, scale=1.0, seed=1):
    """Normal numbers on the CPU, rounded to a type."""
    g = torch.Generator().manual_seed(seed + sum(shape))
    return (torch.randn(*shape, generator=g) * scale).to(dtype)


# Elements, rows, order.


@triton.jit
def functions_of(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask, other=1.0)
    a = tl.abs(x) + 0.5
    y = tl.exp(-a) + tl.log(a) * tl.sin(x) - tl.cos(x) * tl.sqrt(a) + tl.rsqrt(a) + tl.erf(x) + tl.exp2(-a) + tl.log2(a)
    y += libdevice.tanh(x) + libdevice.atan2(x, a) + libdevice.pow(a, x) + tl.floor(x) + tl.ceil(x) + tl.div_rn(x, a)
    tl.store(y_ptr + at, tl.where(x > 0, y, tl.fma(x, a, -y)), mask=mask)


@case
def functions():
    x = rand(3001)
    y = torch.empty_like(x, device="cuda")
    functions_of[(triton.cdiv(3001, 256),)](x.cuda(), y, 3001, BLOCK=256)
    w = x.double()
    a = w.abs() + 0.5
    want = torch.exp(-a) + torch.log(a) * torch.sin(w) - torch.cos(w) * torch.sqrt(a) + a ** -0.5 + torch.erf(w) + 2 ** -a + torch.log2(a)
    want += torch.tanh(w) + torch.atan2(w, a) + a ** w + torch.floor(w) + torch.ceil(w) + w / a
    close(y, torch.where(w > 0, want, w * a - want).float(), 2e-5, 2e-5)


@triton.jit
def softmax_of(x_ptr, y_ptr, rows, columns, stride, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * stride + at, mask=at < columns, other=-float("inf"))
        e = tl.exp(x - tl.max(x, 0))
        tl.store(y_ptr + row * stride + at, e / tl.sum(e, 0), mask=at < columns)


@case
def softmax():
    for columns, warps, stages in ((781, 8, 4), (100, 4, 2), (33, 1, 1)):
        x = rand(57, columns)
        y = torch.empty_like(x, device="cuda")
        softmax_of[(9,)](x.cuda(), y, 57, columns, columns, BLOCK=triton.next_power_of_2(columns), STAGES=stages, num_warps=warps)
        close(y, x.softmax(1))


@triton.jit
def later(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def order_of(x_ptr, i_ptr, sums_ptr, sorted_ptr, best_ptr, hist_ptr, linear_ptr, N: tl.constexpr):
    row = tl.program_id(0)
    at = row * N + tl.arange(0, N)
    x = tl.load(x_ptr + at)
    i = tl.load(i_ptr + at)
    tl.store(sums_ptr + at, tl.cumsum(i, 0))
    tl.store(sorted_ptr + at, tl.sort(i, 0, descending=True))
    tl.store(best_ptr + row * 4, tl.argmax(x, 0))
    tl.store(best_ptr + row * 4 + 1, tl.argmin(x, 0))
    tl.store(best_ptr + row * 4 + 2, tl.xor_sum(i, 0))
    tl.store(best_ptr + row * 4 + 3, tl.min(i, 0))
    tl.store(hist_ptr + row * 16 + tl.arange(0, 16), tl.histogram(i & 15, 16))
    f, g = tl.associative_scan((x * 0 + 0.5, x), 0, later)
    tl.store(linear_ptr + at, g)


@case
def order():
    n, rows = 512, 3
    x, i = rand(rows, n), torch.randint(0, 100000, (rows, n), dtype=torch.int32)
    sums, ordered = (torch.empty(rows, n, dtype=torch.int32, device="cuda") for _ in range(2))
    best = torch.empty(rows, 4, dtype=torch.int32, device="cuda")
    hist = torch.empty(rows, 16, dtype=torch.int32, device="cuda")
    linear = torch.empty(rows, n, device="cuda")
    order_of[(rows,)](x.cuda(), i.cuda(), sums, ordered, best, hist, linear, N=n)
    same(sums, i.cumsum(1).int())
    same(ordered, i.sort(1, descending=True)[0])
    xors = torch.zeros(rows, dtype=torch.int32)
    state = torch.zeros(rows)
    want = torch.empty(rows, n)
    for k in range(n):
        xors ^= i[:, k]
        state = state * 0.5 + x[:, k]
        want[:, k] = state
    same(best, torch.stack([x.argmax(1).int(), x.argmin(1).int(), xors, i.amin(1)], 1))
    same(hist, torch.stack([torch.bincount(r & 15, minlength=16).int() for r in i]))
    close(linear, want)


@triton.jit
def numbers_of(out_ptr, seed, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.randint(seed, at))


@case
def random_numbers():
    """Philox of four words and ten rounds, as its paper has it."""
    n, seed = 1024, 0x123456789abcdef
    out = torch.empty(n, dtype=torch.int32, device="cuda")
    numbers_of[(1,)](out, seed, N=n)
    c = [torch.arange(n), torch.zeros(n, dtype=torch.int64), torch.zeros(n, dtype=torch.int64), torch.zeros(n, dtype=torch.int64)]
    k, low = [seed & 0xffffffff, seed >> 32], 0xffffffff

    def product(a, m):
        """Both halves of a product of 32 bits; 64 bits would have a sign."""
        part = (a & 0xffff) * m
        upper = (a >> 16) * m + (part >> 16)
        return upper >> 16 & low, (upper & 0xffff) << 16 | part & 0xffff

    for _ in range(10):
        (h0, l0), (h1, l1) = product(c[0], 0xD2511F53), product(c[2], 0xCD9E8D57)
        c = [h1 ^ c[1] ^ k[0], l1, h0 ^ c[3] ^ k[1], l0]
        k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
    same(out.cpu().long() & low, c[0])


# Atomics.


@triton.jit
def atomics_of(x_ptr, i_ptr, float_ptr, half_ptr, int_ptr, lock_ptr, count_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, i = tl.load(x_ptr + at), tl.load(i_ptr + at)
    tl.atomic_add(float_ptr + i % 8, x)
    tl.atomic_add(half_ptr + i % 16, x.to(tl.float16))
    tl.atomic_max(float_ptr + 8 + i % 4, x)
    tl.atomic_min(float_ptr + 12 + i % 4, x)
    tl.atomic_add(int_ptr + i % 8, i)
    one = tl.zeros((BLOCK,), tl.int32)
    tl.atomic_max(int_ptr + 8 + one, i)
    tl.atomic_min(int_ptr + 9 + one, i)
    tl.atomic_and(int_ptr + 10 + one, i)
    tl.atomic_or(int_ptr + 11 + one, i)
    tl.atomic_xor(int_ptr + 12 + one, i, sem="relaxed", scope="gpu")
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(count_ptr, tl.load(count_ptr) + tl.sum(i, 0))
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@case
def atomics():
    n = 4096
    x, i = rand(n).round(), torch.randint(1, 1 << 20, (n,), dtype=torch.int32)
    floats = torch.zeros(16, device="cuda")
    halves = torch.zeros(16, dtype=torch.float16, device="cuda")
    ints = torch.tensor([0] * 8 + [0, 1 << 30, -1, 0, 0, 0, 0, 0], dtype=torch.int32, device="cuda")
    lock, count = torch.zeros(1, dtype=torch.int32, device="cuda"), torch.zeros(1, dtype=torch.int32, device="cuda")
    atomics_of[(n // 256,)](x.cuda(), i.cuda(), floats, halves, ints, lock, count, BLOCK=256)
    parts = [x[i % 4 == k] for k in range(4)]
    same(floats[:8], torch.stack([x[i % 8 == k].sum() for k in range(8)]))
    same(floats[8:], torch.stack([p.amax().clamp(min=0) for p in parts] + [p.amin().clamp(max=0) for p in parts]))
    same(halves, torch.stack([x[i % 16 == k].sum() for k in range(16)]).half())
    bits = [-1, 0, 0]
    for v in i.tolist():
        bits = [bits[0] & v, bits[1] | v, bits[2] ^ v]
    same(ints[:13], torch.tensor([int(i[i % 8 == k].sum()) for k in range(8)] + [int(i.max()), int(i.min())] + bits, dtype=torch.int32))
    same(count, i.sum().int().reshape(1))


# Products.


@triton.jit
def product_of(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, PRECISION: tl.constexpr, SUM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=SUM)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rows[:, None] * am + (k + inner)[None, :] * ak, mask=(rows[:, None] < M) & (k + inner[None, :] < K), other=0.0)
        b = tl.load(b_ptr + (k + inner)[:, None] * bk + columns[None, :] * bn, mask=(columns[None, :] < N) & (k + inner[:, None] < K), other=0.0)
        total = tl.dot(a, b, total, input_precision=PRECISION, out_dtype=SUM)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def multiply(a, b, result, total, precision, block, warps, stages, swapped=False):
    """The product on the GPU, with b stored by columns if it is swapped."""
    m, k, n = *a.shape, b.shape[1]
    c = torch.empty(m, n, dtype=result, device="cuda")
    a, b = a.cuda(), b.t().contiguous().t().cuda() if swapped else b.cuda()
    product_of[(triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))](a, b, c, m, n, k, *a.stride(), *b.stride(), precision, total, *block,
        num_warps=warps, num_stages=stages)
    return c


def product_case(name, dtype, result=torch.float32, total=tl.float32, precision=None, bound=1e-3, only_90=False):
    """A case of the product of a type: whole tiles and others, 4 and 8 warps, by rows and by columns."""

    def check():
        for m, n, k, block, warps, stages, swapped in ((128, 64, 96, (64, 64, 32), 4, 3, False), (100, 80, 96, (64, 32, 32), 4, 2, True),
                                                       (256, 128, 128, (128, 128, 32), 8, 3, True)):
            if dtype == torch.int8:
                a, b = (torch.randint(-128, 128, s, dtype=torch.int8) for s in ((m, k), (k, n)))
                same(multiply(a, b, result, total, precision, block, warps, stages, swapped), (a.int() @ b.int()).to(result))
                continue
            if dtype == torch.float64 and block[0] == 128:
                continue
            a, b = rand(m, k, dtype=dtype), rand(k, n, dtype=dtype, seed=2)
            close(multiply(a, b, result, total, precision, block, warps, stages, swapped), a.double() @ b.double(), bound, bound * k ** 0.5)

    check.__name__ = "product_" + name
    (hopper if only_90 else case)(check)


product_case("f16", torch.float16)
product_case("f16_in_f16", torch.float16, torch.float16, tl.float16, bound=1e-2)
product_case("bf16", torch.bfloat16)
product_case("f32_as_tf32", torch.float32, precision="tf32", bound=2e-3)
product_case("f32_as_three_tf32", torch.float32, precision="tf32x3", bound=1e-5)
product_case("f32", torch.float32, precision="ieee", bound=1e-5)
product_case("f64", torch.float64, torch.float64, tl.float64, bound=1e-12)
product_case("i8", torch.int8, torch.int32, tl.int32)
product_case("e5m2", torch.float8_e5m2)
product_case("e4m3", torch.float8_e4m3fn, only_90=True)


# Layer normalisation, forward and backward, and attention.


@triton.jit
def norm_of(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, scale_ptr, n, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(x, 0) / n
    centred = tl.where(at < n, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + eps)
    w, b = tl.load(w_ptr + at, mask=at < n), tl.load(b_ptr + at, mask=at < n)
    tl.store(y_ptr + row * n + at, centred * scale * w + b, mask=at < n)
    tl.store(mean_ptr + row, mean)
    tl.store(scale_ptr + row, scale)


@triton.jit
def norm_back(dy_ptr, x_ptr, w_ptr, mean_ptr, scale_ptr, dx_ptr, dw_ptr, db_ptr, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    mask = at < n
    dy = tl.load(dy_ptr + row * n + at, mask=mask, other=0.0).to(tl.float32)
    x = tl.load(x_ptr + row * n + at, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + at, mask=mask, other=0.0).to(tl.float32)
    scale = tl.load(scale_ptr + row)
    z = tl.where(mask, (x - tl.load(mean_ptr + row)) * scale, 0.0)
    g = dy * w
    tl.store(dx_ptr + row * n + at, (g - (z * tl.sum(z * g, 0) + tl.sum(g, 0)) / n) * scale, mask=mask)
    tl.atomic_add(dw_ptr + at, dy * z, mask=mask)
    tl.atomic_add(db_ptr + at, dy, mask=mask)


@case
def layer_norm():
    for n, dtype in ((300, torch.float32), (512, torch.float16)):
        x, w, b, dy = rand(29, n, dtype=dtype), rand(n, dtype=dtype), rand(n, dtype=dtype, seed=3), rand(29, n, dtype=dtype, seed=4)
        d = [t.cuda() for t in (x, w, b, dy)]
        y, dx = torch.empty_like(d[0]), torch.empty_like(d[0])
        mean, scale = torch.empty(29, device="cuda"), torch.empty(29, device="cuda")
        dw, db = torch.zeros(n, device="cuda"), torch.zeros(n, device="cuda")
        block = triton.next_power_of_2(n)
        norm_of[(29,)](d[0], d[1], d[2], y, mean, scale, n, 1e-5, BLOCK=block)
        norm_back[(29,)](d[3], d[0], d[1], mean, scale, dx, dw, db, n, BLOCK=block)
        leaves = [t.float().requires_grad_() for t in (x, w, b)]
        want = F.layer_norm(leaves[0], (n,), leaves[1], leaves[2])
        bound = 1e-4 if dtype == torch.float32 else 2e-2
        for got, right in zip([y, dx, dw, db], [want, *torch.autograd.grad(want, leaves, dy.float())]):
            close(got, right.detach(), bound, bound)


@triton.jit
def attention_of(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head, first = tl.program_id(1) * n * D, tl.program_id(0) * BM
    rows, width = first + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + width[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    end = first + BM if CAUSAL else n
    for at in range(0, end, BN):
        columns = at + tl.arange(0, BN)
        k = tl.load(k_ptr + head + columns[:, None] * D + width[None, :])
        v = tl.load(v_ptr + head + columns[:, None] * D + width[None, :])
        s = tl.dot(q, k.T) * (scale * 1.44269504)
        if CAUSAL:
            s = tl.where(rows[:, None] >= columns[None, :], s, -float("inf"))
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        less = tl.exp2(most - now)
        total = total * less + tl.sum(p, 1)
        out = tl.dot(p.to(v.dtype), v, out * less[:, None])
        most = now
    tl.store(o_ptr + head + rows[:, None] * D + width[None, :], (out / total[:, None]).to(o_ptr.dtype.element_ty))


@case
def attention():
    for d, dtype, causal, warps in ((64, torch.float16, True, 4), (64, torch.bfloat16, False, 8), (128, torch.float16, False, 8)):
        q, k, v = (rand(1, 2, 256, d, dtype=dtype, seed=s) for s in range(3))
        o = torch.empty_like(q, device="cuda")
        attention_of[(2, 2)](q.cuda(), k.cuda(), v.cuda(), o, 256, d ** -0.5, D=d, BM=128, BN=64, CAUSAL=causal, num_warps=warps, num_stages=2)
        want = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)
        bound = 5e-3 if dtype == torch.float16 else 3e-2
        close(o, want, bound, bound)


# Tensor maps, made by the host and by kernels, and warps with tasks of their own.


@triton.jit
def tiles_of(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIAL: tl.constexpr):
    """A grid of a few blocks computes all tiles, whose operands and results are moved by tensor maps."""
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0), warp_specialize=SPECIAL):
        row, column = tile // across * BM, tile % across * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(a.load([row, k]), b.load([column, k]).T, total)
        c.store([row, column], total.to(c.dtype))


@triton.jit
def tiles_by_maps_of_its_own(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIAL: tl.constexpr):
    tiles_of(tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK]), tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK]),
        tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN]), M, N, K, BM, BN, BK, SPECIAL)


def tiles(own, special, dtype, stages):
    m, n, k, block = 200, 320, 136 if dtype == torch.float16 else 144, (64, 128, 64)
    a, b = rand(m, k, dtype=dtype), rand(n, k, dtype=dtype, seed=5)
    c = torch.zeros(m, n, dtype=torch.float16, device="cuda")
    if own:
        triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
        tiles_by_maps_of_its_own[(5,)](a.cuda(), b.cuda(), c, m, n, k, *block, special, num_warps=4, num_stages=stages)
    else:
        maps = [TensorDescriptor.from_tensor(t, list(s)) for t, s in ((a.cuda(), (64, 64)), (b.cuda(), (128, 64)), (c, (64, 128)))]
        tiles_of[(5,)](*maps, m, n, k, *block, special, num_warps=4, num_stages=stages)
    close(c, (a.float() @ b.float().t()).half(), 4e-3, 4e-2)


@case
def maps_of_the_host():
    """Before capability 9.0 Triton makes loads and stores of them."""
    tiles(False, False, torch.float16, 3)


@case
def maps_of_the_kernel():
    tiles(True, False, torch.float16, 3)


@hopper
def maps_of_e4m3():
    tiles(False, False, torch.float8_e4m3fn, 4)


@hopper
def specialised_warps():
    tiles(True, True, torch.float16, 3)


@triton.jit
def sums_by_map(x_ptr, y_ptr, n, B: tl.constexpr):
    y = tl.make_tensor_descriptor(y_ptr, [n, 64], [64, 1], [B, 64])
    at = tl.program_id(0) * B * 64 + tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    y.atomic_add([tl.program_id(0) % 2 * B, 0], tl.load(x_ptr + at))


@hopper
def sums_in_memory():
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    x = rand(256, 64).round()
    y = torch.zeros(64, 64, device="cuda")
    sums_by_map[(8,)](x.cuda(), y, 64, B=32)
    same(y, x.reshape(4, 64, 64).sum(0))


# Launches.


@triton.jit
def tuned(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2 + 1, mask=at < n)


@case
def tuning():
    """Several configurations, timed by events; and the launch in a graph."""
    kernel = triton.autotune([triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((128, 2), (256, 4))], key=["n"],
        do_bench=lambda f, quantiles: triton.testing.do_bench(f, warmup=1, rep=1, quantiles=quantiles))(tuned)
    x = rand(1000)
    d, y = x.cuda(), torch.empty(1000, device="cuda")
    grid = lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)
    kernel[grid](d, y, 1000)
    same(y, x * 2 + 1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel[grid](d, y, 1000)
    d.copy_(x + 3)
    graph.replay()
    same(y, (x + 3) * 2 + 1)


@triton.jit
def all_wait(count_ptr, out_ptr):
    """Ends only when all blocks run at the same time."""
    tl.atomic_add(count_ptr, 1)
    while tl.atomic_add(count_ptr, 0) < tl.num_programs(0):
        pass
    tl.store(out_ptr + tl.program_id(0), tl.atomic_add(count_ptr, 0))


@case
def cooperative():
    count, out = torch.zeros(1, dtype=torch.int32, device="cuda"), torch.zeros(12, dtype=torch.int32, device="cuda")
    all_wait[(12,)](count, out, launch_cooperative_grid=True)
    same(out, torch.full((12,), 12, dtype=torch.int32))


@triton.jit
def assembly_of(x_ptr, y_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    y = tl.inline_asm_elementwise("prmt.b32 $0, $1, $2, 0x0123;", "=r,r,r", [x, x], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y_ptr + at, y)


@case
def assembly():
    x = torch.arange(128, dtype=torch.int32) * 0x01020305
    y = torch.empty_like(x, device="cuda")
    assembly_of[(1,)](x.cuda(), y, N=128)
    same(y, x.view(torch.uint8).reshape(-1, 4).flip(1).contiguous().view(torch.int32).reshape(-1))


def main(names):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    waits = lambda name: "for GPUs of capability 9.0" if name in ONLY_90 and not HOPPER else None
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("TRITON_CACHE_DIR", folder)
        failed, said = acceptance.run("Triton %s" % triton.__version__, CASES, acceptance.completes, names, waits)
    print(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
