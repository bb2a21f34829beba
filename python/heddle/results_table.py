"""The database of a sweep as tables: rows by run or by kernel, columns by name, pivots, figures beside those of a baseline."""

import fnmatch
import json
import math
import re
import zlib
from dataclasses import dataclass

from .places import HeddleError
from .stats import leaves
from .sweep_plan import close

# What the database tells of a run beside its statistics.
ABOUT = {"failed": "1 for a run that failed", "message": "why a run failed", "ended": "how its simulation ended",
         "exit_status": "of the program", "version": "of Heddle", "heddle_commit": "Heddle's commit", "options": "hash of all options",
         "host": "where it ran", "started": "when (UTC)", "seconds": "of wall-clock time", "cpu_seconds": "of processor time",
         "memory": "bytes at most"}
# Rates of one kernel alone; others are since the program began.
OF_INTERVAL = {"gpu_ipc", "gpu_occupancy", "partiton_level_parallism", "partiton_level_parallism_util", "L2_BW"}
OVER_KERNELS = ("sum", "mean", "max", "min", "first", "last")
BESIDE = ("speedup", "relative")
CYCLES = "gpu_tot_sim_cycle"


def split_name(word):
    """'speedup:sum:gpu_sim_cycle' is ('speedup', 'sum', 'gpu_sim_cycle')."""
    beside = over = None
    if word in BESIDE:
        return word, None, CYCLES
    head, _, rest = word.partition(":")
    if head in BESIDE and rest:
        beside, word = head, rest
        head, _, rest = word.partition(":")
    if head in OVER_KERNELS and rest:
        over, word = head, rest
    return beside, over, word


@dataclass
class Run:
    """A point of the plan with what is known of its run; `row` is None where there is none yet."""
    number: int
    labels: dict
    key: str
    job: dict
    id: int = 0
    row: dict = None


