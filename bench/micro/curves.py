"""The curves that the micro-benchmarks give, their units, files of them, and what can be read from a curve."""

import os
from dataclasses import dataclass

# Of each curve: the program that prints it, what x is, what the value is.
CURVES = {
    "latency": ("latency", "KB walked through", "cycles of a load"),
    "bandwidth": ("bandwidth", "KB read by every SM", "bytes a cycle and SM"),
    "dram_read": ("bandwidth", "threads on an SM", "bytes a cycle"),
    "dram_write": ("bandwidth", "threads on an SM", "bytes a cycle"),
    "dram_scale": ("bandwidth", "threads on an SM", "bytes a cycle"),
    "stride": ("bandwidth", "words between threads", "cycles of a load"),
    "shared_latency": ("shared", "-", "cycles of a load"),
    "shared_conflicts": ("shared", "words between threads", "cycles of a load of a warp"),
    "atomic_latency": ("atomics", "-", "cycles"),
    "atomic_one": ("atomics", "SMs", "cycles of a warp's instruction"),
    "atomic_line": ("atomics", "SMs", "cycles of a warp's instruction"),
    "atomic_spread": ("atomics", "SMs", "cycles of a warp's instruction"),
    "atomic_one_float": ("atomics", "SMs", "cycles of a warp's instruction"),
    "atomic_one_64": ("atomics", "SMs", "cycles of a warp's instruction"),
    "launch": ("launch", "blocks", "microseconds"),
    "latency_wmma": ("tensor", "-", "cycles"),
    "rate_wmma": ("tensor", "warps", "multiply-adds a cycle and SM"),
    "constant_cache": ("caches", "KB walked through", "cycles of a load"),
    "instruction_cache": ("caches", "KB of code", "cycles of an instruction"),
}
OPERATIONS = ["fadd", "ffma", "integer", "imad", "shf", "popc", "dadd", "dfma", "rsqrt", "ex2", "cvt", "hfma2", "shfl"]
for _name in OPERATIONS:
    CURVES[f"latency_{_name}"] = ("instructions", "-", "cycles")
    CURVES[f"rate_{_name}"] = ("instructions", "warps", "thread instructions a cycle and SM")
for _bits in (32, 64, 128):
    CURVES |= {f"each_{_what}_{_bits}": ("widths", "warps", "cycles of a warp's instruction") for _what in
               ("load_l1", "load_shared", "store_global", "store_shared")}
CURVES |= {
    "latency_load_l1": ("widths", "bits of a lane", "cycles"),
    "latency_load_shared": ("widths", "bits of a lane", "cycles"),
    "each_load_l1_apart": ("widths", "bytes between threads", "cycles of a warp's instruction"),
    "launch_gap": ("launch", "blocks", "cycles of an SM between kernels"),
    "launch_gap_graph": ("launch", "blocks", "cycles of an SM between kernels"),
    "block_start": ("launch", "blocks before it on the SM", "cycles after the first"),
}
CURVES |= {f"kernel_{_threads}": ("kernels", "elements", "microseconds from kernel to kernel") for _threads in (32, 64, 128, 256, 512, 1024)}
for _form in ("", "_rs", "_half_sums", "_tf32", "_e4m3", "_s8"):
    CURVES |= {f"wgmma_{_what}{_form}": ("hopper", "n of a product", "cycles of a product") for _what in ("alone", "each", "issue", "each_of_two")}
for _form in ("f16", "bf16", "f16_k8", "f16_sums", "tf32", "s8", "e4m3", "sparse", "f64", "f64_k16"):
    CURVES |= {f"latency_mma_{_form}": ("hopper", "-", "cycles"), f"each_mma_{_form}": ("hopper", "warps", "cycles of a warp's product")}
CURVES |= {"ldmatrix": ("hopper", "matrices", "cycles"), "ldmatrix_16_warps": ("hopper", "matrices", "cycles"),
           "barrier": ("hopper", "warps", "cycles")}
for _form in ("cta", "gl", "sys", "sc_cta", "acq_rel_gpu", "proxy"):
    CURVES |= {f"fence_{_form}{_after}": ("hopper", "warps", "cycles") for _after in ("", "_shared", "_global")}
