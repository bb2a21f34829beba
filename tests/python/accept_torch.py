"""PyTorch on the simulated GPU: each case runs on the CPU and on the GPU, and the results must be equal.

    python -m heddle run -stats_file /dev/null tests/python/accept_torch.py [NAME...]

Integers and what only moves or selects must be the same; floating point may differ as sums in another order do (CLOSE). One line per
case that fails; the last line counts. Exit status 77 without PyTorch for CUDA."""

import math
import sys
import time

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError as e:
    print("PyTorch is not installed: %s" % e)
    sys.exit(77)
if not torch.version.cuda:
    print("this PyTorch was built without CUDA")
    sys.exit(77)

import acceptance

# Relative and absolute difference that two orders of a sum, or two good approximations of a function, may have. Numbers of 16 bits
# are rounded once more, so they may differ by two units in the last place.
CLOSE = {
    torch.float64: (1e-10, 1e-12),
    torch.complex128: (1e-10, 1e-12),
    torch.float32: (2e-5, 2e-5),
    torch.complex64: (2e-5, 2e-5),
    torch.float16: (4e-3, 4e-3),
    torch.bfloat16: (2e-2, 2e-2),
}
CASES = {}


def case(function):
    """Makes a case of a function of the device which returns what is compared: tensors, or lists, tuples, dicts of them."""
    CASES[function.__name__] = function
    return function


def rand(*shape, dtype=torch.float32):
    """Normal numbers, the same ones for each device."""
    return torch.randn(*shape, dtype=torch.float64 if not dtype.is_complex else torch.complex128).to(dtype)


def leaf(tensor, device):
    return tensor.to(device).requires_grad_()


def grads(loss, *leaves):
    return list(torch.autograd.grad(loss, leaves))


# Tensors: making them, moving them, seeing them another way.


@case
def making(d):
    return [torch.arange(1000, device=d), torch.zeros(33, 65, device=d), torch.full((7, 3), 2.5, device=d),
        torch.eye(17, device=d), torch.linspace(-3, 3, 101, device=d), torch.logspace(0, 3, 20, device=d),
        torch.ones(5, dtype=torch.bool, device=d), torch.empty(10, device=d).fill_(4),
        torch.arange(0, 1, 0.01, dtype=torch.float64, device=d), torch.tril_indices(9, 7, device=d)]


@case
def shapes(d):
    x = rand(6, 7, 8).to(d)
    return [x.t() if x.dim() == 2 else x.transpose(0, 2).contiguous(), x.permute(1, 2, 0).contiguous(),
        torch.cat([x, x * 2], 1), torch.stack([x, -x]), x.flip(0, 2), x.roll(3, 1), x.repeat(2, 1, 3),
        x[:, ::2, 1:-1].contiguous(), x.reshape(42, 8).chunk(4)[1].clone(), x.expand(2, 6, 7, 8).contiguous(),
        x.unfold(2, 3, 2).contiguous(), torch.tril(x), torch.triu(x, 1), torch.rot90(x), x.diagonal().clone(),
        F.pad(x, (1, 2, 3, 0)), F.pad(x, (2, 2), mode="reflect"), torch.block_diag(x[0], x[1])]


@case
def conversions(d):
    x = (rand(999) * 50).to(d)
    kinds = [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.bool]
    return [x.to(k) for k in kinds] + [x.to(k).to(torch.float32) for k in kinds] + [x.abs().to(torch.uint8),
        x.to(torch.complex64)]


@case
def copies(d):
    x = rand(64, 65).to(d)
    y = torch.empty(65, 64, device=d)
    y.copy_(x.t())
    z = torch.zeros(64, 65, dtype=torch.float16, device=d)
    z.copy_(x)
    return [y, z, x.cpu(), x.cpu().to(d)[3:5], x.clone(memory_format=torch.preserve_format)]


# One element at a time.

