"""Kernels in the form of Nsight Compute: the CSV of `ncu --csv --page details`, written of a run and read of either.

Names and units are ncu's. A metric stands there only if Heddle counts what ncu measures under that name; docs/report.md
tells how each is worked out, and where a model's figure means less than a GPU's."""

import csv
import io
import math
import re

from . import report_charts, report_time
from .places import HeddleError

COLUMNS = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
           "Grid Size", "Device", "CC",
           "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type", "Rule Description",
           "Estimated Speedup Type", "Estimated Speedup"]

SOL, MEMORY, SCHEDULERS = "GPU Speed Of Light Throughput", "Memory Workload Analysis", "Scheduler Statistics"
WARPS, LAUNCH, OCCUPANCY = "Warp State Statistics", "Launch Statistics", "Occupancy"


class _Facts:
    """What the metrics are worked out of. Figures that the file lacks are None, and so is what depends on them."""

    def __init__(self, kernel):
        record, found = report_time.record(kernel), report_time.samples(kernel)
        self.gpu, self.launch = record.get("gpu") or {}, record.get("launch") or {}
        self.sums = {k: sum(v) for k, v in found.items() if isinstance(v, list) and v
                     and isinstance(v[0], int)} if found else {}
        self.cycles = kernel["gpu_sim_cycle"]
        self.slots = report_charts.slots(kernel)
        self.issued = sum(s.get("ISSUED", 0) for s in self.slots)
        self.slot_cycles = sum(sum(s.values()) for s in self.slots)
        self.limits = report_time.limits(kernel)
        lanes = {int(k[1:]): n or 0 for k, n in (kernel.table("Warp Occupancy Distribution") or {}).items()
                 if re.fullmatch(r"W[1-9]\d?", k)}
        self.lanes = _over(sum(k * n for k, n in lanes.items()), sum(lanes.values()))
        self.seconds = _over(self.cycles, self.gpu.get("core_hz"))
        moved = [self.sums.get("dram_reads"), self.sums.get("dram_writes"), self.gpu.get("dram_burst_bytes")]
        self.dram_bytes = (moved[0] + moved[1]) * moved[2] if None not in moved else None

    def of_gpu(self, *names):
        """A product of facts of the GPU, None if one is unknown."""
        values = [self.gpu.get(n) for n in names]
        return math.prod(values) if None not in values else None

    def warps(self):
        """Resident warps of an SM while it holds a block."""
        return _over(self.sums.get("warp_cycles"), self.sums.get("sm_cycles"))


def _over(a, b):
    return a / b if a is not None and b else None


def _times(a, b):
    return a * b if a is not None and b is not None else None