CURVES |= {
    "mbarrier_arrive": ("hopper", "-", "cycles"),
    "mbarrier_try_wait": ("hopper", "-", "cycles"),
    "tma_first": ("hopper", "bytes", "cycles of a kernel's first copy"),
    "tma_load": ("hopper", "bytes", "cycles"),
    "tma_store": ("hopper", "bytes", "cycles"),
    "tma_loads_of_128": ("hopper", "copies at once", "cycles"),
    "tma_loads_of_16384": ("hopper", "copies at once", "cycles"),
    "cp_async": ("hopper", "-", "cycles"),
    "tma_l2": ("hopper", "blocks on an SM", "bytes a cycle"),
    "tma_dram": ("hopper", "blocks on an SM", "bytes a cycle"),
    "cluster_barrier": ("hopper", "blocks of a cluster", "cycles"),
    "cluster_barrier_8_warps": ("hopper", "blocks of a cluster", "cycles"),
    "relaxed_cluster_barrier": ("hopper", "blocks of a cluster", "cycles"),
    "remote_bytes": ("hopper", "blocks of a cluster", "bytes a cycle and SM"),
}
CURVES |= {f"remote_load_of_{_size}": ("hopper", "ranks between the blocks", "cycles") for _size in (2, 4, 8, 16)}
CURVES |= {f"l2_from_sm_{_line}": ("hopper", "SM", "cycles of a load") for _line in range(4)}
PROGRAMS = list(dict.fromkeys(program for program, _, _ in CURVES.values()))


class Mistake(Exception):
    """What is wrong in a file, where, and what to do."""


# By name of the curve, points in rising order of x.
Curves = dict[str, list[tuple[float, float]]]


def parse(text: str, name: str) -> Curves:
    """Curves of a table: lines with curve, x and value, tabs between them; '#' begins a remark. Mistake for other lines."""
    out: Curves = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        where = f"{name}:{number}"
        if len(cells) != 3:
            raise Mistake(f"{where}: wanted are curve, x and value with tabs between them, and this is: {line[:60]}")
        if cells[0] not in CURVES:
            raise Mistake(f"{where}: there is no curve '{cells[0]}'; there are: {', '.join(CURVES)}")
        try:
            x, value = float(cells[1]), float(cells[2])
        except ValueError:
            x = value = -1.0
        if not 0 <= x < 1e15 or not 0 < value < 1e15:
            raise Mistake(f"{where}: '{cells[1]}' and '{cells[2]}' are no point: positive numbers are wanted")
        out.setdefault(cells[0], []).append((x, value))
    for points in out.values():
        points.sort()
    return out


def read(path: str) -> Curves:
    try:
        with open(path, encoding="utf-8") as f:
            return parse(f.read(), path)
    except OSError as e:
        raise Mistake(f"{path}: {e.strerror}") from None
    except UnicodeDecodeError:
        raise Mistake(f"{path}: no text") from None


def write(path: str, curves: Curves, head: list[str]) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        for line in head:
            f.write(f"# {line}\n")
        for name in CURVES:
            for x, value in curves.get(name, []):
                f.write(f"{name}\t{x:g}\t{value:.6g}\n")


@dataclass
class Plateau:
    """A stretch of a curve of one height: from x to x."""
    first: float
    last: float
    value: float
    points: int


def plateaus(points: list[tuple[float, float]], tolerance: float = 0.08) -> list[Plateau]:
    """Stretches of at least three points whose values differ from their median by no more than `tolerance`. What rises or
    falls between two of them belongs to neither."""
    out: list[Plateau] = []
    i = 0
    while i < len(points):
        j = i
        while j < len(points) and _flat([v for _, v in points[i:j + 1]], tolerance):
            j += 1
        if j - i >= 3:
            values = sorted(v for _, v in points[i:j])
            value = values[len(values) // 2]
            if out and abs(out[-1].value - value) <= tolerance * value:
                out[-1].last = points[j - 1][0]
            else:
                out.append(Plateau(points[i][0], points[j - 1][0], value, j - i))
            i = j
        else:
            i += 1
    return out


def _flat(values: list[float], tolerance: float) -> bool:
    middle = sorted(values)[len(values) // 2]
    return all(abs(v - middle) <= tolerance * middle for v in values)


def value_at(points: list[tuple[float, float]], x: float) -> float | None:
    """The value between points, on straight lines; None beside the curve."""
    for (x0, v0), (x1, v1) in zip(points, points[1:]):
        if x0 <= x <= x1:
            return v0 if x1 == x0 else v0 + (v1 - v0) * (x - x0) / (x1 - x0)
    return points[0][1] if len(points) == 1 and points[0][0] == x else None
