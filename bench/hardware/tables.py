"""What is compared with what: `cases.toml` and the measurements in `measured/*.tsv`, read and checked.

A mistake in a file is a Mistake with the file, the line and what to do. A mistake in one file of measurements takes away
the figures of that file only: they are listed, and everything else stands."""

import math
import os
import shlex
import tomllib
from dataclasses import dataclass, field, replace

# The metrics that can be compared, with the unit that their column must name. Those of `ERROR_IN_POINTS` are percentages,
# whose error is a difference; the error of the others is a ratio.
UNITS = {"cycles": "cycles", "time": "us", "instructions": "warp instructions", "ipc": "instructions per cycle",
         "l1_hit_rate": "%", "l2_hit_rate": "%", "occupancy": "%", "dram_bytes": "bytes"}
ERROR_IN_POINTS = {"l1_hit_rate", "l2_hit_rate", "occupancy"}
# The metrics that say how long a program takes: errors and correlation are reckoned over them.
SPEED = ("cycles", "time")

FIGURE_COLUMNS = ["case", "kernel", "metric", "unit", "measured"]
PEERS = {"accelsim": "Accel-Sim, SASS", "gpgpusim3": "GPGPU-Sim 3.x, PTX"}
CHANGE_COLUMNS = ["change", "before", "after"]
HEAD = ["gpu", "source", "page", "clock"]
WHOLE = "*"


class Mistake(Exception):
    """What is wrong in a file, where, and what to do, in one sentence."""


@dataclass
class Figure:
    """One measured value. `kernel` is '*' for a whole program, whose cycles are summed over its kernels."""
    case: str
    kernel: str
    metric: str
    measured: float
    peers: dict[str, float]
    source: str


@dataclass
class Change:
    """A measured change: `before` and `after` are of the same unit, and less is faster."""
    name: str
    before: float
    after: float
    source: str


@dataclass
class Measured:
    """All that was measured of a GPU."""
    figures: list[Figure] = field(default_factory=list)
    changes: dict[str, Change] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)


@dataclass
class Case:
    """A run of a program. Of each kernel's launches the first `skip` do not count, and then `first` do, 0 for all that come;
    `launches` > 0 ends the run after so many kernels, `sample` > 0 estimates it to so many per cent (docs/long-runs.md).
    `times` > 1 says that the program is so many times the launches that were run, all of them alike.
    `under` names the condition under which it was measured, '' for none of its own, and `options` are those it stands for.
    `mark` is said beside its name. `left_out` says why it is not run at all. A `borrowed` one is another GPU's, and counts where it was measured."""
    name: str
    gpu: str
    under: str
    options: list[str]
    program: str
    arguments: list[str]
    inputs: list[dict]
    skip: int
    first: int
    launches: int
    times: int
    sample: int
    mark: str
    left_out: str
    borrowed: bool = False


@dataclass
class Direction:
    """Two cases between which something was changed; `kernel` is the one that was measured. `sizes` where the size that
    is simulated is not the one that was measured."""
    name: str
    gpu: str
    before: str
    after: str
    kernel: str
    sizes: str


@dataclass
class Way:
    """A way in which Heddle runs a program: its options."""
    name: str
    options: list[str]


@dataclass
class Gpu:
    """How a GPU is simulated. `clock` in MHz turns cycles into time. `ways` are configurations and options of single ways. The cases of
    the GPUs `cases_of` are cases of this one too, without the conditions under which those were measured."""
    name: str
    title: str
    config: str
    clock: float
    sms: int
    options: list[str]
    ways: dict[str, dict]
    cases_of: list[str] = field(default_factory=list)


@dataclass
class Cases:
    gpus: dict[str, Gpu]
    ways: list[Way]
    cases: list[Case]
    directions: list[Direction]