class Results:
    """What a database holds."""

    def __init__(self, store):
        self.db = store.db
        self.path = store.path
        self.axes = store.about("axes")
        self.baseline = store.about("baseline")
        self.statistics = {row[0]: row for row in self.db.execute("SELECT name, unit, kind, description, is_table FROM statistic")}
        self.runs = []
        found = {}
        names = list(ABOUT)
        for row in self.db.execute("SELECT key, id, %s FROM run" % ", ".join(names)):
            found[row[0]] = (row[1], dict(zip(names, row[2:])))
        for number, labels, key, job in self.db.execute("SELECT number, labels, key, job FROM point ORDER BY number"):
            id, row = found.get(key, (0, None))
            self.runs.append(Run(number, json.loads(labels), key, json.loads(job), id, row))
        self.kept = {}

    # Names

    def check(self, word):
        """Raises HeddleError for a column that there is not, with what is like it."""
        _, over, name = split_name(word)
        if not over and (name in self.axes or name in ABOUT or name in ("run", "kernel", "kernels")):
            return
        base = name.split("[", 1)[0]
        if base not in self.statistics:
            others = list(self.statistics) + list(self.axes) + list(ABOUT) + ["run", "kernel", "kernels", "speedup", "relative"]
            head = word[:-len(name)]
            raise HeddleError("no column '%s'%s" % (name, close(name, others) if self.statistics else "; no run has statistics yet")
                              + ("" if not head else " (behind '%s')" % head) + "; 'heddle results FILE.db --statistics' lists them")
        if self.statistics[base][4]:
            places = self.places(base)
            if not any(re.fullmatch(pattern_of(name), p) for p in places):
                raise HeddleError("'%s' is a table: choose a place of it, such as '%s'%s"
                                  % (base, places[0] if places else base + "[0]", close(name, places) if "[" in name else ""))
        elif "[" in name:
            raise HeddleError("'%s' is one number, without places" % base)

    def places(self, base):
        """The names of all places of a table."""
        found = self.db.execute("SELECT statistics FROM kernel ORDER BY run, number LIMIT 1").fetchone()
        kernel = json.loads(zlib.decompress(found[0])) if found else {"statistics": []}
        return [name for s in kernel["statistics"] if s["name"] == base for name, _ in leaves(base, s["value"])]

    def unit(self, word):
        beside, _, name = split_name(word)
        if beside:
            return ""
        return {"seconds": "s", "cpu_seconds": "s", "memory": "bytes"}.get(name) or (self.statistics.get(name.split("[", 1)[0]) or ("", ""))[1]

    # Figures

    def kernels(self, run, name):
        """(name of the kernel, value) for each kernel of a run, in their order. Of places with [*] the sum, of rates the mean."""
        base = name.split("[", 1)[0]
        if (run.id, base) not in self.kept:
            column = "statistics" if (self.statistics.get(base) or [0] * 5)[4] else "figures"
            rows = []
            for kernel, text in self.db.execute("SELECT name, %s FROM kernel WHERE run = ? ORDER BY number" % column, (run.id,)):
                if column == "figures":
                    rows.append((kernel, {base: json.loads(text).get(base)}))
                else:
                    all_of_it = json.loads(zlib.decompress(text))["statistics"]
                    rows.append((kernel, {n: v for s in all_of_it if s["name"] == base for n, v in leaves(base, s["value"])}))
            self.kept[run.id, base] = rows
        if "[*]" not in name:
            return [(kernel, figures.get(name)) for kernel, figures in self.kept[run.id, base]]
        pattern = re.compile(pattern_of(name))
        rate = self.statistics[base][2] == "rate"
        out = []
        for kernel, figures in self.kept[run.id, base]:
            values = [v for n, v in figures.items() if isinstance(v, (int, float)) and pattern.fullmatch(n)]
            out.append((kernel, (sum(values) / len(values) if rate else sum(values)) if values else None))
        return out

    def chosen(self, run, name, pattern):
        """Values of the kernels whose names match, each of that kernel alone where counts can tell: (number, kernel, value)."""
        running = (self.statistics.get(name.split("[", 1)[0]) or ("",) * 4)[2] == "running total"
        before, out = 0, []
        for number, (kernel, value) in enumerate(self.kernels(run, name), 1):
            alone = value
            if running and isinstance(value, (int, float)):
                alone, before = value - before, value
            if pattern is None or fnmatch.fnmatchcase(kernel, pattern) or pattern == str(number):
                out.append((number, kernel, alone))
        return out

    def figure(self, run, over, name, pattern=None):
        """A statistic of a run as one number; None where there is none.

        Without `over`: counts of a kernel are added up, running totals and maxima are those at the end, rates of a kernel are
        weighted with its cycles, others are as they were at the end."""
        kind = self.statistics[name.split("[", 1)[0]][2]
        if over or pattern is not None or kind == "per kernel":
            values = [v for _, _, v in self.chosen(run, name, pattern)]
        else:
            values = [v for _, v in self.kernels(run, name)]
        numbers = [v for v in values if isinstance(v, (int, float))]
        if not numbers:
            return values[-1] if values else None
        if over is None and name in OF_INTERVAL and len(values) > 1:
            weights = [w for _, _, w in self.chosen(run, "gpu_sim_cycle", pattern)]
            pairs = [(v, w) for v, w in zip(values, weights) if v is not None and w]
            return sum(v * w for v, w in pairs) / sum(w for _, w in pairs) if pairs else None
        if over is None:
            added = kind == "per kernel" or pattern is not None and kind == "running total"
            over = "sum" if added else "max" if kind.startswith("maximum") else "last"
        return {"sum": sum, "max": max, "min": min, "first": lambda v: v[0], "last": lambda v: v[-1],
                "mean": lambda v: sum(v) / len(v)}[over](numbers)

    def value(self, run, word, pattern=None):
        """A column's value for a run."""
        beside, over, name = split_name(word)
        if beside:
            other = self.baseline_of(run)
            mine, base = (self.value(r, (over + ":" if over else "") + name, pattern) if r else None for r in (run, other))
            a, b = (base, mine) if beside == "speedup" else (mine, base)
            numbers = all(isinstance(v, (int, float)) for v in (a, b))
            return a / b if numbers and b else None
        if not over and name in run.labels:
            return run.labels[name]
        if not over and name in self.axes:
            return None
        if name == "run":
            return run.number
        if run.row is None:
            return None
        if name == "kernels":
            return self.db.execute("SELECT count(*) FROM kernel WHERE run = ?", (run.id,)).fetchone()[0]
        if not over and name in ABOUT:
            return run.row[name]
        return self.figure(run, over, name, pattern)

    def set_baseline(self, words):
        """'l1=16K,scheduler=lrr' instead of what the sweep's file says."""
        self.baseline = {}
        for part in words.split(","):
            axis, equal, label = part.partition("=")
            if not equal or axis not in self.axes:
                raise HeddleError("--baseline wants AXIS=LABEL[,...] with axes %s, not '%s'%s"
                                  % (", ".join(self.axes), part, close(axis, self.axes)))
            if label not in self.axes[axis]:
                raise HeddleError("axis %s has no '%s'%s" % (axis, label, close(label, self.axes[axis])))
            self.baseline[axis] = label

    def baseline_of(self, run):
        """The run that differs from this one in the axes of the baseline only; None if there is none."""
        if not self.baseline:
            raise HeddleError("there is no baseline: name one in the sweep's file (baseline = { AXIS = \"LABEL\" }) or with --baseline AXIS=LABEL")
        wanted = {**run.labels, **self.baseline}
        return next((r for r in self.runs if r.labels == wanted and r.row and not r.row["failed"]), None)

    # Rows

    def select(self, conditions):
        """The runs for which all conditions hold, such as 'l1=16K,32K', 'program!=b*' or 'gpu_tot_ipc>100'."""
        runs = self.runs
        for text in conditions:
            m = re.fullmatch(r"(.+?)(!=|<=|>=|=|<|>)(.*)", text)
            if not m:
                raise HeddleError("--where wants COLUMN=VALUE, or !=, <, <=, >, >= for it: '%s'" % text)
            name, sign, wanted = m.groups()
            self.check(name)
            if sign in ("=", "!="):
                if name in self.axes:
                    for w in wanted.split(","):
                        if not fnmatch.filter(self.axes[name], w):
                            raise HeddleError("axis %s has no '%s'%s" % (name, w, close(w, self.axes[name])))
                runs = [r for r in runs if (sign == "=") == any(
                    fnmatch.fnmatchcase(text_of(self.value(r, name)), w) for w in wanted.split(","))]
                continue
            try:
                bound = float(wanted)
            except ValueError:
                raise HeddleError("--where %s: '%s' is no number" % (text, wanted))
            test = {"<": lambda v: v < bound, "<=": lambda v: v <= bound, ">": lambda v: v > bound, ">=": lambda v: v >= bound}[sign]
            runs = [r for r in runs if isinstance(v := self.value(r, name), (int, float)) and test(v)]
        return runs

    def by_run(self, runs, columns, pattern=None):
        return [[self.value(r, c, pattern) for c in columns] for r in runs]

    def by_kernel(self, runs, columns, pattern=None):
        """A row for each kernel: what stands in columns of statistics is of that kernel alone, where counts can tell."""
        rows = []
        for r in runs:
            if not r.row:
                continue
            places = [(n, k) for n, k, _ in self.chosen(r, "gpu_sim_insn", pattern)]
            of = {c: {n: v for n, _, v in self.chosen(r, c, pattern)} for c in columns if c.split("[", 1)[0] in self.statistics}
            for number, kernel in places:
                rows.append(["%d %s" % (number, kernel) if c == "kernel" else of[c].get(number) if c in of else self.value(r, c)
                             for c in columns])
        return rows

    def pivot(self, runs, down, across, shown, over, pattern=None):
        """(names, rows): a row for each combination of labels of the axes `down`, a column for each of those `across`.

        Where several runs meet in a cell, `over` says what becomes of them; None refuses that."""
        cells, row_keys, column_keys = {}, [], []
        for r in runs:
            key = tuple(r.labels.get(a, "") for a in down), tuple(r.labels.get(a, "") for a in across)
            cells.setdefault(key, []).append(r)
            row_keys += [key[0]] if key[0] not in row_keys else []
            column_keys += [key[1]] if key[1] not in column_keys else []
        crowded = next((rs for rs in cells.values() if len(rs) > 1), None)
        if crowded and not over:
            apart = [a for a in self.axes if len({r.labels.get(a) for r in crowded}) > 1]
            raise HeddleError("several runs meet in a cell: they differ in %s; name it in --rows or --columns, choose with --where, "
                              "or say what becomes of them: --cells mean, geomean, sum, min or max" % " and ".join(apart))
        names = list(down)
        for key in column_keys:
            for word in shown:
                names.append(" ".join(filter(None, [" ".join(key), word if len(shown) > 1 or not key else ""])))
        rows = []
        for key in row_keys:
            row = list(key)
            for column in column_keys:
                for word in shown:
                    values = [self.value(r, word, pattern) for r in cells.get((key, column), [])]
                    row.append(join(values, over))
            rows.append(row)
        return names, rows


