"""What PyTorch does with a GPU beside computing: streams, events, pinned memory, its allocator, graphs, random numbers, and what it
says of libraries that cannot run here.

    python -m heddle run -stats_file /dev/null tests/python/accept_torch_device.py [NAME...]

One line per case that fails; the last line counts. Exit status 77 without PyTorch for CUDA."""

import os
import sys
import tempfile
import threading

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

CASES = {}


def case(function):
    """Makes a case of a function that raises an exception if something is wrong."""
    CASES[function.__name__] = function
    return function


def same(a, b, what=""):
    a, b = torch.as_tensor(a).cpu(), torch.as_tensor(b).cpu()
    assert a.shape == b.shape and torch.equal(a, b), "%s %s is not %s" % (what, a, b)


def close(a, b):
    torch.testing.assert_close(torch.as_tensor(a).cpu(), torch.as_tensor(b).cpu(), rtol=2e-5, atol=2e-5)


def fails(wanted, function):
    """The message of the error with that word that the function raises."""
    try:
        function()
    except RuntimeError as e:
        assert wanted in str(e), "the error is %s" % e
        return str(e)
    raise AssertionError("no error with %s" % wanted)


@case
def device():
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
    p = torch.cuda.get_device_properties(0)
    assert (p.major, p.minor) == torch.cuda.get_device_capability() and p.name == torch.cuda.get_device_name()
    assert p.multi_processor_count > 0 and p.warp_size == 32 and p.total_memory > 1 << 30
    assert not torch.cuda.can_device_access_peer(0, 0)
    fails("invalid device ordinal", lambda: torch.zeros(1, device="cuda:1"))
    same(torch.ones(3, device="cuda"), [1.0, 1.0, 1.0])  # and nothing is broken thereafter


@case
def streams():
    a = torch.arange(100000.0, device="cuda")
    s, t = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
    s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(s):
        b = a * 2
        done = s.record_event()
    t.wait_event(done)
    with torch.cuda.stream(t):
        c = b + 1
        c.record_stream(t)
    torch.cuda.current_stream().wait_stream(t)
    same((c - 1) / 2, torch.arange(100000.0))
    s.synchronize()
    assert s.query() and t.query() and s != t and torch.cuda.default_stream() == torch.cuda.current_stream()


@case
def events():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    x = torch.rand(200, 200, device="cuda")
    start.record()
    for _ in range(3):
        x = x @ x * 0.01
    end.record()
    end.synchronize()
    assert end.query() and start.elapsed_time(end) >= 0


@case
def pinned_memory():
    host = torch.arange(5000, dtype=torch.int32).pin_memory()
    assert host.is_pinned() and not torch.arange(5).is_pinned()
    d = host.to("cuda", non_blocking=True)
    back = torch.empty(5000, dtype=torch.int32, pin_memory=True)
    back.copy_(d * 3, non_blocking=True)
    torch.cuda.synchronize()
    same(back, host * 3)
    part = torch.zeros(50, 100)
    part[:, 10:60].copy_(torch.ones(50, 50, device="cuda"))
    assert part.sum() == 2500


@case
def allocator():
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    x = torch.empty(1 << 20, dtype=torch.float32, device="cuda")
    at = x.data_ptr()
    assert torch.cuda.memory_allocated() - before == 4 << 20
    del x
    assert torch.cuda.memory_allocated() == before and torch.cuda.max_memory_allocated() - before == 4 << 20
    y = torch.empty(1 << 20, dtype=torch.float32, device="cuda")
    assert y.data_ptr() == at, "freed memory is not used again"
    del y
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total == torch.cuda.get_device_properties(0).total_memory
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() >= before and "CUDA" in torch.cuda.memory_summary() and torch.cuda.memory_snapshot() is not None
    same(torch.zeros(3, device="cuda"), torch.zeros(3))


