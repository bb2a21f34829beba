"""Runs as reports read them: the file of -stats_json, kernel by kernel, each figure with what that kernel added to it.

    run = runs.read("run.json")
    for kernel in run.kernels:
        print(kernel.plain_name, kernel["gpu_sim_cycle"], kernel.table("issue_slots")[0]["SCOREBOARD"])

Running totals are differences to the kernel before; of the cache tables, which count by stream, to the kernel before in
that stream. A file that was written with -stats_json_record 1 has more: see docs/report.md.
"""

import gzip
import json
import shutil
import subprocess

from .places import HeddleError

TOTAL = "running total"
BY_STREAM = {"Total_core_cache_stats_breakdown", "Total_core_cache_fail_stats_breakdown", "L2_cache_stats_breakdown",
             "L2_cache_stats_fail_breakdown"}
# The forms of the tables that reports draw, of which 0 is a number or null: what has another form is as if it were not
# there.
SHAPES = {
    "issue_slots": [{"": 0}], "Total_core_cache_stats_breakdown": {"": {"": 0}},
          "L2_cache_stats_breakdown": {"": {"": 0}},
    "Warp Occupancy Distribution": {"": 0}, "mf_lat_table": [0], "number of total memory accesses made": [[0]],
    "number of total read accesses": [[0]], "number of total write accesses": [[0]],
    "L2_cache_bank": [{"": 0}], "L1D_cache_core": [{"": 0}], "traffic_breakdown_coretomem": {"": {"": 0}},
    "traffic_breakdown_memtocore": {"": {"": 0}}, "gpgpu_n_w_icount": {"": [0]}, "single_issue_nums": [0],
          "dual_issue_nums": [0],
}
HOW_TO_MAKE = "heddle run -stats_json FILE -- ./app writes one"


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _fits(value, shape):
    """Whether a value has a form of SHAPES."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(_fits(v, shape[""]) for v in value.values())
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(v, shape[0]) for v in value)
    return value is None or _is_number(value)


SAMPLES = ["cycles", "thread_insts", "warp_insts", "sm_cycles", "warp_cycles", "l1_accesses", "l1_misses",
           "l2_accesses", "l2_misses",
           "dram_reads", "dram_writes"]
GPU = ["sms", "schedulers", "max_warps", "max_threads", "max_blocks", "registers", "shared_bytes", "core_hz", "l2_hz",
       "dram_hz",
       "l2_slices", "dram_channels", "dram_burst_bytes", "dram_bytes_per_tick"]
LAUNCH = ["registers", "static_shared", "dynamic_shared", "local", "blocks_per_sm"]


def _is_recording(r):
    """Whether what -stats_record added is all there; reports need not look again."""
    try:
        n = len(r["samples"]["cycles"])
        rows = [r["samples"][name] for name in SAMPLES] + list(r["samples"]["issue_slots"].values())
        rows += r["samples"]["dram"] + r["samples"]["l2"]
        return (all(len(row) == n and all(map(_is_number, row)) for row in rows)
                and all(_is_number(r["gpu"][g]) and r["gpu"][g] for g in GPU) and
                all(_is_number(r["launch"][name]) for name in LAUNCH) and
                all(len(r["launch"][d]) == 3 and all(isinstance(x, int) and x > 0 for x in r["launch"][d])
                    for d in ("grid", "block")) and
                all(isinstance(t, str) for t in r["launch"]["limited_by"]) and _is_code(r["code"]))
    except (KeyError, TypeError, AttributeError):
        return False


def _is_code(code):
    columns, listing = code["columns"], code.get("listing", [])
    forms = (int, int, str, str, int, str, int)
    return (columns[0] == "index" and all(isinstance(c, str) for c in columns) and
            all(len(row) == len(columns) and all(map(_is_number, row)) for row in code["counters"]) and
            all(len(row) == len(forms) and all(map(isinstance, row, forms)) for row in listing) and
            all(isinstance(s["file"], str) and all(len(line) == 2 for line in s["lines"])
                for s in code.get("sources", [])))


def _less(now, before):
    """What was added to a running total, through lists and dicts."""
    if isinstance(now, dict):
        old = before if isinstance(before, dict) else {}
        return {k: _less(v, old.get(k)) for k, v in now.items()}
    if isinstance(now, list):
        old = before if isinstance(before, list) else []
        return [_less(v, old[i] if i < len(old) else None) for i, v in enumerate(now)]
    if isinstance(now, (int, float)) and isinstance(before, (int, float)) and not isinstance(now, bool):
        return now - before
    return now


def _figures(rows):
    """Rows of statistics by name; the channels' rows are a dict of their own."""
    out = {}
    for row in rows:
        value = row["value"]
        if row["name"] in ("Memory Partition", "Interconnect-DETAILS") and isinstance(value, list):
            value = {r["name"]: r["value"] for r in value}
        out[row["name"]] = (row.get("kind", ""), row.get("unit", ""), value)
    return out


