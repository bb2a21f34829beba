"""Floating-point operations of instructions, by their text: what the roofline in bytes counts.

An addition, a subtraction and a product are one operation for each lane and element, and a fused product and sum is two, as
Nsight Compute counts them. A product of matrices m x k and k x n is 2 * m * n * k, of a sparse one half of that. Divisions,
roots and functions are not counted: in machine code they are sequences of these; atomics are not either."""

import re

# Operations of a lane.
PTX_KINDS = {"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2}
PTX_ELEMENTS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 1, "f16x2": 2, "bf16x2": 2, "f32x2": 2}
SASS = {
    "FADD": 1, "FMUL": 1, "FFMA": 2, "FADD32I": 1, "FMUL32I": 1, "FFMA32I": 2, "DADD": 1, "DMUL": 1, "DFMA": 2,
    "HADD2": 2, "HADD2_32I": 2, "HMUL2": 2, "HMUL2_32I": 2, "HFMA2": 4, "HFMA2_32I": 4, "FADD2": 2, "FMUL2": 2,
    "FFMA2": 4
}
# Shapes that machine code writes as one number.
SHAPES = {"16816": (16, 8, 16), "1688": (16, 8, 8), "1684": (16, 8, 4), "16832": (16, 8, 32), "16864": (16, 8, 64),
          "884": (8, 8, 4)}
INTEGERS = {"s8", "u8", "s4", "u4", "b1"}


def _ptx(words):
    """Operations of a lane, and of a warp."""
    kind, types = words[0], set(words[1:])
    if kind in PTX_KINDS:
        elements = [PTX_ELEMENTS[w] for w in words[1:] if w in PTX_ELEMENTS]
        return (PTX_KINDS[kind] * elements[-1], 0) if elements else (0, 0)
    matrices = kind in ("mma", "wgmma") or words[:2] == ["wmma", "mma"]
    shape = next(filter(None, (re.fullmatch(r"m(\d+)n(\d+)k(\d+)", w) for w in words)), None)
    if not matrices or not shape or types & INTEGERS:
        return 0, 0
    m, n, k = map(int, shape.groups())
    found = 2 * m * n * k / (2 if "sp" in types else 1)
    return 0, found / (4 if kind == "wgmma" else 1)  # of four warps


def _sass(words):
    if words[0] in SASS:
        return SASS[words[0]], 0
    if words[0] in ("HMMA", "DMMA", "QMMA") and len(words) > 1:
        shape = next((SHAPES[w] for w in words if w in SHAPES), None)
        if shape and (words[0] == "DMMA" or shape != SHAPES["884"]):  # of Volta's there are several to a product
            return 0, 2 * shape[0] * shape[1] * shape[2] / (2 if "SP" in words else 1)
    if words[0] in ("HGMMA", "QGMMA"):
        shape = next(filter(None, (re.fullmatch(r"(\d+)x(\d+)x(\d+)", w) for w in words)), None)
        if shape:
            m, n, k = map(int, shape.groups())
            return 0, 2 * m * n * k / 4 / (2 if "SP" in words else 1)
    return 0, 0


def of_text(text, front_end):
    """Operations of an instruction: of each lane, and of a warp as a whole."""
    found = re.match(r"\s*(?:@!?%?\w+\s+)?([A-Za-z_][\w.:]*)", text)
    if not found:
        return 0, 0
    words = [w for w in re.split(r"[.:]+", found.group(1)) if w]
    return _ptx(words) if front_end == "ptx" else _sass(words)


def of_listing(code):
    """Operations that a kernel executed; None where executions were not counted."""
    if not code or not code.counted:
        return None
    total = 0
    for line in code.lines:
        lane, warp = of_text(line.code, code.front_end)
        total += lane * line.counted.get("threads", 0) + warp * line.counted.get("warps", 0)
    return total
