"""Charts of what a run recorded (-stats_record): over time, occupancy, roofline. As in report_charts.py."""

from . import drawing, flops
from .report_charts import COLOURS, in_order, reason_text

WIDE = 480
MOST_BINS = 32   # of a heat map, across and down


def record(kernel):
    """The recording of a kernel, {} without one."""
    return kernel.record if isinstance(kernel.record, dict) else {}


def samples(kernel):
    """The samples, if there are any; else None."""
    found = record(kernel).get("samples")
    return found if isinstance(found, dict) and found.get("cycles") else None


def edges(found):
    """The cycles between which the samples lie: one more than there are samples."""
    ends = [0]
    for n in found["cycles"]:
        ends.append(ends[-1] + n)
    return ends


def _rate(over, under):
    return [a / b if b else None for a, b in zip(over, under)]


def ipc(kernel, name):
    """Instructions per cycle over time."""
    found = samples(kernel)
    if not found:
        return None
    return drawing.areas(name, edges(found), {"IPC": _rate(found["thread_insts"], found["cycles"])},
                         title="IPC over time",
                         unit="thread instr. / cycle", xlabel="core cycles since the kernel before had ended",
                         height=150, width=WIDE)


def waits(kernel, name):
    """Where the schedulers' cycles went, over time."""
    found = samples(kernel)
    if not found or not found.get("issue_slots"):
        return None
    slots = found["issue_slots"]
    reasons = in_order(slots)
    total = [sum(column) for column in zip(*slots.values())]
    series = {reason_text(r): [100 * n / t if t else 0 for n, t in zip(slots[r], total)] for r in reasons}
    return drawing.areas(name, edges(found), series, colours=COLOURS,
                         title="Where the schedulers' cycles went, over time", unit="%",
                         xlabel="core cycles", height=190, width=WIDE)


def hits(kernel, name):
    """Hit rates over time."""
    found = samples(kernel)
    if not found or not any(found["l2_accesses"]):
        return None
    series = {}
    for cache in ("l1", "l2"):
        if any(found[cache + "_accesses"]):
            series[cache.upper()] = [None if m is None else 100 * (1 - m) for m in
                                     _rate(found[cache + "_misses"], found[cache + "_accesses"])]
    places = edges(found)
    return drawing.lines(name, [(a + b) / 2 for a, b in zip(places, places[1:])], series, title="Hit rates over time",
                         unit="%",
                         xlabel="core cycles", height=150, width=WIDE)


def bandwidth(kernel, name):
    """DRAM traffic over time."""
    found, gpu = samples(kernel), record(kernel).get("gpu") or {}
    if not found or not gpu.get("dram_burst_bytes") or not any(found["dram_reads"] + found["dram_writes"]):
        return None
    scale = gpu["dram_burst_bytes"] * gpu["core_hz"] / 1e9
    series = {w: [n * scale / c if c else 0 for n, c in zip(found["dram_" + w], found["cycles"])]
              for w in ("reads", "writes")}
    return drawing.areas(name, edges(found), series, title="DRAM traffic over time", unit="GB/s", xlabel="core cycles",
                         height=150, width=WIDE)


