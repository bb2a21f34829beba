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