def pattern_of(name):
    """The places of a table that a name stands for: [*] is any."""
    return re.escape(name).replace(re.escape("[*]"), r"\[[^\]]*\]")


def join(values, over):
    """One value of several."""
    if len(values) <= 1:
        return values[0] if values else None
    numbers = [v for v in values if isinstance(v, (int, float))]
    if len(numbers) < len(values):
        return None
    return {"mean": lambda v: sum(v) / len(v), "geomean": geomean, "sum": sum, "min": min, "max": max}[over](numbers)


def geomean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values and min(values) > 0 else None


def mean_row(rows, n):
    """A last row with geometric means, over the rows that have a value in every column, and how many these are."""
    whole = [row for row in rows if all(isinstance(v, (int, float)) and v > 0 for v in row[n:])]
    means = [geomean([row[i] for row in whole]) for i in range(n, len(rows[0]))] if whole else []
    return (["geomean"] + [""] * (n - 1) + means, len(whole)) if whole and n else (None, len(whole))


def text_of(value):
    """A value for people and for conditions: no more digits than say something."""
    if value is None:
        return ""
    if isinstance(value, float):
        return "%d" % value if value.is_integer() and abs(value) < 1e15 else "%.4g" % value if abs(value) < 1e4 else "%.1f" % value
    return str(value)