UNARY = """abs neg exp exp2 expm1 sin cos tan asin acos atan sinh cosh tanh asinh atanh erf erfc floor ceil round trunc frac sign sigmoid
    reciprocal square relu logit digamma erfinv i0 sinc isnan isfinite signbit deg2rad nan_to_num""".split()
POSITIVE = "log log2 log10 log1p sqrt rsqrt lgamma acosh".split()


def elementwise(d, dtype):
    x = (rand(1025) * 0.4).to(dtype).to(d)
    names = [n for n in UNARY if dtype != torch.float16 or n not in ("relu",)]
    return {**{n: getattr(torch, n)(x) for n in names}, **{n: getattr(torch, n)(x.abs() + 1.25) for n in POSITIVE}}


@case
def elementwise_float(d):
    return elementwise(d, torch.float32)


@case
def elementwise_double(d):
    return elementwise(d, torch.float64)


@case
def elementwise_half(d):
    return elementwise(d, torch.float16)


@case
def elementwise_bfloat16(d):
    return elementwise(d, torch.bfloat16)


@case
def special_values(d):
    x = torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, 1e-42, -1e-42, 3.4e38, -3.4e38, 1.0, 0.5, -1.5]).to(d)
    return [x + 1, x * 2, 1 / x, x.sqrt(), x.exp(), x.abs().log(), x.half(), x.bfloat16(), x.double(), x.max(),
        torch.maximum(x, x.flip(0)), torch.fmin(x, x.flip(0)), x == x, x.isinf(), x.nan_to_num(), x.sign(), x.tanh(),
        x.round(), x.clamp(-2, 2)]


@case
def binary(d):
    a, b = rand(37, 1, 20).to(d), rand(5, 20).to(d)
    c = b.abs() + 0.5
    return [a + b, a - b, a * b, a / c, a ** 2, a.abs() ** c, torch.atan2(a, b), torch.hypot(a, b), torch.fmod(a, c),
        torch.remainder(a, c), torch.maximum(a, b), torch.minimum(a, b), torch.copysign(a, b), torch.logaddexp(a, b),
        torch.lerp(a, b, 0.3), a < b, a >= b, a.eq(b), torch.where(a > b, a, b), torch.addcmul(a, a, b, value=2),
        torch.addcdiv(a, a, c), torch.floor_divide(a, c), torch.xlogy(c, c), torch.nextafter(a, b),
        torch.ldexp(a, torch.tensor(3, device=d)), torch.heaviside(a, b), a.add(b, alpha=3)]


@case
def integers(d):
    g = torch.Generator().manual_seed(3)
    out = []
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        a = torch.randint(0 if dtype == torch.uint8 else -100, 100, (501,), generator=g).to(dtype).to(d)
        b = torch.randint(1, 9, (501,), generator=g).to(dtype).to(d)
        out += [a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, ~a, a << 1, a >> 1, a < b, a.abs(), -a,
            torch.maximum(a, b), a.sum(), a.float() / b, torch.div(a, b, rounding_mode="trunc"), torch.gcd(a, b),
            torch.bitwise_left_shift(a, b % 3), a.clamp(-3, 5)]
    return out


@case
def booleans(d):
    a = (rand(777) > 0).to(d)
    b = (rand(777) > 0.5).to(d)
    return [a & b, a | b, a ^ b, ~a, a.any(), a.all(), a.sum(), a.nonzero(), a.logical_and(b), torch.logical_not(a),
        a.to(torch.float32).mean()]


@case
def complex_numbers(d):
    a, b = rand(333, dtype=torch.complex64).to(d), rand(333, dtype=torch.complex64).to(d)
    z = rand(20, 30, dtype=torch.complex128).to(d)
    return [a + b, a * b, a / b, a.conj().resolve_conj(), a.abs(), a.angle(), a.exp(), a.sqrt(), a.real.clone(),
        torch.view_as_real(a * 2), z @ z.mH, z.sum(), a.prod(), a.log(), a.sin(), a.pow(b), torch.polar(a.abs(), a.angle())]