class Kernel:
    """A kernel that ended. `kernel[name]` is a figure that is one number, None where it has none."""

    def __init__(self, found, before, before_in_stream):
        self.name, self.uid, self.stream = str(found["name"]), found["uid"], found["stream"]
        self.plain_name, self.number = self.name, 0  # see read
        record = found.get("record")
        self.record = record if _is_recording(record) else None
        self.figures = _figures(found["statistics"])
        self.before, self.before_in_stream = before, before_in_stream

    def table(self, name):
        """What the kernel added to a figure of any shape, or its value if it is no running total; None where there is
        none."""
        kind, _, value = self.figures.get(name, ("", "", None))
        if name in SHAPES and not _fits(value, SHAPES[name]):
            return None
        before = self.before_in_stream if name in BY_STREAM else self.before
        if kind != TOTAL or before is None:
            return value
        return _less(value, before.figures.get(name, ("", "", None))[2])

    def __getitem__(self, name):
        value = self.table(name)
        return value if _is_number(value) else None

    def unit(self, name):
        """The unit of a figure."""
        return self.figures.get(name, ("", "", None))[1]

    def channel(self, name):
        """A row of the DRAM channels: a value for each, or []."""
        rows = self.table("Memory Partition")
        found = rows.get(name) if isinstance(rows, dict) else None
        return found if _fits(found, [0]) else []

    def ratio(self, over, under):
        """A quotient of two figures, None where it says nothing."""
        a, b = self[over], self[under]
        return a / b if a is not None and b else None

    @property
    def timed(self):
        """Whether the kernel ran cycle by cycle."""
        return self["gpu_sim_cycle"] is not None

    @property
    def label(self):
        """A short name, with the number of the launch."""
        short = self.plain_name.split("(")[0].split("<")[0].split("::")[-1].split(" ")[-1] or self.name
        return "%s #%s" % (short if len(short) <= 32 else short[:31] + "…", self.uid)


class Run:
    """A file: its kernels in the order in which they ended, how the run ended, and what made it."""

    def __init__(self, path, kernels, ended, provenance):
        self.path, self.kernels, self.ended, self.provenance = path, kernels, ended, provenance

    @property
    def gpu(self):
        """What the recording says of the GPU; {} without one."""
        return next((k.record["gpu"] for k in self.kernels if k.record and "gpu" in k.record), {})


def read_text(path):
    """A file as text, also one that is packed."""
    if str(path).endswith(".zst"):
        if not shutil.which("zstd"):
            raise HeddleError("%s is packed by Zstandard, and there is no zstd here: install it, or unpack the file "
                              "elsewhere" % path)
        done = subprocess.run(["zstd", "-dcq", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise HeddleError("%s: %s" % (path, done.stderr.decode(errors="replace").strip()))
        return done.stdout.decode("utf-8", "replace")
    try:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8", errors="replace") as f:
            return f.read()
    except (gzip.BadGzipFile, EOFError) as e:
        raise HeddleError("%s: %s" % (path, e))


def demangle(names):
    """Names of kernels as C++ has them, where c++filt is installed."""
    names = list(names)
    if not names or not shutil.which("c++filt") or any("\n" in n for n in names):
        return dict(zip(names, names))
    done = subprocess.run(["c++filt"], input="\n".join(names) + "\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="utf-8",
                          errors="replace")
    plain = done.stdout.split("\n")[:-1]
    return dict(zip(names, plain if len(plain) == len(names) else names))


def read(path):
    """Reads a run. HeddleError for a file that is none, OSError for one that cannot be read."""
    text = read_text(path)
    if not text.strip():
        return Run(path, [], None, {})
    try:
        found = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as e:
        cut = text.lstrip().startswith("[") and '"statistics"' in text
        raise HeddleError("%s: %s (%s); %s" % (path, "this file of -stats_json is cut off" if cut
                                               else "not a file of -stats_json", e,
                                               HOW_TO_MAKE))
    kernels, last = [], {}
    try:
        if not isinstance(found, list):
            raise TypeError
        for k in found:
            kernel = Kernel(k, kernels[-1] if kernels else None, last.get(k["stream"]))
            kernels.append(kernel)
            last[kernel.stream] = kernel
            kernel.number = len(kernels)
        ended, provenance = (found[-1].get("heddle_run"), found[-1].get("provenance", {})) if found else (None, {})
    except (TypeError, KeyError, AttributeError):
        raise HeddleError("%s: not a file of -stats_json: it has no list of kernels with name, uid, stream and "
                          "statistics; %s" %
                          (path, HOW_TO_MAKE))
    plain = demangle({k.name for k in kernels})
    for k in kernels:
        k.plain_name = plain[k.name]
    return Run(path, kernels, ended, provenance if isinstance(provenance, dict) else {})


def pairs(kernels, others):
    """The kernel of another run that is the same launch: by name, and by the how-manieth of that name. {} has none for
    the rest."""
    def keyed(some):
        seen, out = {}, {}
        for k in some:
            seen[k.name] = seen.get(k.name, 0) + 1
            out[k.name, seen[k.name]] = k
        return out
    a, b = keyed(kernels), keyed(others)
    return {k: b[key] for key, k in a.items() if key in b}
