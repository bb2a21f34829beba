"""heddle results: tables, speed-ups and plots of what heddle sweep has kept in a database."""

import argparse
import csv
import fnmatch
import io
import os
import re
import shlex
import sqlite3
import sys
import zlib

from .places import HeddleError, command
from .results_table import ABOUT, BESIDE, CYCLES, OF_INTERVAL, Results, mean_row, split_name, text_of
from .sweep_plan import IGNORED, close
from .sweep_store import Store, damaged

EPILOG = """Columns are the axes of the sweep, what is known of a run (seconds, host, ...) and every statistic by its
name; tables of statistics by place: 'issue_slots[0][ISSUED]'. Of several kernels, counts are added up,
running totals are those at the end and rates of a kernel are weighted with its cycles; sum:, mean:, max:,
min:, first: and last: before a name say otherwise. speedup:NAME is the baseline's figure over that of the
run, relative:NAME the other way round; speedup alone is that of the cycles."""

KINDS = ("bar", "line", "scatter")


def parser():
    p = argparse.ArgumentParser(prog="heddle results", description=__doc__, epilog=EPILOG,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file", metavar="FILE.db")
    table = p.add_argument_group("tables")
    table.add_argument("--show", "-s", action="append", default=[], metavar="COLUMN[,...]",
                       help="columns or, of a pivot, values")
    table.add_argument("--where", "-w", action="append", default=[], metavar="CONDITION",
                       help="runs only like that: l1=16K,32K or 'program!=b*' or 'gpu_tot_ipc>100'")
    table.add_argument("--kernel", metavar="NAME", help="of these kernels only: a name with * and ?, or a number")
    table.add_argument("--kernels", action="store_true", help="a row for each kernel")
    table.add_argument("--rows", metavar="AXIS[,...]", help="a pivot: an axis, or several, down")
    table.add_argument("--columns", metavar="AXIS[,...]", help="and across")
    table.add_argument("--cells", choices=["mean", "geomean", "sum", "min", "max"],
                       help="what becomes of several runs in a cell")
    table.add_argument("--speedup", action="store_true",
                       help="speed-ups against the baseline, programs down, with geometric means")
    table.add_argument("--baseline", metavar="AXIS=LABEL[,...]", help="instead of the sweep's own")
    table.add_argument("--sort", metavar="[-]COLUMN", help="by a column of the table; with - the largest first")
    table.add_argument("--top", type=int, metavar="N", help="only the first N rows")
    table.add_argument("--format", "-f", choices=["text", "csv", "markdown"], default="text")
    table.add_argument("--output", "-o", metavar="FILE", help="write there instead of standard output")
    plot = p.add_argument_group("plots")
    plot.add_argument("--plot", metavar="FILE.svg",
                      help="draw the table: rows as groups of bars or, with --kind line, as places on x")
    plot.add_argument("--kind", choices=KINDS, default="bar",
                      help="scatter: a dot for each run, at the two columns of --show")
    plot.add_argument("--title", default="")
    other = p.add_argument_group("else")
    other.add_argument("--failed", action="store_true", help="the runs that failed, with their messages")
    other.add_argument("--statistics", nargs="?", const="*", metavar="PATTERN", help="the statistics that there are")
    other.add_argument("--run", type=int, metavar="RUN", help="all that is known of a run, and what it printed")
    other.add_argument("--export", type=int, metavar="RUN", help="its statistics, as -stats_json writes them")
    other.add_argument("--command", type=int, metavar="RUN", help="a command that runs it again")
    other.add_argument("--again", nargs=argparse.REMAINDER, metavar="RUN",
                       help="run it again, here and now; what follows is for heddle run, such as --report FILE.html")
    return p


def names_of(words):
    return [w for word in words for w in word.split(",") if w]


def axes_of(results, text):
    names = names_of([text or ""])
    for n in names:
        if n not in results.axes:
            raise HeddleError("no axis '%s'%s" %
                              (n, close(n, results.axes) or "; there are " + ", ".join(results.axes)))
    return names


def write_table(names, rows, form, out):
    """The table as text, CSV or Markdown. CSV has every digit."""
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([["" if v is None else v for v in row] for row in rows])
        return
    right = [any(isinstance(row[i], (int, float)) for row in rows) for i in range(len(names))]
    table = [names] + [[text_of(v) for v in row] for row in rows]
    if form == "markdown":
        table = [[v.replace("|", "\\|").replace("\n", " ") for v in row] for row in table]
        lines = ["| %s |" % " | ".join(row) for row in table]
        lines.insert(1, "|%s|" % "|".join("---:" if r else "---" for r in right))
        out.write("\n".join(lines) + "\n")
        return
    widths = [max(len(row[i]) for row in table) for i in range(len(names))]
    for row in table:
        out.write("  ".join(v.rjust(w) if r else v.ljust(w) for v, w, r in zip(row, widths, right)).rstrip() + "\n")


def number_of(label):
    """A label as a number: 16K is 16384. None for others."""
    m = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*([KMG]?)i?B?\s*", label)
    return float(m.group(1)) * {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[m.group(2)] if m else None


def draw(results, a, table, runs, shown):
    """The plot of a table."""
    from . import drawing
    drawing.need_matplotlib()
    names, rows, down = table
    unit = results.unit(shown[0]) or (shown[0] if split_name(shown[0])[0] else "")
    title = a.title or title_of(results, shown)
    ratio = all(split_name(w)[0] for w in shown)
    if a.kind == "scatter":
        if len(shown) != 2:
            raise HeddleError("a scatter plot wants two columns: --show X,Y")
        points = []
        for r in runs:
            x, y = (results.value(r, w, a.kernel) for w in shown)
            if isinstance(x, (int, float)) and isinstance(y, (int, float)):
                points.append((x, y, " ".join(r.labels.values())))
        if not points:
            raise HeddleError("no run has both %s and %s" % tuple(shown))
        svg = drawing.scatter("results", points, title=a.title or "%s by %s" % (shown[1], shown[0]),
                              xlabel=label_of(results, shown[0]), ylabel=label_of(results, shown[1]))
    else:
        series = {name: [number_or_none(row[down + i]) for row in rows] for i, name in enumerate(names[down:])}
        if not series or all(v is None for values in series.values() for v in values):
            raise HeddleError("there is nothing to draw: the table has no numbers")
        if a.kind == "line":  # a mean has no place on the axis
            rows = [row for row in rows if row[0] != "geomean"]
            series = {name: values[:len(rows)] for name, values in series.items()}
        labels = [" ".join(text_of(v) for v in row[:down] if v not in (None, "")) for row in rows]
        if a.kind == "line":
            places = [number_of(label) for label in labels]
            if None in places:
                raise HeddleError(
                    "'%s' is no number, so there is no place for it on a line; draw bars, or give --rows another axis" %
                    labels[places.index(None)])
            order = sorted(range(len(places)), key=lambda i: places[i])
            svg = drawing.lines("results", [places[i] for i in order],
                                {n: [v[i] for i in order]
                                 for n, v in series.items()}, title=title, unit=unit, xlabel=" ".join(names[:down]),
                                log_x=spread(places), dots=True, height=300)
        else:
            svg = drawing.bars("results", labels, series, title=title, unit=unit, baseline=1 if ratio else None)
    drawing.write(a.plot, svg)


def title_of(results, shown):
    """What a plot shows, in words."""
    beside, _, name = split_name(shown[0])
    if len(shown) > 1 or not beside:
        return ", ".join(shown)
    base = ", ".join("%s = %s" % pair for pair in results.baseline.items())
    what = "Speed-up" if beside == "speedup" else "Ratio"
    return "%s%s over %s" % (what, "" if name == CYCLES else " by " + name, base)


def label_of(results, word):
    unit = results.unit(word)
    return "%s (%s)" % (word, unit) if unit else word


def spread(places):
    """Whether places belong on a logarithmic scale."""
    return min(places) > 0 and max(places) >= 4 * min(places)


def number_or_none(value):
    return value if isinstance(value, (int, float)) else None


def shown_row(results, run):
    return "failed: " + run.row["message"] if run.row and run.row["failed"] else run.row[
        "ended"] if run.row else "not run"


def make_table(results, a, runs):
    """(names, rows, how many columns name the row, what is shown)."""
    shown = names_of(a.show) or (["speedup"] if a.speedup else [])
    down, across = axes_of(results, a.rows), axes_of(results, a.columns)
    if a.speedup:
        shown = [w if split_name(w)[0] else "speedup:" + w for w in shown]
        if not down and not across:
            down = [x for x in results.axes if x in ("program", "input")]
            across = [x for x in results.axes if x not in down]
    if a.plot and not down and not across and a.kind != "scatter":
        down, across = ["program"], [x for x in results.axes if x != "program"]
    if (down or across) and not shown:
        shown = [CYCLES]
    for word in shown:
        results.check(word)
    if down or across:
        if a.kernels:
            raise HeddleError("--kernels gives a row to each kernel; it does not go with --rows and --columns")
        names, rows = results.pivot(runs, down, across, shown, a.cells, a.kernel)
        return names, rows, len(down), shown
    if shown:
        ahead = ["run"] + list(results.axes)
        columns = [c for c in ahead if c not in shown] + (["kernel"] if a.kernels else []) + shown
        rows = results.by_kernel(runs, columns, a.kernel) if a.kernels else results.by_run(runs, columns, a.kernel)
        return columns, rows, len(columns) - len(shown), shown
    return default_table(results, a, runs) + ([], )


def default_table(results, a, runs):
    """Without --show: cycles, instructions per cycle and time, and how each run ended."""
    figures = [n for n in (CYCLES, "gpu_tot_ipc", "gpu_tot_sim_insn") if n in results.statistics][:2]
    if a.kernels:
        figures = [n for n in ("gpu_sim_cycle", "gpu_ipc") if n in results.statistics]
        columns = ["run"] + list(results.axes) + ["kernel"] + figures
        return columns, results.by_kernel(runs, columns, a.kernel), len(columns) - len(figures)
    columns = ["run"] + list(results.axes) + figures + ["seconds"]
    rows = [row + [shown_row(results, r)] for row, r in zip(results.by_run(runs, columns, a.kernel), runs)]
    return columns + ["ended"], rows, 1 + len(results.axes)


def sort_rows(names, rows, word):
    down = word.startswith("-")
    word = word.lstrip("-")
    if word not in names:
        raise HeddleError("--sort: the table has no column '%s'%s" %
                          (word, close(word, names) or "; it has " + ", ".join(names)))
    i = names.index(word)
    known = [row for row in rows if row[i] is not None]
    numbers = all(isinstance(row[i], (int, float)) for row in known)
    known.sort(key=lambda row: row[i] if numbers else str(row[i]), reverse=down)
    return known + [row for row in rows if row[i] is None]


def one_run(results, number):
    for r in results.runs:
        if r.number == number:
            return r
    raise HeddleError("there is no run %s; they count from 1 to %d" % (number, len(results.runs)))


def ended_run(results, number):
    r = one_run(results, number)
    if not r.row:
        raise HeddleError("run %d has not been run yet" % number)
    return r


def words_again(job, more=()):
    """The words that run a job again with its statistics on standard output. What went on from a checkpoint executes the
    kernels before it without time, which gives the same figures."""
    words = [command(), job["kind"]] + job["configuration"]
    if "checkpoint" in job and "-kernels" not in job["configuration"]:
        words += ["-kernels", "%d-" % (job["checkpoint"]["kernel"] + 1)]
    words += list(more)
    return words + (["-trace"] + job["words"] if job["kind"] == "trace" else ["--"] + job["words"])


def command_line(job):
    environment = ["%s=%s" % (k, shlex.quote(v)) for k, v in job["environment"].items()]
    return "cd %s && %s" % (shlex.quote(job["directory"]), " ".join(environment + [shlex.join(words_again(job))]))


def again(results, words):
    """Becomes that run. Only returns by an exception."""
    if not words or not words[0].isdigit():
        raise HeddleError("--again wants the number of a run, and behind it options of heddle run")
    job = one_run(results, int(words[0])).job
    more, here = [], os.getcwd()
    for before, w in zip([""] + words[1:], words[1:]):  # the run has a folder of its own
        more.append(os.path.join(here, w) if before in ("--report", "-stats_json", "-stats_file") else w)
    for name in IGNORED:
        os.environ.pop(name, None)
    os.environ.update(job["environment"])
    os.chdir(job["directory"])
    sys.stdout.flush()
    os.execv(command(), words_again(job, more))


def export(results, number, out):
    """The kernels of a run, as -stats_json wrote them."""
    r = ended_run(results, number)
    rows = results.db.execute("SELECT statistics FROM kernel WHERE run = ? ORDER BY number", (r.id,))
    out.write("[\n" + ",\n".join(zlib.decompress(text).decode("utf-8", "surrogateescape") for text, in rows) + "\n]\n")


def tell(results, number, out):
    r = ended_run(results, number)
    log, = results.db.execute("SELECT log FROM run WHERE id = ?", (r.id,)).fetchone()
    facts = {"run": r.number, **r.labels, **{n: r.row[n] for n in ABOUT}, "key": r.key, "command": command_line(r.job)}
    for name, value in facts.items():
        out.write("%-14s %s\n" % (name, text_of(value) if name != "memory" else value))
    out.write("\n" + zlib.decompress(log).decode("utf-8", "replace"))


def failed(results, a, out):
    rows = []
    for r in results.select(a.where):
        if r.row and r.row["failed"]:
            rows.append([r.number] + [r.labels.get(x, "")
                                      for x in results.axes] + [text_of(r.row["seconds"]), r.row["message"]])
    if rows or a.format != "text":
        write_table(["run"] + list(results.axes) + ["seconds", "message"], rows, a.format, out)
    else:
        out.write("no run has failed\n")


def statistics(results, pattern, form, out):
    rows = [list(row[:4]) for row in results.statistics.values() if fnmatch.fnmatchcase(row[0], pattern)]
    if not rows:
        raise HeddleError("no statistic is like '%s'%s" % (pattern, close(pattern, results.statistics)))
    write_table(["name", "unit", "kind", "meaning"], rows, form, out)


def notes(results, a, shown):
    """What a reader of the table should know."""
    found = []
    left = sum(1 for r in results.runs if r.row is None)
    bad = sum(1 for r in results.runs if r.row and r.row["failed"])
    if left or bad:
        said = [
            "%d of %d runs" % (n, len(results.runs)) + what
            for n, what in ((left, " are not done"), (bad, " failed (--failed)")) if n
        ]
        found.append(", ".join(said))
    for word in shown:
        name = split_name(word)[2]
        kind = (results.statistics.get(name.split("[", 1)[0]) or ("", ) * 3)[2]
        if (a.kernel or a.kernels) and kind == "rate" and name not in OF_INTERVAL:
            found.append("%s is since the program began, not of the kernel alone" % name)
    return found


def work(results, a, out):
    """Writes what was asked for. Notes on it."""
    said = []
    if a.baseline:
        results.set_baseline(a.baseline)
    if a.again is not None:
        again(results, a.again)
    if a.command is not None:
        out.write(command_line(one_run(results, a.command).job) + "\n")
    elif a.export is not None:
        export(results, a.export, out)
    elif a.run is not None:
        tell(results, a.run, out)
    elif a.failed:
        failed(results, a, out)
    elif a.statistics is not None:
        statistics(results, a.statistics, a.format, out)
    else:
        runs = results.select(a.where)
        names, rows, down, shown = make_table(results, a, runs)
        if a.sort:
            rows = sort_rows(names, rows, a.sort)
        if a.top is not None:
            rows = rows[:max(0, a.top)]
        pivot = bool(a.rows or a.columns or a.speedup)
        if rows and pivot and shown and all(split_name(w)[0] in BESIDE for w in shown):
            means, n = mean_row(rows, down)
            if means:
                if n < len(rows):
                    said.append("geometric means over the %d of %d rows without gaps" % (n, len(rows)))
                rows = rows + [means]
        if a.plot:
            draw(results, a, (names, rows, down), runs, shown)
        write_table(names, rows, a.format, out)
        said += notes(results, a, shown)
    return said


def main(words=None):
    """0, or 2 for what there is not."""
    words = sys.argv[1:] if words is None else words
    for i, w in enumerate(words[:-1]):  # a value may begin with '-'
        if w == "--sort":
            words = words[:i] + ["--sort=" + words[i + 1]] + words[i + 2:]
            break
    a = parser().parse_args(words)
    try:
        store = Store(a.file)
        try:
            results = Results(store)
            out = io.StringIO()
            said = work(results, a, out)
        except (sqlite3.Error, zlib.error, ValueError) as e:  # of JSON and of its text too
            raise damaged(a.file, e)
        if a.output:
            with open(a.output, "w") as f:
                f.write(out.getvalue())
        else:
            sys.stdout.write(out.getvalue())
            sys.stdout.flush()
        for note in said:
            print("heddle: note: " + note, file=sys.stderr)
        return 0
    except HeddleError as e:
        print("heddle: error: %s" % e, file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as e:
        print("heddle: error: %s: %s" % (e.filename, e.strerror), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