@case
def in_place(d):
    x = rand(513).to(d)
    x.add_(1).mul_(2).clamp_(-3, 3)
    x[10:20] = 7
    x[::3] += 1
    x.masked_fill_(x > 2, -1)
    return [x, x.sub_(x.mean()), x.zero_()]


@case
def foreach(d):
    xs = [rand(n).to(d) for n in (3, 1000, 77, 4097)]
    return [torch._foreach_add(xs, 1), torch._foreach_mul(xs, xs), torch._foreach_norm(xs),
        torch._foreach_sqrt(torch._foreach_abs(xs)), torch._foreach_lerp(xs, torch._foreach_neg(xs), 0.2)]


# Many elements into one, or into a running value.


@case
def reductions(d):
    out = []
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x = rand(33, 129, 5, dtype=dtype).to(d)
        out += [x.sum(), x.sum(0), x.sum((0, 2)), x.mean(1), x.amax(1), x.amin((0, 1)), x.max(1), x.min(0), x.argmax(1),
            x.argmin(), x.float().norm()]
    x = rand(33, 129, 5).to(d)
    return out + [x.var(1), x.std((0, 1)), torch.var_mean(x, 2), x.prod(2), x.norm(dim=1), x.norm(p=1),
        x.norm(p=math.inf, dim=0), x.logsumexp(1), x.nansum(), x.median(), x.median(1), torch.aminmax(x),
        x.count_nonzero(1), (x > 3).any(1), (x > -3).all(0), x.kthvalue(3, 1), x.mode(2), torch.quantile(x, 0.3, dim=1),
        torch.std_mean(x)]


@case
def large_reductions(d):
    x = rand(300000).to(d)
    y = rand(3, 100000).to(d)
    return [x.double().sum(), x.max(), x.argmax(), y.double().mean(1), y.amin(1), y.t().contiguous().double().sum(0),
        (x > 0).sum()]


@case
def scans(d):
    x = rand(17, 300).to(d)
    return [x.cumsum(1), x.cumsum(0), (x * 0.1 + 1).cumprod(1), x.cummax(1), x.cummin(0), x.logcumsumexp(1),
        x.long().cumsum(0), rand(5000).double().to(d).cumsum(0), torch.diff(x), torch.trapezoid(x), (x > 0).cumsum(1)]


@case
def softmaxes(d):
    out = []
    for shape in ((4, 10), (3, 1000), (2, 5000), (5, 6, 7)):
        x = leaf(rand(*shape), d)
        w = rand(*shape).to(d)
        for dim in (-1, 0):
            for f in (F.softmax, F.log_softmax):
                y = f(x, dim)
                out += [y] + grads((y * w).sum(), x)
    h = rand(8, 128, dtype=torch.float16).to(d)
    return out + [F.softmax(h, -1), F.softmax(h, -1, dtype=torch.float32), F.log_softmax(h.bfloat16(), -1), F.softmin(x, 1)]


# Finding elements, and putting them somewhere.


@case
def indexing(d):
    x = rand(20, 30, 4).to(d)
    i = torch.tensor([3, 0, 19, 3, -1]).to(d)
    j = torch.tensor([1, 2, 29, 0, -2]).to(d)
    m = (rand(20, 30) > 0.7).to(d)
    y = x.clone()
    y[i, j] = torch.arange(4.0, device=d)
    z = x.clone()
    z[m] = 0
    w = x.clone()
    w.index_put_((i, j), torch.ones(5, 4, device=d), accumulate=True)
    return [x[i], x[:, j], x[i, j], x[m], x[..., None, 2].clone(), y, z, w, x.index_select(1, j % 30),
        torch.take(x, i % 100), x.masked_select(x > 1), x[i[:, None], j[None, :], 1], m.nonzero(as_tuple=True),
        torch.where(m), x.narrow(1, 3, 5).clone(), torch.argwhere(m)]