@case
def out_of_memory():
    total = torch.cuda.get_device_properties(0).total_memory
    try:
        torch.empty(total + (1 << 30), dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError as e:
        assert "out of memory" in str(e)
    else:
        raise AssertionError("more memory than the GPU has")
    same(torch.ones(5, device="cuda").sum(), 5.0)


@case
def graphs():
    x = torch.zeros(1000, device="cuda")
    w = torch.rand(1000, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            y = (x * w + 1).relu().sum()
    torch.cuda.current_stream().wait_stream(side)
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = (x * w + 1).relu().sum()
    for value in (0.0, 1.0, -3.0):
        x.fill_(value)
        g.replay()
        close(y, (value * w.cpu() + 1).relu().sum())
    g.reset()


@case
def graph_of_training():
    """A whole step of training, as it is captured and replayed."""
    torch.manual_seed(2)
    reference = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).cuda()
    model.load_state_dict(reference.state_dict())
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    x, t = torch.zeros(32, 8, device="cuda"), torch.zeros(32, 1, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            optimiser.zero_grad(set_to_none=True)
            F.mse_loss(model(x), t).backward()
    torch.cuda.current_stream().wait_stream(side)
    g = torch.cuda.CUDAGraph()
    optimiser.zero_grad(set_to_none=True)
    with torch.cuda.graph(g):
        loss = F.mse_loss(model(x), t)
        loss.backward()
        optimiser.step()
    model.load_state_dict(reference.state_dict())
    cpu = torch.optim.SGD(reference.parameters(), lr=0.1)
    for k in range(4):
        batch, wanted = torch.randn(32, 8), torch.randn(32, 1)
        x.copy_(batch)
        t.copy_(wanted)
        g.replay()
        cpu.zero_grad()
        value = F.mse_loss(reference(batch), wanted)
        value.backward()
        cpu.step()
        close(loss, value.detach())
    for a, b in zip(model.parameters(), reference.parameters()):
        close(a.detach(), b.detach())


@case
def random_numbers():
    torch.cuda.manual_seed(7)
    a, b = torch.rand(1000, device="cuda"), torch.randn(1000, device="cuda")
    torch.cuda.manual_seed(7)
    same(torch.rand(1000, device="cuda"), a)
    same(torch.randn(1000, device="cuda"), b)
    state = torch.cuda.get_rng_state()
    c = torch.randint(0, 10, (500,), device="cuda")
    torch.cuda.set_rng_state(state)
    same(torch.randint(0, 10, (500,), device="cuda"), c)
    assert 0 <= a.min() and a.max() < 1 and abs(a.mean() - 0.5) < 0.05 and abs(b.mean()) < 0.15 and abs(b.std() - 1) < 0.1
    assert sorted(torch.randperm(3000, device="cuda").tolist()) == list(range(3000))
    p = torch.tensor([0.1, 0.2, 0.7], device="cuda")
    picked = torch.multinomial(p, 4000, replacement=True).bincount(minlength=3) / 4000
    assert (picked - p).abs().max() < 0.05
    for sample in (torch.empty(4000, device="cuda").exponential_(), torch.empty(4000, device="cuda").uniform_(0, 2),
            torch.poisson(torch.ones(4000, device="cuda")), torch.empty(4000, device="cuda").geometric_(0.999).clamp(max=1)):
        assert abs(sample.mean() - 1) < 0.1, sample.mean()
    assert abs(torch.bernoulli(torch.full((4000,), 0.3, device="cuda")).mean() - 0.3) < 0.05


@case
def dropout():
    x = torch.ones(10000, device="cuda", requires_grad=True)
    torch.manual_seed(5)
    y = F.dropout(x, 0.25)
    torch.manual_seed(5)
    same(F.dropout(x, 0.25).detach(), y.detach())
    kept = (y > 0).float().mean().item()
    assert abs(kept - 0.75) < 0.02, kept
    close(y[y > 0].detach(), torch.full((int((y > 0).sum()),), 1 / 0.75))
    same(torch.autograd.grad(y.sum(), x)[0], y.detach())
    same(F.dropout(x, 0.25, training=False).detach(), x.detach())


@case
def threads():
    """Each thread with a stream of its own."""
    results = [None] * 4

    def work(k):
        with torch.cuda.stream(torch.cuda.Stream()):
            x = torch.full((5000,), float(k), device="cuda")
            for _ in range(20):
                x = x * 1.5 - k * 0.5
            results[k] = x.cpu()

    all_of_them = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in all_of_them:
        t.start()
    for t in all_of_them:
        t.join()
    for k in range(4):
        close(results[k], torch.full((5000,), float(k)))


@case
def loaded_data():
    data = torch.utils.data.TensorDataset(torch.arange(64.0).view(32, 2), torch.arange(32))
    total = 0
    for x, i in torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, pin_memory=True, num_workers=1):
        assert x.is_pinned()
        x, i = x.cuda(non_blocking=True), i.cuda(non_blocking=True)
        same(x[:, 0], (2 * i).float())
        total += i.sum().item()
    assert total == 31 * 16


@case
def saved_and_loaded():
    import io
    f = io.BytesIO()
    model = nn.Linear(5, 6).cuda()
    torch.save({"model": model.state_dict(), "x": torch.arange(5, device="cuda")}, f)
    f.seek(0)
    d = torch.load(f, map_location="cuda")
    same(d["x"], torch.arange(5))
    same(d["model"]["weight"], model.weight.detach())
    assert d["x"].is_cuda


@case
def wrong_index():
    """A kernel's assertion ends the GPU's work with a status, as on a GPU; so it is asked of a process of its own."""
    import subprocess
    script = ("import torch\nx = torch.zeros(4, device='cuda')\n" "try:\n print(x[torch.tensor([7], device='cuda')].cpu())\nexcept RuntimeError as e:\n print('told:', str(e).splitlines()[0])\n")
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True)
    assert done.returncode == 0 and "told: CUDA error: device-side assert triggered" in done.stdout, done.stdout
    assert "Assertion" in done.stdout and "failed" in done.stdout, done.stdout


