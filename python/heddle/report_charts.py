"""The charts of one kernel in a report. Each function takes a kernel of runs.py and the name of the chart, and gives
SVG, or None where the file has nothing to draw."""

from . import drawing

# Why a scheduler issued nothing: text and colour of each reason of issue_slots. docs/statistics.md explains them.
REASONS = {
    "ISSUED": ("issued", "#5b9f6a"), "SCOREBOARD": ("scoreboard", "#b8505a"),
    "COUNTER": ("dependence counter", "#b8505a"),
    "STALL": ("stall count", "#d48fb5"), "PIPE_FULL": ("pipe full", "#e08a3c"),
    "MEMORY_QUEUE": ("memory queue", "#8f4f1c"),
    "PORTS": ("register ports", "#b3a33a"), "CONSTANT": ("constant", "#8c6bb1"), "BARRIER": ("barrier", "#3a6ea5"),
    "FENCE": ("fence", "#2f4b6e"), "ATOMIC": ("atomic", "#74262f"), "CONTROL": ("branch", "#4bb0b8"),
    "EMPTY_BUFFER": ("no instruction", "#7f6a55"), "NOT_ELIGIBLE": ("not considered", "#9aa5b1"),
    "ASYNC": ("asynchronous", "#553a7a"),
    "NO_WARP": ("no warp", "#e5e7eb"),
}
OTHER = "#c9c9c9"


def reason_text(reason):
    """A reason as the charts call it."""
    return REASONS[reason][0] if reason in REASONS else reason.lower()


COLOURS = {text: colour for text, colour in REASONS.values()}


def in_order(reasons):
    """Reasons in the order of REASONS, those unknown to it last."""
    known = list(REASONS)
    return sorted(reasons, key=lambda r: known.index(r) if r in known else len(known))


def slots(kernel):
    """issue_slots of a kernel: a dict for each scheduler, without TOTAL; [] where there are none."""
    return [{r: n or 0 for r, n in s.items() if r != "TOTAL"} for s in kernel.table("issue_slots") or []]


def top_wait(kernel):
    """The reason that took most issue slots that were not used, and its share of all; None where that is not known."""
    total = {}
    for scheduler in slots(kernel):
        for reason, n in scheduler.items():
            total[reason] = total.get(reason, 0) + n
    waits = {r: n for r, n in total.items() if r != "ISSUED" and n}
    if not waits:
        return None
    reason = max(waits, key=lambda r: waits[r])
    return reason_text(reason), waits[reason] / sum(total.values())


def issue_slots(kernel, name):
    """Stall reasons of each scheduler."""
    found = slots(kernel)
    reasons = in_order({r for s in found for r, n in s.items() if n})
    if not reasons:
        return None
    series = {reason_text(r): [s.get(r, 0) for s in found] for r in reasons}
    return drawing.stacked(name, ["scheduler %d" % i for i in range(len(found))], series, colours=COLOURS,
                           title="Where the schedulers' cycles went", xlabel="core cycles, summed over SMs",
                           unit="cycles",
                           width=480)


def hit_rate(kernel, cache):
    """The share of accesses that hit, None without accesses."""
    missed = kernel.ratio(cache + "_total_cache_misses", cache + "_total_cache_accesses")
    return None if missed is None else 1 - missed


def _traffic(kernel, direction):
    rows = kernel.table("traffic_breakdown_" + direction)
    return sum(r.get("bytes") or 0 for r in rows.values()) if rows is not None else None


def dram(kernel):
    """Reads and writes of DRAM: bytes where the recording tells the size of a burst, else bursts; and the unit."""
    reads, writes = kernel["gpgpu_n_dram_reads"], kernel["gpgpu_n_dram_writes"]
    size = ((kernel.record or {}).get("gpu") or {}).get("dram_burst_bytes")
    if reads is None or writes is None:
        return None, None, "bursts"
    return (reads * size, writes * size, "bytes") if size else (reads, writes, "bursts")