@case
def gather_scatter(d):
    g = torch.Generator().manual_seed(5)
    x = rand(40, 50).to(d)
    i = torch.randint(0, 40, (60, 50), generator=g).to(d)
    src = rand(60, 50).to(d)
    once = torch.stack([torch.randperm(40, generator=g) for _ in range(50)], 1).to(d)
    add = x.scatter_add(0, i, src)
    return [x.gather(0, i), x.scatter(0, once, src[:40]), add, x.scatter_reduce(0, i, src, "amax"),
        x.scatter_reduce(0, i, src, "mean", include_self=False), x.index_add(0, i[:, 0], src),
        x.index_fill(1, i[0, :3], 9.0), x.index_copy(0, once[:30, 0], src[:30]), x.double().scatter_add(0, i, src.double()),
        x.half().scatter_add(0, once, src[:40].half()), torch.take_along_dim(x, i, 0), x.masked_scatter(x > 0, src)]


@case
def counting(d):
    g = torch.Generator().manual_seed(6)
    x = torch.randint(0, 50, (3000,), generator=g).to(d)
    r = rand(3000).to(d)
    edges = torch.linspace(-2, 2, 20).to(d)
    return [torch.unique(x), torch.unique(x, return_inverse=True, return_counts=True), torch.unique_consecutive(x // 10),
        torch.bincount(x), torch.histc(r, 30, -3, 3), torch.searchsorted(edges, r), torch.bucketize(r, edges),
        torch.isin(x, torch.tensor([3, 4, 49], device=d)), torch.unique(x.view(-1, 3) % 4, dim=0)]


@case
def sorting(d):
    g = torch.Generator().manual_seed(7)
    x = rand(13, 200).to(d)
    i = torch.randint(-1000, 1000, (5000,), generator=g).to(d)
    out = [x.sort(1), x.sort(0, descending=True), i.sort(stable=True), x.argsort(1), x.topk(7, 1),
        x.topk(5, 0, largest=False), i.topk(100)[0], x.msort(), rand(20000).to(d).sort(stable=True),
        i.to(torch.int32).sort(stable=True), i.to(torch.uint8).sort(stable=True), x.half().sort(dim=1, stable=True),
        x.double().sort(1), rand(40000).to(d).topk(10), (x > 0).sort(dim=1, stable=True),
        rand(3, 3000).to(d).sort(dim=1, stable=True)]
    return out


# Matrix products and what is built on them.


@case
def matmul(d):
    out = []
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        a, b = (rand(65, 33, dtype=dtype) / 4).to(d), (rand(33, 50, dtype=dtype) / 4).to(d)
        p, q = (rand(4, 20, 30, dtype=dtype) / 4).to(d), (rand(4, 30, 10, dtype=dtype) / 4).to(d)
        v = (rand(33, dtype=dtype) / 4).to(d)
        out += [a @ b, b.t() @ a.t(), a @ v, v @ b, p @ q, p.transpose(1, 2) @ p, torch.bmm(p, q),
            torch.addmm(rand(50, dtype=dtype).to(d), a, b, beta=0.5, alpha=2), torch.einsum("bij,bjk->ik", p, q),
            torch.baddbmm(torch.ones(4, 20, 10, dtype=dtype, device=d), p, q), v.dot(v), torch.outer(v, v)]
    i = torch.arange(12).view(3, 4).to(d)
    return out + [i.float() @ i.float().t(), torch.tensordot(rand(3, 4, 5).to(d), rand(4, 5, 6).to(d)),
        torch.cdist(rand(9, 5).to(d), rand(8, 5).to(d)), torch.linalg.multi_dot([rand(5, 6).to(d), rand(6, 7).to(d),
        rand(7, 2).to(d)]), torch.matrix_power(rand(4, 4).to(d), 5), torch.addmv(rand(5).to(d), rand(5, 6).to(d),
        rand(6).to(d))]


@case
def products_of_eight_bits(d):
    """One scale for each factor, and one for each row and column. PyTorch has them from capability 8.9 on."""
    kind, out, has = torch.float8_e4m3fn, [], d != "cpu" and torch.cuda.get_device_capability() >= (8, 9)
    x, y = rand(64, 128).to(kind), rand(48, 128).to(kind)
    for of_x, of_y in ((torch.tensor(1.5), torch.tensor(0.25)), (torch.linspace(0.5, 1.5, 64)[:, None], torch.linspace(2, 0.5, 48)[None])):
        if has:
            out.append(torch._scaled_mm(x.to(d), y.to(d).t(), scale_a=of_x.to(d), scale_b=of_y.to(d), out_dtype=torch.bfloat16))
        else:
            out.append(((x.float() * of_x) @ (y.float().t() * of_y)).bfloat16().to(d))
    return out


@case
def linear(d):
    out = []
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        x, w, b = leaf(rand(7, 9, 32, dtype=dtype), d), leaf(rand(20, 32, dtype=dtype) / 6, d), leaf(rand(20, dtype=dtype),
            d)
        y = F.linear(x, w, b)
        out += [y] + grads(y.float().square().mean(), x, w, b)
    x, w, b = leaf(rand(17, 64), d), leaf(rand(48, 64) / 8, d), leaf(rand(48), d)
    for f in (F.relu, F.gelu, lambda v: F.gelu(v, approximate="tanh"), F.silu, torch.tanh):
        y = f(F.linear(x, w, b))
        out += [y] + grads(y.sum(), x, w, b)
    return out + [F.bilinear(rand(5, 6).to(d), rand(5, 7).to(d), rand(3, 6, 7).to(d))]


@case
def activations(d):
    x = leaf(rand(40, 51), d)
    out = []
    for f in (F.relu, F.gelu, F.silu, F.elu, F.leaky_relu, F.softplus, F.hardswish, F.mish, F.selu, F.celu, F.logsigmoid,
            F.hardtanh, F.softsign, F.relu6, F.hardsigmoid, F.tanhshrink, F.softshrink,
            lambda v: F.gelu(v, approximate="tanh"), lambda v: F.glu(v[:, :50]), lambda v: F.threshold(v, 0.1, 2)):
        y = f(x)
        out += [y] + grads((y * y).sum(), x)
    return out


@case
def normalisation(d):
    x = leaf(rand(6, 8, 12, 10), d)
    w, b = leaf(rand(10), d), leaf(rand(10), d)
    cw, cb = leaf(rand(8), d), leaf(rand(8), d)
    t = rand(6, 8, 12, 10).to(d)
    out = []
    torch.backends.cudnn.enabled = False
    for y, leaves in ((F.layer_norm(x, (10,), w, b), (x, w, b)), (F.layer_norm(x, (12, 10)), (x,)),
            (F.group_norm(x, 4, cw, cb), (x, cw, cb)), (F.batch_norm(x, torch.zeros(8, device=d), torch.ones(8, device=d),
            cw, cb, training=True), (x, cw, cb)), (F.batch_norm(x, torch.zeros(8, device=d), torch.ones(8, device=d), cw,
            cb), (x, cw, cb)), (F.instance_norm(x), (x,)), (F.rms_norm(x, (10,), w), (x, w)), (F.normalize(x, dim=1), (x,)),
            (F.local_response_norm(x, 3), (x,))):
        out += [y] + grads((y * t).sum(), *leaves)
    big = leaf(rand(5, 3000), d)
    y = F.layer_norm(big, (3000,))
    h = F.layer_norm(rand(9, 64, dtype=torch.float16).to(d), (64,))
    return out + [y] + grads((y * rand(5, 3000).to(d)).sum(), big) + [h, F.layer_norm(h.bfloat16(), (64,))]


@case
def losses(d):
    g = torch.Generator().manual_seed(8)
    x = leaf(rand(30, 11), d)
    t = torch.randint(0, 11, (30,), generator=g).to(d)
    y = rand(30, 11).to(d)
    w = rand(11).abs().to(d)
    out = []
    for v in (F.cross_entropy(x, t), F.cross_entropy(x, t, weight=w, label_smoothing=0.1),
            F.cross_entropy(x, F.softmax(y, 1)), F.nll_loss(F.log_softmax(x, 1), t, reduction="sum"), F.mse_loss(x, y),
            F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.huber_loss(x, y), F.binary_cross_entropy_with_logits(x,
            torch.sigmoid(y)), F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y)),
            F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean"),
            F.cosine_embedding_loss(x, y, torch.ones(30, device=d)), F.multi_margin_loss(x, t),
            F.soft_margin_loss(x, y.sign()), F.triplet_margin_loss(x, y, y.flip(0)),
            F.gaussian_nll_loss(x, y, y.abs() + 0.1), F.poisson_nll_loss(x, y.abs()), F.cosine_similarity(x, y).sum(),
            F.ctc_loss(F.log_softmax(x.view(10, 3, 11), 2), t[:12].view(3, 4) % 10 + 1, torch.full((3,), 10),
            torch.full((3,), 4))):
        out += [v] + grads(v, x)
    return out


