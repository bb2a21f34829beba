"""Building programs, running them on Heddle, and reading what they did."""

import os
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import tomllib

import inputs
from tables import SPEED, WHOLE, Case, Gpu, Mistake, Way

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEDDLE = os.environ.get("HEDDLE_BENCH_HEDDLE") or os.path.join(ROOT, "bin", "heddle")
CONFIGS = os.path.join(ROOT, "configs")
# No files beside the statistics, and those without their long tables.
QUIET = ["-visualizer_enabled", "0", "-enable_ptx_file_line_stats", "0", "-stats", "short"]
# Running totals, of which a kernel's share is the difference to the kernel before.
TOTALS = ["gpgpu_n_tot_w_icount", "gpu_tot_issued_cta", "L1D_total_cache_accesses", "L1D_total_cache_misses",
          "L2_total_cache_accesses", "L2_total_cache_misses", "gpgpu_n_dram_reads", "gpgpu_n_dram_writes"]
PER_KERNEL = ["kernel_name", "kernel_launch_uid", "gpu_sim_cycle", "gpu_occupancy"]
LINE = re.compile(r"^\s*(%s) *= *(\S+)" % "|".join(TOTALS + PER_KERNEL))
# The programs that run now, so that an interrupt can end them; after it none goes on.
running: set[subprocess.Popen] = set()
stopped = threading.Event()
PROVENANCE = re.compile(r"^(heddle_commit|heddle_options|heddle_run|heddle_estimate_cycles) = (.*)$")
# What a kernel of which only a part was timed would have taken; the line follows its statistics.
ESTIMATE = re.compile(r"^heddle_estimate = .*: (\d+) cycles")
LIMIT = "limit -kernel_limit"


class Failed(Exception):
    """Why a point has no figures, in few words."""


def read_builds(folder: str) -> dict[str, dict]:
    """build.toml of the programs' folder, which is the user's: by program its sources and flags. None: nothing is built."""
    try:
        with open(os.path.join(folder, "build.toml"), "rb") as f:
            return tomllib.load(f)
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as e:
        raise Mistake(f"{os.path.join(folder, 'build.toml')}: {e}") from None