def heard(function):
    """What the function writes to standard error, by whatever means."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as f:
        os.dup2(f.fileno(), 2)
        try:
            function()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        f.seek(0)
        return f.read().decode()


@case
def missing_libraries():
    """Each ends in the status that its documentation has for a library that cannot start, and Heddle tells once which and why."""
    x = torch.randn(4, 4, device="cuda")
    image, weight = torch.randn(1, 1, 8, 8, device="cuda"), torch.randn(1, 1, 3, 3, device="cuda")
    for library, status, function in (
            ("libcudnn", "CUDNN_STATUS_NOT_INITIALIZED", lambda: F.conv2d(image, weight)),
            ("libcufft", "CUFFT_INTERNAL_ERROR", lambda: torch.fft.fft(x)),
            ("libcusolver", "CUSOLVER_STATUS_NOT_INITIALIZED", lambda: torch.linalg.svd(x)),
            ("libcusparse", "initialization error", lambda: torch.sparse.mm(x.to_sparse(), x))):
        told = [line for line in heard(lambda: fails(status,
            function)).splitlines() if line.startswith("heddle: %s" % library)]
        assert len(told) == 1 and "cannot run here" in told[0] and "stripped CUDA runtime" in told[0], (library, told)
        assert not [line for line in heard(lambda: fails(status,
            function)).splitlines() if line.startswith("heddle:")], library
    with torch.backends.cudnn.flags(enabled=False):
        close(F.conv2d(image, weight), F.conv2d(image.cpu(), weight.cpu()))
    close(x @ x, x.cpu() @ x.cpu())


@case
def one_process_of_nccl():
    """NCCL asks about hundreds of kernels of its own and launches none: nothing is told of those that cannot run here."""
    import torch.distributed as d
    x, parts = torch.arange(1000.0, device="cuda"), [torch.zeros(1000, device="cuda")]
    layer = torch.nn.Linear(8, 4).cuda()

    def work():
        d.init_process_group("nccl", store=d.HashStore(), rank=0, world_size=1, device_id=torch.device("cuda:0"))
        d.all_reduce(x)
        d.broadcast(x, 0)
        d.all_gather(parts, x)
        d.barrier()
        torch.nn.parallel.DistributedDataParallel(layer)(torch.ones(2, 8, device="cuda")).sum().backward()
        d.destroy_process_group()

    said = heard(work)
    assert not [line for line in said.splitlines() if "heddle" in line or "error" in line], said[:1000]
    same(x.cpu(), torch.arange(1000.0))
    same(parts[0].cpu(), torch.arange(1000.0))
    same(layer.weight.grad.cpu(), torch.full((4, 8), 2.0))


@case
def profiler():
    """CUPTI does not run here; what the CPU does is shown all the same."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
        torch.ones(5, device="cuda").sum().item()
    assert "aten::sum" in [e.key for e in p.key_averages()]


def main(names):
    torch.set_num_threads(1)
    failed, said = acceptance.run("PyTorch %s" % torch.__version__, CASES, acceptance.completes, names)
    print(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