@case
def embedding(d):
    g = torch.Generator().manual_seed(9)
    w = leaf(rand(100, 24), d)
    i = torch.randint(0, 100, (12, 33), generator=g).to(d)
    e = F.embedding(i, w, padding_idx=3)
    bag = F.embedding_bag(i, w, mode="mean")
    s = rand(12, 33, 24).to(d)
    return [e, bag, F.one_hot(i, 100).sum((0, 1))] + grads((e * s).sum(), w) + grads((bag * s[:, 0]).sum(),
        w) + grads(F.embedding_bag(i, w, mode="max").sum(), w)


@case
def attention(d):
    q, k, v = (leaf(rand(2, 4, 33, 16), d) for _ in range(3))
    mask = torch.ones(33, 33, dtype=torch.bool).tril().to(d)
    s = (q @ k.transpose(-2, -1)) / 4
    y = F.softmax(s.masked_fill(~mask, -math.inf), -1) @ v
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    t = rand(2, 4, 33, 16).to(d)
    return [y, z] + grads((y * t).sum(), q, k, v) + grads((z * t).sum(), q, k, v)


@case
def fused_attention(d):
    """By PyTorch's own kernels, which use tensor cores: flash attention, and the one that spares memory."""
    ways, out, short = torch.nn.attention.SDPBackend, [], [torch.float16, torch.bfloat16]
    for way, kinds in (ways.FLASH_ATTENTION, short), (ways.EFFICIENT_ATTENTION, short + [torch.float32]):
        for kind in kinds:
            for causal, depth in (False, 32), (True, 64):
                q, k, v = (leaf(rand(2, 3, 70, depth).to(kind), d) for _ in range(3))
                if d == "cpu":
                    y = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal).to(kind)
                else:
                    with torch.nn.attention.sdpa_kernel(way):
                        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
                out += [y] + grads((y * rand(2, 3, 70, depth).to(kind).to(d)).sum(), q, k, v)
    return out