def metrics(kernel):
    """The metrics of a kernel: (section, name, unit, value)."""
    f = _Facts(kernel)
    dram = _over(f.dram_bytes, _times(f.of_gpu("dram_channels", "dram_bytes_per_tick", "dram_hz"), f.seconds))
    l2 = _over(kernel["L2_total_cache_accesses"], _times(f.of_gpu("l2_slices", "l2_hz"), f.seconds))
    used, width = _over(f.issued, f.slot_cycles), f.gpu.get("schedulers") or len(f.slots) or None
    memory = max((v for v in (dram, l2) if v is not None), default=None)
    fits = f.launch.get("blocks_per_sm")
    block, grid = math.prod(f.launch.get("block", [])), math.prod(f.launch.get("grid", []))
    warps = _times(fits, -(-block // 32) if f.launch else None)
    hits = {cache: report_charts.hit_rate(kernel, cache) for cache in ("L1D", "L2")}
    out = [
        (SOL, "DRAM Frequency", "Ghz", _over(f.gpu.get("dram_hz"), 1e9)),
        (SOL, "SM Frequency", "Ghz", _over(f.gpu.get("core_hz"), 1e9)),
        (SOL, "Elapsed Cycles", "cycle", f.cycles), (SOL, "Memory Throughput", "%", _times(memory, 100)),
        (SOL, "DRAM Throughput", "%", _times(dram, 100)), (SOL, "Duration", "us", _times(f.seconds, 1e6)),
        (SOL, "L2 Cache Throughput", "%", _times(l2, 100)),
        (SOL, "SM Active Cycles", "cycle", _over(f.sums.get("sm_cycles"), f.gpu.get("sms"))),
        (SOL, "Compute (SM) Throughput", "%", _times(_over(f.issued or None,
                                                           _times(f.of_gpu("sms", "schedulers"), f.cycles)), 100)),
        (MEMORY, "Memory Throughput", "Gbyte/s", _over(_over(f.dram_bytes, f.seconds), 1e9)),
        (MEMORY, "Max Bandwidth", "%", _times(memory, 100)), (MEMORY, "L1/TEX Hit Rate", "%", _times(hits["L1D"], 100)),
        (MEMORY, "L2 Hit Rate", "%", _times(hits["L2"], 100)),
        (SCHEDULERS, "One or More Eligible", "%", _times(used, 100)),
        (SCHEDULERS, "Issued Warp Per Scheduler", "", used),
        (SCHEDULERS, "No Eligible", "%", None if used is None else 100 * (1 - used)),
        (SCHEDULERS, "Active Warps Per Scheduler", "warp", _over(f.warps(), width)),
        (WARPS, "Warp Cycles Per Issued Instruction", "cycle", _over(f.sums.get("warp_cycles"), f.issued)),
        (WARPS, "Warp Cycles Per Executed Instruction", "cycle",
         _over(f.sums.get("warp_cycles"), f.sums.get("warp_insts"))),
        (WARPS, "Avg. Active Threads Per Warp", "", f.lanes),
        (WARPS, "Avg. Not Predicated Off Threads Per Warp", "",
         _over(f.sums.get("thread_insts"), f.sums.get("warp_insts"))),
    ]
    if f.launch:
        out += [
            (LAUNCH, "Block Size", "", block), (LAUNCH, "Grid Size", "", grid),
            (LAUNCH, "Registers Per Thread", "register/thread", f.launch["registers"]),
            (LAUNCH, "Dynamic Shared Memory Per Block", "byte/block", f.launch["dynamic_shared"]),
            (LAUNCH, "Static Shared Memory Per Block", "byte/block", f.launch["static_shared"]),
            (LAUNCH, "# SMs", "SM", f.gpu.get("sms")), (LAUNCH, "Threads", "thread", block * grid),
            (LAUNCH, "Waves Per SM", "", _over(grid, _times(fits, f.gpu.get("sms")))),
            (OCCUPANCY, "Block Limit SM", "block", f.limits.get("blocks")),
            (OCCUPANCY, "Block Limit Registers", "block", f.limits.get("registers")),
            (OCCUPANCY, "Block Limit Shared Mem", "block", f.limits.get("shared memory")),
            (OCCUPANCY, "Block Limit Warps", "block", f.limits.get("threads")),
            (OCCUPANCY, "Theoretical Active Warps per SM", "warp", warps),
            (OCCUPANCY, "Theoretical Occupancy", "%", _times(_over(warps, f.gpu.get("max_warps")), 100)),
        ]
    out += [(OCCUPANCY, "Achieved Occupancy", "%", kernel["gpu_occupancy"]),
            (OCCUPANCY, "Achieved Active Warps Per SM", "warp", f.warps())]
    return [m for m in out if m[3] is not None]


def _triple(values):
    return "(%s)" % ", ".join(map(str, values)) if values else ""


def write(run):
    """The CSV of a run's kernels, as text."""
    out = io.StringIO()
    rows = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    rows.writerow(COLUMNS)
    for i, k in enumerate(run.kernels):
        record = report_time.record(k)
        launch, capability = record.get("launch") or {}, (record.get("gpu") or {}).get("compute_capability")
        head = [i, 1, "heddle", "heddle", k.plain_name, 1, k.stream, _triple(launch.get("block")),
                _triple(launch.get("grid")), 0,
                "%d.%d" % divmod(capability, 10) if capability else ""]
        for section, name, unit, value in metrics(k):
            shown = "%d" % value if isinstance(value, int) else "%.2f" % value
            rows.writerow(head + [section, name, unit, shown] + [""] * 5)
    return out.getvalue()


# --- reading

# Units that ncu chooses by the size of a value, or by its version, as factors of one of them.
UNITS = {"second": ("us", 1e6), "s": ("us", 1e6), "msecond": ("us", 1e3), "ms": ("us", 1e3), "usecond": ("us", 1),
         "us": ("us", 1),
         "nsecond": ("us", 1e-3), "ns": ("us", 1e-3), "Ghz": ("Ghz", 1), "Mhz": ("Ghz", 1e-3), "hz": ("Ghz", 1e-9),
         "GHz": ("Ghz", 1),
         "MHz": ("Ghz", 1e-3), "Hz": ("Ghz", 1e-9), "cycle/nsecond": ("Ghz", 1), "cycle/usecond": ("Ghz", 1e-3),
         "cycle/second": ("Ghz", 1e-9)}
for _prefix, _scale in (("", 1), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
    for _second in ("/second", "/s"):
        UNITS[_prefix + "byte" + _second] = ("Gbyte/s", _scale / 1e9)
    UNITS[_prefix + "byte/block"] = ("byte/block", _scale)


def _number(text):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def plain(name):
    """A kernel's name without its parameters and what compilers write differently: spaces, return types."""
    name = re.sub(r"\s+", "", name.split("(")[0] if not name.startswith("(") else name)
    return re.sub(r"^void(?=\w)", "", name)


def read(text, path):
    """The kernels of a CSV, in their order: (name, {(section, metric): (unit, value)}). What ncu printed before it is
    left out."""
    lines = text.splitlines(keepends=True)
    start = next((i for i, l in enumerate(lines) if "Metric Name" in l and "Kernel Name" in l and "Metric Value" in l),
                 None)
    if start is None:
        raise HeddleError("%s: not the CSV of 'ncu --csv --page details': no line names the columns Kernel Name, "
                          "Metric Name, Metric Value" %
                          path)
    out, last = [], None
    try:
        for row in csv.DictReader(lines[start:]):
            if not row.get("Metric Name") or not row.get("Kernel Name"):
                continue
            key = row.get("ID"), row["Kernel Name"]
            if key != last:
                out.append((row["Kernel Name"], {}))
                last = key
            value = _number(row.get("Metric Value") or "")
            unit, scale = UNITS.get(row.get("Metric Unit") or "", (row.get("Metric Unit") or "", 1))
            if value is not None:
                out[-1][1][row.get("Section Name") or "", row["Metric Name"]] = unit, value * scale
    except csv.Error as e:
        raise HeddleError("%s: %s" % (path, e))
    return out