def build(folder: str, program: str, builds: dict[str, dict], nvcc: str) -> str:
    """The path of a program below bin/, built first if it is not there and build.toml tells how."""
    path = os.path.join(folder, "bin", program)
    if os.access(path, os.X_OK):
        return path
    how = builds.get(program)
    if how is None:
        raise Failed(f"not built: no {program} in bin/ and none in build.toml")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    command = [nvcc, "-cudart", "shared", *how.get("flags", []), "-o", path, *how.get("sources", [])]
    try:
        done = subprocess.run(command, cwd=os.path.join(folder, how.get("folder", ".")), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Failed(f"not built: {e}") from None
    if done.returncode:
        said = next((s for s in done.stdout.split("\n") if "error" in s), done.stdout.strip().split("\n")[-1])
        raise Failed(f"not built: {said.strip()[:160]}")
    return path


def base_name(mangled: str) -> str:
    """The name of a kernel without its types and namespaces: l1_bw of _Z5l1_bwPjS_PdS0_, and gemm of _ZN3gpu4gemmIfEEvPf."""
    nested = mangled.startswith("_ZN")
    at, name = 3 if nested else 2, mangled
    while mangled.startswith("_Z") and (length := re.match(r"L?(\d+)", mangled[at:])):
        start = at + length.end()
        at = start + int(length.group(1))
        name = mangled[start:at]
        if not nested:
            break
    return name


def read_statistics(path: str) -> tuple[list[dict], dict]:
    """The kernels of a statistics file, each with its figures, and what the file says of the run."""
    kernels: list[dict] = []
    before = dict.fromkeys(TOTALS, 0.0)
    provenance: dict[str, str] = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            said = PROVENANCE.match(line)
            if said:
                provenance[said.group(1)] = said.group(2).strip()
            estimate = ESTIMATE.match(line)
            if estimate and kernels:
                kernels[-1] |= {"gpu_sim_cycle": float(estimate.group(1)), "estimated": True}
            found = LINE.match(line)
            if not found:
                continue
            name, text = found.groups()
            if name == "kernel_name":
                kernels.append({"kernel": base_name(text)})
            elif name == "kernel_launch_uid" and len(kernels) > 1 and kernels[-2].get(name) == float(text):
                # The kernel that ended last is printed once more at the end.
                kernels.pop()
            elif kernels and name not in kernels[-1]:
                try:
                    kernels[-1][name] = float(text.rstrip("%"))
                except ValueError:
                    pass
    for k in kernels:
        for name in TOTALS:
            total = k.get(name, before[name])
            k[name], before[name] = total - before[name], total
    return kernels, provenance


def _rate(k: dict, cache: str) -> float | None:
    accesses = k[f"{cache}_total_cache_accesses"]
    return 100 * (1 - k[f"{cache}_total_cache_misses"] / accesses) if accesses else None


def figures_of(kernels: list[dict], gpu: Gpu, case: Case) -> dict[str, dict]:
    """By kernel the medians over the launches that count, and for the whole program their sums, times what the case says."""
    by_name: dict[str, list[dict]] = {}
    seen: dict[str, int] = {}
    for k in kernels:
        cycles = k.get("gpu_sim_cycle", 0)
        sms = min(gpu.sms, k["gpu_tot_issued_cta"]) or gpu.sms
        row = {"cycles": cycles, "time": cycles / gpu.clock, "instructions": k["gpgpu_n_tot_w_icount"],
               "ipc": k["gpgpu_n_tot_w_icount"] / cycles / sms if cycles else None, "occupancy": k.get("gpu_occupancy"),
               "l1_hit_rate": _rate(k, "L1D"), "l2_hit_rate": _rate(k, "L2"),
               "dram_bytes": 32 * (k["gpgpu_n_dram_reads"] + k["gpgpu_n_dram_writes"])}
        if "estimated" in k:
            # All but the cycles are of the part that was timed.
            row |= {name: None for name in row if name not in SPEED}
        number = seen[k["kernel"]] = seen.get(k["kernel"], 0) + 1
        if number > case.skip and not (case.first and number > case.skip + case.first):
            by_name.setdefault(k["kernel"], []).append(row)
    out = {}
    for name, rows in by_name.items():
        out[name] = {"launches": len(rows)}
        for metric in rows[0]:
            values = [r[metric] for r in rows if r[metric] is not None]
            if values:
                out[name][metric] = round(statistics.median(values), 4)
    everything = [r for rows in by_name.values() for r in rows]
    out[WHOLE] = {"launches": len(everything)}
    for metric in ("cycles", "time", "instructions", "dram_bytes"):
        if all(r[metric] is not None for r in everything):
            out[WHOLE][metric] = round(case.times * sum(r[metric] for r in everything), 4)
    return out


def options_of(gpu: Gpu, way: Way, case: Case) -> list[str]:
    """The configuration and options of a way: those that the GPU has for it, or else those that it has for all ways and those of
    the condition under which the case was measured."""
    own = gpu.ways.get(way.name, {"config": gpu.config, "options": [*gpu.options, *case.options]})
    config = os.path.join(CONFIGS, own["config"])
    return ["-c", config, *[o.replace("{config}", config) for o in [*way.options, *own["options"]]]]


def end(process: subprocess.Popen) -> None:
    """Ends a program, with all that it started, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def stop() -> None:
    """Ends all programs, those too that are being started in this moment."""
    stopped.set()
    for process in list(running):
        end(process)


def run(case: Case, gpu: Gpu, way: Way, program: str, limit: float) -> dict:
    """Runs a program in a folder of its own, with its inputs made. Failed says why there are no figures."""
    with tempfile.TemporaryDirectory(prefix="heddle-hardware-") as folder:
        for wanted in case.inputs:
            try:
                inputs.make(wanted, folder)
            except inputs.Wrong as e:
                raise Failed(f"its input is not made: {e}") from None
        stats = os.path.join(folder, "heddle-statistics.txt")
        parts = ["-kernel_limit", str(case.launches)] if case.launches else []
        parts += ["-sample", str(case.sample)] if case.sample else []
        command = [HEDDLE, "run", *options_of(gpu, way, case), *QUIET, *parts, "-stats_file", stats, "--", program, *case.arguments]
        try:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        except OSError as e:
            raise Failed(f"{HEDDLE} cannot be started: {e.strerror}; build it first, `make`") from None
        running.add(process)
        if stopped.is_set():
            end(process)
        try:
            said = process.communicate(timeout=limit)[1]
        except subprocess.TimeoutExpired:
            raise Failed(f"not done after {limit:g} s") from None
        finally:
            end(process)
            running.discard(process)
        kernels, provenance = [], {}
        if os.path.exists(stats):
            kernels, provenance = read_statistics(stats)
        limited = case.launches > 0 and provenance.get("heddle_run") == LIMIT
        if process.returncode and not limited:
            lines = [s for s in said.split("\n") if s.strip()]
            reason = next((s for s in lines if "error: " in s), lines[-1] if lines else "it says nothing")
            status = process.returncode
            ended = f"signal {-status}" if status < 0 else f"exit status {status}"
            raise Failed(f"{ended}: {reason.strip()[:160]}")
        if not kernels:
            raise Failed("no statistics: it ran no kernel")
        if provenance.get("heddle_run") != "complete" and not limited:
            raise Failed(f"its run was not complete: {provenance.get('heddle_run', 'killed')}")
        figures = figures_of(kernels, gpu, case)
        if "heddle_estimate_cycles" in provenance:
            whole = case.times * float(provenance["heddle_estimate_cycles"])
            figures[WHOLE] |= {"cycles": whole, "time": round(whole / gpu.clock, 4)}
        return {"kernels": figures, "commit": provenance.get("heddle_commit", ""),
                "options": provenance.get("heddle_options", "")}