def _bins(rows, most):
    """Neighbours added up until there are at most so many rows; and the label of each."""
    step = max(1, -(-len(rows) // most))
    starts = range(0, len(rows), step)
    labels = ["%d" % i if step == 1 else "%d–%d" % (i, min(i + step, len(rows)) - 1) for i in starts]
    return [[sum(c) for c in zip(*rows[i:i + step])] for i in starts], labels


def _over_time(kernel, name, member, title, unit, ylabel):
    found = samples(kernel)
    rows = found.get(member) if found else None
    if not rows or not any(map(any, rows)):
        return None
    rows, labels = _bins(rows, MOST_BINS)
    columns, _ = _bins([list(c) for c in zip(*rows)], MOST_BINS)
    places, step = edges(found), max(1, -(-len(found["cycles"]) // MOST_BINS))
    return drawing.heat_map(name, [list(r) for r in zip(*columns)], title=title, unit=unit, xlabel="cycle",
                            ylabel=ylabel, y=labels,
                            x=["%d" % places[i] for i in range(0, len(places) - 1, step)], width=WIDE)


def channels(kernel, name):
    """Traffic of each DRAM channel over time."""
    return _over_time(kernel, name, "dram", "DRAM channels over time", "bursts", "channel")


def network(kernel, name):
    """Requests that the network brings to each slice of L2, over time."""
    return _over_time(kernel, name, "l2", "Requests from the network over time", "requests", "L2 slice")


def resident(kernel, name):
    """Warps on an SM that has any, over time."""
    found, gpu = samples(kernel), record(kernel).get("gpu") or {}
    if not found or not any(found["sm_cycles"]):
        return None
    places = edges(found)
    series = {"resident": _rate(found["warp_cycles"], found["sm_cycles"])}
    if gpu.get("max_warps"):
        series["room for"] = [gpu["max_warps"]] * len(found["cycles"])
    return drawing.lines(name, [(a + b) / 2 for a, b in zip(places, places[1:])], series,
                         title="Warps of an SM with a block, over time",
                         unit="warps", xlabel="core cycles", height=150, width=WIDE)


def limits(kernel):
    """How many blocks of the kernel an SM holds by each of its resources; {} where that was not recorded."""
    launch, gpu = record(kernel).get("launch"), record(kernel).get("gpu")
    if not launch or not gpu:
        return {}
    x, y, z = launch["block"]
    threads = -(-x * y * z // 32) * 32
    shared = launch["static_shared"] + launch["dynamic_shared"]
    out = {"threads": gpu["max_threads"] // threads if threads else None, "blocks": gpu["max_blocks"]}
    registers = threads * (-(-launch["registers"] // 4) * 4)
    out["registers"] = gpu["registers"] // registers if registers else None
    out["shared memory"] = gpu["shared_bytes"] // shared if shared else None
    return out


def occupancy(kernel, name):
    """Blocks that an SM holds, by what limits them."""
    found = {k: v for k, v in limits(kernel).items() if v is not None}
    if not found:
        return None
    return drawing.bars(name, list(found), list(found.values()), title="Blocks that fit on an SM, by each limit",
                        unit="blocks", width=330)


def moved(kernel):
    """The bytes that DRAM and L2 moved; None where that was not recorded."""
    gpu, found = record(kernel).get("gpu"), samples(kernel)
    if not gpu or not found:
        return None
    out = {"DRAM": sum(found["dram_reads"] + found["dram_writes"]) * gpu["dram_burst_bytes"]}
    out["L2"] = sum(sum(r.get("bytes") or 0 for r in (kernel.table("traffic_breakdown_" + d) or {}).values())
                    for d in ("coretomem", "memtocore"))
    return out


def intensity(kernel, count):
    """10^9 of what was counted a second, and so many for a byte of DRAM and L2: the points of a roofline."""
    found, cycles = moved(kernel), kernel["gpu_sim_cycle"]
    if not found or not cycles or not count:
        return None
    return count * kernel.record["gpu"]["core_hz"] / cycles / 1e9, {level: count / n for level, n in found.items() if n}


def roofline(kernel, name):
    """Warp instructions a second over those for a byte, below what the GPU can issue and move."""
    insts = sum((samples(kernel) or {}).get("warp_insts", []))
    return _roofs(kernel, name, insts, 1, "issue", "Roofline of instructions", "warp instructions")


def flop_roofline(kernel, name, code):
    """Floating-point operations a second over those for a byte, below what fused products and sums alone would make."""
    return _roofs(kernel, name, flops.of_listing(code), 64, "fma in each issue slot", "Roofline of floating point", "FLOP")


def _roofs(kernel, name, count, each, top, title, unit):
    """`each`: the most of what is counted that an issued warp instruction is."""
    found = intensity(kernel, count)
    if not found or not found[1]:
        return None
    gpu, (rate, per_byte) = kernel.record["gpu"], found
    issue = gpu["sms"] * gpu["schedulers"] * each * gpu["core_hz"] / 1e9
    dram = gpu["dram_channels"] * gpu["dram_bytes_per_tick"] * gpu["dram_hz"] / 1e9
    l2 = gpu["l2_slices"] * 32 * gpu["l2_hz"] / 1e9
    left, right = min(min(per_byte.values()) / 3, issue / l2 / 3), max(max(per_byte.values()) * 3, issue / dram * 3)
    roofs = [("%s, %s GB/s" % (what, drawing.number(float("%.4g" % band))),
              [(left, left * band), (issue / band, issue)])
             for what, band in (("DRAM", dram), ("L2", l2)) if band]
    roofs.append(("%s, %s G/s" % (top, drawing.number(float("%.4g" % issue))),
                  [(issue / l2 if l2 else left, issue), (right, issue)]))
    return drawing.scatter(name, [(x, rate, level) for level, x in per_byte.items()], log=True, limits=roofs,
                           title=title, xlabel=unit + " / byte", ylabel=("G%s/s" if each > 1 else "%s, G/s") % unit,
                           width=420, height=230)


CHARTS = [
    ("ipc", ipc, "Before the first block starts lies the time that the launch takes."),
    ("waits", waits, "Of the SMs that hold a block."),
    ("resident", resident, "Falls at the end, when blocks run out."),
    ("occupancy", occupancy, "The shortest bar limits how many blocks share an SM."),
    ("roofline", roofline, "A point at a slanted roof: that memory is the limit. Far below all roofs: latency is."),
    ("flops", flop_roofline, "By the counters of the listing. The flat roof is an fma of 32 lanes in each issue slot, more than most "
     "GPUs have units for; tensor cores go beyond it."),
    ("hits", hits, ""),
    ("bandwidth", bandwidth, ""),
    ("channels", channels, "Rows darker than others: the addresses do not spread over the channels."),
    ("network", network, "Rows darker than others: the network has to bring more to one slice than to others."),
]