def _take(table: dict, where: str, kinds: dict, optional: dict) -> dict:
    """The keys of a table, each of its kind; Mistake for others, for missing ones and for wrong kinds."""
    for key, value in table.items():
        kind = kinds.get(key, optional[key][0] if key in optional else None)
        if kind is None:
            raise Mistake(f"{where}: unknown key '{key}'; known are {', '.join([*kinds, *optional])}")
        if not isinstance(value, kind):
            raise Mistake(f"{where}: '{key}' is {value!r}, and should be {kind}")
    for key in kinds:
        if key not in table:
            raise Mistake(f"{where}: '{key}' is missing")
    return {key: table.get(key, optional[key][1] if key in optional else None) for key in [*kinds, *optional]}


def read_cases(path: str) -> Cases:
    """Reads cases.toml. Mistake for what is not of its form."""
    try:
        with open(path, "rb") as f:
            whole = tomllib.load(f)
    except OSError as e:
        raise Mistake(f"{path}: {e.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise Mistake(f"{path}: {e}") from None
    out = Cases({}, [], [], [])
    for name, table in whole.get("gpu", {}).items():
        t = _take(table, f"{path}: gpu {name}", {"title": str, "config": str, "clock_mhz": (int, float), "sms": int},
                  {"options": (list, []), "way": (dict, {}), "cases_of": (list, [])})
        ways = {way: _take(own, f"{path}: gpu {name}, way {way}", {}, {"config": (str, t["config"]), "options": (list, t["options"])})
                for way, own in t["way"].items()}
        out.gpus[name] = Gpu(name, t["title"], t["config"], float(t["clock_mhz"]), t["sms"], t["options"], ways, t["cases_of"])
    for table in whole.get("way", []):
        t = _take(table, f"{path}: a way", {"name": str, "options": list}, {})
        out.ways.append(Way(t["name"], t["options"]))
    for gpu in out.gpus.values():
        for way in gpu.ways:
            if way not in (w.name for w in out.ways):
                raise Mistake(f"{path}: gpu {gpu.name}: there is no way '{way}'")
    conditions = {name: _take(table, f"{path}: condition {name}", {"options": list}, {})["options"]
                  for name, table in whole.get("condition", {}).items()}
    names = set()
    for table in whole.get("case", []):
        where = f"{path}: case {table.get('name', 'without a name')}"
        t = _take(table, where, {"name": str, "gpu": str},
                  {"under": (str, ""), "program": (str, ""), "arguments": (str, ""), "inputs": (list, []), "skip": (int, 0), "first": (int, 0),
                   "launches": (int, 0), "times": (int, 1), "sample": (int, 0), "mark": (str, ""), "left_out": (str, "")})
        if not t["program"] and not t["left_out"]:
            raise Mistake(f"{where}: wants a program, or 'left_out' with the reason why it has none")
        if t["times"] < 1:
            raise Mistake(f"{where}: 'times' must be 1 or more")
        if t["gpu"] not in out.gpus:
            raise Mistake(f"{where}: there is no gpu '{t['gpu']}'")
        if t["under"] and t["under"] not in conditions:
            raise Mistake(f"{where}: there is no condition '{t['under']}'")
        if (t["gpu"], t["name"]) in names:
            raise Mistake(f"{where}: there are two of that name")
        names.add((t["gpu"], t["name"]))
        out.cases.append(Case(**{**t, "arguments": shlex.split(t["arguments"])}, options=conditions.get(t["under"], [])))
    for gpu in out.gpus.values():
        for other in gpu.cases_of:
            if other not in out.gpus:
                raise Mistake(f"{path}: gpu {gpu.name}: 'cases_of' names '{other}', which is no gpu")
        taken = set()
        for c in [c for c in out.cases if c.gpu in gpu.cases_of and c.program]:
            run = (c.program, *c.arguments, repr(c.inputs))
            if run not in taken and (gpu.name, c.name) not in names:
                taken.add(run)
                names.add((gpu.name, c.name))
                out.cases.append(replace(c, gpu=gpu.name, under="", options=[], borrowed=True))
    for table in whole.get("direction", []):
        where = f"{path}: direction {table.get('name', 'without a name')}"
        t = _take(table, where, {"name": str, "gpu": str, "before": str, "after": str}, {"kernel": (str, WHOLE), "sizes": (str, "")})
        for end in ("before", "after"):
            if (t["gpu"], t[end]) not in names:
                raise Mistake(f"{where}: there is no case '{t[end]}' of {t['gpu']}")
        out.directions.append(Direction(**t))
    for key in whole:
        if key not in ("gpu", "way", "case", "condition", "direction"):
            raise Mistake(f"{path}: unknown table '{key}'")
    return out


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise Mistake(f"{where}: '{text}' is no measurement: a finite number that is not negative is wanted")
    return value


def _read_file(path: str, out: Measured) -> str:
    """Adds the rows of one file and returns the GPU that it is of."""
    head: dict[str, str] = {}
    columns: list[str] = []
    figures, changes = [], []
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if line.startswith("#"):
            key, colon, value = line[1:].partition(":")
            if colon and key.strip() in HEAD:
                head[key.strip()] = value.strip()
            continue
        if not line.strip():
            continue
        cells = line.split("\t")
        if not columns:
            wanted = CHANGE_COLUMNS if cells[0] == "change" else FIGURE_COLUMNS
            if cells[:len(wanted)] != wanted or any(c not in PEERS for c in cells[len(wanted):]):
                raise Mistake(f"{where}: the columns are {', '.join(cells)}; wanted are {', '.join(FIGURE_COLUMNS)}, and then "
                              f"any of {', '.join(PEERS)}, or {', '.join(CHANGE_COLUMNS)}, with tabs between them")
            missing = [k for k in HEAD if not head.get(k)]
            if missing:
                raise Mistake(f"{path}: lines '# {missing[0]}: ...' and the like say where figures come from; "
                              f"missing: {', '.join(missing)}")
            columns = cells
            continue
        if len(cells) != len(columns):
            raise Mistake(f"{where}: {len(cells)} columns, where {len(columns)} are wanted")
        row = dict(zip(columns, cells))
        if columns[0] == "change":
            before, after = _number(row["before"], where), _number(row["after"], where)
            if not before or not after:
                raise Mistake(f"{where}: before and after must be more than 0")
            changes.append(Change(row["change"], before, after, head["source"]))
            continue
        if row["metric"] not in UNITS:
            raise Mistake(f"{where}: unknown metric '{row['metric']}'; known are {', '.join(UNITS)}")
        if row["unit"] != UNITS[row["metric"]]:
            raise Mistake(f"{where}: {row['metric']} is in '{row['unit']}', and should be in '{UNITS[row['metric']]}'")
        measured = _number(row["measured"], where)
        if not measured and row["metric"] in SPEED:
            raise Mistake(f"{where}: {row['metric']} of 0 is no measurement")
        peers = {k: _number(row[k], where) for k in PEERS if row.get(k)}
        figures.append(Figure(row["case"], row["kernel"], row["metric"], measured, peers, head["source"]))
    if not columns:
        raise Mistake(f"{path}: no line with the names of the columns")
    out.figures += figures
    out.changes |= {c.name: c for c in changes}
    out.heads.append(head)
    return head["gpu"]


def read_measured(folder: str, gpus: dict[str, Gpu]) -> dict[str, Measured]:
    """Reads every measured/*.tsv, by GPU. What is wrong in a file stands in `mistakes` of all GPUs."""
    by_gpu = {name: Measured() for name in gpus}
    mistakes = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".tsv"):
            continue
        one = Measured()
        try:
            gpu = _read_file(os.path.join(folder, name), one)
            if gpu not in by_gpu:
                raise Mistake(f"{os.path.join(folder, name)}: of gpu '{gpu}', which is not in the cases")
        except (Mistake, OSError, UnicodeDecodeError) as e:
            mistakes.append(str(e))
            continue
        by_gpu[gpu].figures += one.figures
        by_gpu[gpu].changes |= one.changes
        by_gpu[gpu].heads += one.heads
    for m in by_gpu.values():
        m.mistakes = mistakes
    return by_gpu
