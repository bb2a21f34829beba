"""Attention and compiled models of PyTorch on the simulated GPU: what the CPU computes without compiling, in inference and in training.

    python -m heddle run -stats_file /dev/null tests/python/accept_torch_compile.py [NAME...]

torch.compile's kernels are Triton's. Exit status 77 without PyTorch for CUDA, Triton or a C compiler."""

import copy
import os
import shutil
import sys
import tempfile
import warnings

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    import triton
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as e:
    print("PyTorch or Triton is not installed: %s" % e)
    sys.exit(77)
if not torch.version.cuda or not shutil.which(os.environ.get("CC", "gcc")):
    print("this PyTorch was built without CUDA" if not torch.version.cuda else "there is no C compiler")
    sys.exit(77)

import acceptance

CASES = {}


def case(function):
    """Makes a case of a function that checks itself."""
    CASES[function.__name__] = function
    return function


def close(got, want, bound):
    torch.testing.assert_close(got.detach().cpu().float(), want.detach().float(), rtol=bound, atol=bound)


def rand(*shape, dtype=torch.float32, seed=1):
    g = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=g).to(dtype)


# Attention by each of PyTorch's ways.


def attends(backend, dtype, width, causal, queries=70, keys=70, mask=False, shared=False):
    """Attention and its gradients; `shared`: two heads of queries to each of keys."""
    q = rand(2, 4, queries, width, dtype=dtype)
    k, v = (rand(2, 2 if shared else 4, keys, width, dtype=dtype, seed=s) for s in (2, 3))
    bias = rand(2, 4, queries, keys, dtype=dtype, seed=4) if mask else None
    g = rand(2, 4, queries, width, dtype=dtype, seed=5)
    right = [t.float().requires_grad_() for t in (q, k, v)]
    want = F.scaled_dot_product_attention(*right, attn_mask=bias.float() if mask else None, is_causal=causal, enable_gqa=shared)
    leaves = [t.cuda().requires_grad_() for t in (q, k, v)]
    with sdpa_kernel(backend):
        got = F.scaled_dot_product_attention(*leaves, attn_mask=bias.cuda() if mask else None, is_causal=causal, enable_gqa=shared)
    bound = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 6e-2}[dtype]
    close(got, want, bound)
    for a, b in zip(torch.autograd.grad(got, leaves, g.cuda()), torch.autograd.grad(want, right, g.float())):
        close(a, b, bound * 2)


@case
def attention_by_products():
    attends(SDPBackend.MATH, torch.float32, 32, False)
    attends(SDPBackend.MATH, torch.float16, 64, True)


@case
def flash_attention():
    for dtype in (torch.float16, torch.bfloat16):
        for width in (32, 64, 128):
            attends(SDPBackend.FLASH_ATTENTION, dtype, width, width == 64)
    attends(SDPBackend.FLASH_ATTENTION, torch.float16, 64, False, queries=33, keys=130)
    attends(SDPBackend.FLASH_ATTENTION, torch.float16, 64, True, shared=True)


@case
def flash_attention_wide():
    attends(SDPBackend.FLASH_ATTENTION, torch.float16, 256, False)


@case
def efficient_attention():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for width in (32, 64, 128):
            attends(SDPBackend.EFFICIENT_ATTENTION, dtype, width, width == 64)
    attends(SDPBackend.EFFICIENT_ATTENTION, torch.float16, 64, False, keys=72, mask=True)


# Compiled models. Weights and inputs are the same on both sides.


def agrees(model, x, bound=1e-4, steps=2, mode=None, dtype=torch.float32):
    """Outputs in inference, then the outputs and weights of some steps of training, of the model on the CPU and compiled on the GPU."""
    right = copy.deepcopy(model).eval()
    mine = copy.deepcopy(model).cuda().to(dtype).eval()
    compiled = torch.compile(mine, mode=mode)
    with torch.no_grad():
        close(compiled(x.cuda().to(dtype)), right(x), bound)
    right.train(), mine.train()
    optimisers = [torch.optim.SGD(m.parameters(), 0.05, momentum=0.9) for m in (right, mine)]
    for _ in range(steps):
        outs = [right(x), compiled(x.cuda().to(dtype))]
        close(outs[1], outs[0], bound)
        for out, optimiser in zip(outs, optimisers):
            optimiser.zero_grad()
            out.float().square().mean().backward()
            optimiser.step()
    for a, b in zip(mine.parameters(), right.parameters()):
        close(a, b, bound)