@case
def convolution(d):
    out = []
    with torch.backends.cudnn.flags(enabled=False):
        x, w, b = leaf(rand(2, 6, 17, 19), d), leaf(rand(8, 3, 3, 3) / 5, d), leaf(rand(8), d)
        for y in (F.conv2d(x[:, :3], w, b), F.conv2d(x, w, b, groups=2), F.conv2d(x[:, :3], w, b, stride=2, padding=1),
                F.conv2d(x[:, :3], w, b, dilation=2)):
            out += [y] + grads(y.square().sum(), x, w, b)
        u = leaf(rand(3, 4, 3, 3) / 5, d)
        y = F.conv_transpose2d(x[:, :3], u, stride=2, padding=1)
        out += [y] + grads(y.square().sum(), x, u)
        dw = leaf(rand(6, 1, 3, 3) / 3, d)
        y = F.conv2d(x, dw, padding=1, groups=6)
        out += [y] + grads(y.square().sum(), x, dw)
        c1, c3 = leaf(rand(5, 6, 4) / 5, d), leaf(rand(4, 2, 2, 3, 3) / 5, d)
        y1, y3 = F.conv1d(x[:, :, 0], c1), F.conv3d(x.view(2, 2, 3, 17, 19), c3, padding=1)
        out += [y1, y3] + grads(y1.square().sum() + y3.square().sum(), x, c1, c3)
        out += [F.conv2d(x.half()[:, :3], w.half(), b.half()), F.unfold(x, 3), F.fold(F.unfold(x, 3), (17, 19), 3)]
    return out