def memory(kernel, name):
    """Bytes and hit rates from the SMs to DRAM."""
    if kernel["L2_total_cache_accesses"] is None:
        return None

    def percent(cache):
        rate = hit_rate(kernel, cache)
        return "not used" if rate is None else "%.1f %% hit" % (100 * rate)

    def count(figure):
        return drawing.number(kernel[figure])

    reads, writes, unit = dram(kernel)
    boxes = [(0, 4, 17, 94, ["SMs", count("gpgpu_n_load_insn") + " loads", count("gpgpu_n_store_insn") + " stores"]),
             (32, 46, 14, 52, ["L1 data", percent("L1D"), count("L1D_total_cache_accesses") + " acc."]),
             (32, 4, 14, 32, ["Shared", count("gpgpu_n_shmem_bkconflict") + " cycles", "of conflicts"]),
             (62, 30, 14, 68, ["L2", percent("L2"), count("L2_total_cache_accesses") + " acc."]),
             (89, 30, 11, 68, ["DRAM", count("gpgpu_n_dram_activate") + " rows"])]
    arrows = [((17, 72), (32, 72), kernel["L1D_total_cache_accesses"], "accesses"),
              ((17, 20), (32, 20), kernel["gpgpu_n_shmem_insn"], "threads"),
              ((46, 83), (62, 83), _traffic(kernel, "coretomem"), "bytes"),
              ((62, 57), (46, 57), _traffic(kernel, "memtocore"), "bytes"),
              ((76, 83), (89, 83), writes, unit), ((89, 57), (76, 57), reads, unit)]
    return drawing.flow(name, boxes, arrows, title="Memory", width=500, height=165)


def lanes(kernel, name):
    """Lanes that take part in an issued warp instruction."""
    found = kernel.table("Warp Occupancy Distribution") or {}
    by = {int(k[1:]): n or 0 for k, n in found.items() if k[:1] == "W" and k[1:].isdigit()}
    if not sum(by.values()):
        return None
    last = max(by)
    groups = [(a, min(a + 3, last)) for a in range(1, last + 1, 4)]
    return drawing.bars(name, ["%d–%d" % g for g in groups],
                        [sum(by.get(i, 0) for i in range(a, b + 1)) for a, b in groups],
                        title="Lanes of issued instructions", unit="warp instructions", width=330)


def latency(kernel, name):
    """Round trips of memory requests."""
    found = kernel.table("mf_lat_table")
    if not found or not any(found):
        return None
    used = [i for i, n in enumerate(found) if n]
    places = range(used[0], used[-1] + 1)
    return drawing.bars(name, ["%d–%d" % (1 << i if i else 0, (2 << i) - 1) for i in places],
                        [found[i] for i in places],
                        title="Round trips of memory requests, in core cycles", unit="requests", width=330)


def banks(kernel, name):
    """Accesses of each DRAM bank."""
    found = kernel.table("number of total memory accesses made")
    if not found or not any(map(any, found)):
        return None
    return drawing.heat_map(name, found, title="DRAM accesses by channel and bank", unit="bursts", xlabel="bank",
                            ylabel="channel", width=480)


def slices(kernel, name):
    """Accesses of each slice of L2, which the network brings."""
    found = kernel.table("L2_cache_bank")
    if not found or not any(s.get("Access") for s in found):
        return None
    wide = next((w for w in (16, 12, 8, 6, 4, 2) if len(found) % w == 0), 1)
    rows = [[s.get("Access") for s in found[i:i + wide]] for i in range(0, len(found), wide)]
    return drawing.heat_map(name, rows, title="L2 accesses by slice", unit="accesses", xlabel="slice, plus row",
                            ylabel="row", y=[str(i) for i in range(0, len(found), wide)], width=480)


def classes(kernel, name):
    """Functional mode: warp instructions by class."""
    found = kernel.table("gpgpu_n_w_icount")
    if not found:
        return None
    return drawing.bars(name, list(found), [v[0] if v else None for v in found.values()], title="Instructions by class",
                        unit="warp instructions")


# In the order of the page: part of the id, chart, what it shows.
CHARTS = [
    ("slots", issue_slots, "Each scheduler's cycles while its SM held a block, by why nothing was issued."),
    ("memory", memory, "What the kernel moved. Between SMs and L2 are packets of the network, heads included."),
    ("lanes", lanes, "Fewer than 32: lanes have parted at branches, or blocks are no multiple of a warp."),
    ("latency", latency, "From the SM's request to its answer."),
    ("banks", banks, "Dark columns or rows: addresses meet in few banks or channels."),
    ("slices", slices, "Requests that the network brought to each slice."),
    ("classes", classes, "Functional mode counts instructions only."),
]