@case
def compiled_functions():
    def f(x, i):
        y = torch.softmax(x * 2 + torch.sin(x), 1) + F.gelu(x).cumsum(1) / 100
        return y[:, i].sum(1), (y * torch.arange(y.shape[1], device=x.device)).amax(1), y.argmax(1), torch.where(x > 0, x, y).var(0)

    x, i = rand(37, 100), torch.arange(0, 100, 7)
    for got, want in zip(torch.compile(f)(x.cuda(), i.cuda()), f(x, i)):
        close(got, want, 1e-4)


@case
def compiled_perceptron():
    torch.manual_seed(3)
    agrees(nn.Sequential(nn.Linear(40, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 10)), rand(24, 40))


@case
def compiled_perceptron_bf16():
    torch.manual_seed(3)
    agrees(nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 32)), rand(32, 64), 5e-2, dtype=torch.bfloat16)


class Block(nn.Module):
    """A layer of a transformer."""

    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, t, w = x.shape
        q, k, v = self.into(self.before(x)).reshape(n, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, w))
        return x + self.narrow(F.gelu(self.wide(self.between(x))))


@case
def compiled_transformer():
    torch.manual_seed(4)
    agrees(Block(), rand(2, 24, 64), 2e-4)


@case
def compiled_convolutions():
    torch.manual_seed(5)
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    with torch.backends.cudnn.flags(enabled=False):
        agrees(model, rand(4, 3, 16, 16), 2e-4)


@case
def compiled_flex_attention():
    """Attention whose scores a function changes, as Triton's kernels."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    q, k, v = (rand(1, 2, 128, 32, seed=s) for s in range(3))
    near = lambda b, h, i, j: (i >= j) & (i - j < 40)
    score = lambda s, b, h, i, j: s + 0.05 * (j - i)
    i, j = torch.arange(128)[:, None], torch.arange(128)[None, :]
    want = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.where(near(0, 0, i, j), 0.05 * (j - i), float("-inf")))
    mask = create_block_mask(near, None, None, 128, 128, device="cuda")
    close(torch.compile(flex_attention)(q.cuda(), k.cuda(), v.cuda(), score_mod=score, block_mask=mask), want, 5e-3)


@case
def tuned_product():
    """max-autotune: Triton's products are measured beside cuBLAS's, and a convolution beside PyTorch's."""
    import torch._inductor.config as config
    a, b, bias = rand(64, 96, dtype=torch.float16), rand(96, 128, dtype=torch.float16, seed=2), rand(128, dtype=torch.float16)
    f = lambda a, b, bias: F.relu(a @ b + bias)
    with config.patch(max_autotune=True, max_autotune_gemm_backends="TRITON", autotune_in_subproc=False, autotune_num_choices_displayed=0,
                      max_autotune_gemm_search_space="DEFAULT"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        close(torch.compile(f)(a.cuda(), b.cuda(), bias.cuda()), f(a.float(), b.float(), bias.float()), 5e-2)


@case
def replayed():
    """reduce-overhead: the compiled function is captured in a graph, and the graph launched."""
    f = torch.compile(lambda x: (torch.sin(x) * 2 + x).softmax(0), mode="reduce-overhead")
    for k in range(4):
        x = rand(50, 8, seed=k)
        torch.compiler.cudagraph_mark_step_begin()
        close(f(x.cuda()).clone(), (torch.sin(x) * 2 + x).softmax(0), 1e-5)


def main(names):
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", folder)
        os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(folder, "triton"))
        failed, said = acceptance.run("PyTorch %s, Triton %s" % (torch.__version__, triton.__version__), CASES, acceptance.completes, names)
    print(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