@case
def pooling(d):
    x = leaf(rand(2, 3, 24, 20), d)
    out = []
    for y in (F.max_pool2d(x, 2), F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (5, 3)),
            F.adaptive_max_pool2d(x, 4), F.lp_pool2d(x, 2, 2), F.interpolate(x, scale_factor=2),
            F.interpolate(x, size=(30, 41), mode="bilinear"), F.interpolate(x, scale_factor=0.5, mode="bicubic",
            align_corners=True), F.interpolate(x, size=(10, 9), mode="area"),
            F.pixel_shuffle(x[:, :1].repeat(1, 4, 1, 1), 2), F.avg_pool1d(x[:, 0], 3),
            F.pad(x, (1, 1, 2, 2), mode="replicate"), F.grid_sample(x, torch.tanh(rand(2, 7, 8, 2)).to(d),
            align_corners=False), F.max_pool3d(x[None], 2)):
        out += [y] + grads(y.square().sum(), x)
    return out


@case
def linear_algebra(d):
    """Without cuSOLVER: what PyTorch makes of products and of its own kernels."""
    a = rand(6, 6).to(d)
    tri = (a.tril() + 4 * torch.eye(6, device=d))
    return [torch.linalg.norm(a), torch.linalg.vector_norm(a, 3), torch.linalg.cross(a[:, :3], a[:, 3:]), torch.trace(a),
        torch.linalg.solve_triangular(tri, a, upper=False), torch.kron(a, a[:2]), torch.linalg.vander(a[0]), torch.cov(a),
        torch.corrcoef(a), torch.linalg.matrix_norm(a, 1), torch.vdot(a[0], a[1])]


# Training.


def trained(model, make_optimiser, batches, loss):
    """The losses of a few steps, then all parameters."""
    optimiser = make_optimiser(model.parameters())
    out = []
    for x, t in batches:
        optimiser.zero_grad()
        value = loss(model(x), t)
        value.backward()
        optimiser.step()
        out.append(value.detach())
    return out + [p.detach() for p in model.parameters()]


OPTIMISERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.01),
    "adam_alone": lambda p: torch.optim.Adam(p, lr=0.01, foreach=False),
}


def small_model(d, make_optimiser):
    torch.manual_seed(11)
    model = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.LayerNorm(32), nn.Linear(32, 5)).to(d)
    g = torch.Generator().manual_seed(12)
    batches = [(rand(16, 20).to(d), torch.randint(0, 5, (16,), generator=g).to(d)) for _ in range(3)]
    return trained(model, make_optimiser, batches, F.cross_entropy)


@case
def optimisers(d):
    return {name: small_model(d, o) for name, o in OPTIMISERS.items()}


@case
def optimiser_fused(d):
    return small_model(d, lambda p: torch.optim.AdamW(p, lr=0.01, fused=True))


@case
def convolutional_model(d):
    torch.manual_seed(13)
    with torch.backends.cudnn.flags(enabled=False):
        model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(4, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 10)).to(d)
        batches = [(rand(6, 1, 14, 14).to(d), torch.arange(6).to(d)) for _ in range(2)]
        return trained(model, OPTIMISERS["sgd"], batches, F.cross_entropy)


@case
def recurrent_models(d):
    out = []
    with torch.backends.cudnn.flags(enabled=False):
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            torch.manual_seed(14)
            model = kind(12, 16, num_layers=2, batch_first=True).to(d)
            x = leaf(rand(3, 7, 12), d)
            y = model(x)[0]
            out += [y] + grads(y.square().sum(), x, *model.parameters())
    return out


class Transformer(nn.Module):
    """A language model of two layers: embedding, attention with a mask, and a head."""

    def __init__(self, words=50, width=32, heads=4, length=12):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, heads, 64, dropout=0.0, batch_first=True, norm_first=True,
            activation="gelu")
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        n = x.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n, device=x.device)
        return self.head(self.layers(self.words(x) + self.places(torch.arange(n, device=x.device)), mask=mask,
            is_causal=True))


def transformer_of(d, backend):
    torch.manual_seed(15)
    model = Transformer().to(d)
    g = torch.Generator().manual_seed(16)
    text = [torch.randint(0, 50, (3, 13), generator=g).to(d) for _ in range(2)]
    with torch.nn.attention.sdpa_kernel(backend):
        return trained(model, OPTIMISERS["sgd"], [(t[:, :-1], t[:, 1:]) for t in text], lambda y,
            t: F.cross_entropy(y.reshape(-1, 50), t.reshape(-1)))


@case
def transformer(d):
    return transformer_of(d, torch.nn.attention.SDPBackend.MATH)


@case
def autograd(d):
    x = leaf(rand(5, 6), d)
    w = leaf(rand(6, 4), d)
    f = lambda v: (torch.sin(v @ w) ** 2).sum()
    second = torch.autograd.grad(f(x), x, create_graph=True)[0].square().sum()
    return [grads(second, x, w), torch.autograd.functional.hessian(f, x.detach()[:2]),
        torch.func.vmap(torch.func.grad(f))(rand(3, 5, 6).to(d)), torch.utils.checkpoint.checkpoint(f, x,
        use_reentrant=False), nn.utils.clip_grad_norm_([x], 1.0) if x.grad is not None else x]


@case
def mixed_precision(d):
    torch.manual_seed(17)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(d)
    x = rand(8, 16).to(d)
    with torch.autocast(torch.device(d).type, dtype=torch.bfloat16):
        y = model(x)
        value = F.mse_loss(y, torch.zeros_like(y))
    value.backward()
    return [y, value] + [p.grad for p in model.parameters()]


def pairs(a, b, path=""):
    """Every two tensors at the same place of two results."""
    if isinstance(a, torch.Tensor):
        yield path, a, b
    elif isinstance(a, dict):
        for k in a:
            yield from pairs(a[k], b[k], "%s[%s]" % (path, k))
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), path
        for k, (x, y) in enumerate(zip(a, b)):
            yield from pairs(x, y, "%s[%d]" % (path, k))
    else:
        raise TypeError("a result that is no tensor at %s: %r" % (path, a))


def difference(a, b):
    """What is wrong with b, which should be a; None if nothing is."""
    a, b = a.detach().resolve_conj(), b.detach().cpu().resolve_conj()
    if a.dtype != b.dtype or a.shape != b.shape:
        return "is %s %s, not %s %s" % (b.dtype, tuple(b.shape), a.dtype, tuple(a.shape))
    if a.dtype in CLOSE:
        relative, absolute = CLOSE[a.dtype]
        wrong = ~torch.isclose(b, a, relative, absolute, equal_nan=True)
    else:
        wrong = a != b
    if not wrong.any():
        return None
    at = tuple(wrong.nonzero()[0].tolist())
    return "%d of %d elements differ, the first at %s: %s, not %s" % (wrong.sum(), wrong.numel(), at, b[at].item(),
        a[at].item())


def run(function):
    """None if both devices give the same, else what differs."""
    results = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(1)
        results.append(function(device))
    compared = 0
    for path, a, b in pairs(*results):
        if b.device.type != "cuda" and a.device != b.device:
            return "%s is not on the GPU" % path
        text = difference(a, b)
        if text:
            return "%s %s" % (path, text)
        compared += 1
    return None if compared else "compares nothing"


def main(names):
    torch.set_num_threads(1)
    failed, said = acceptance.run("PyTorch %s" % torch.__version__, CASES, run, names)
    print(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
