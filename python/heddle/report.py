"""heddle report: what a run did, as one page of HTML that needs neither network nor scripts.

    heddle report RUN.json [OTHER.json ...] [-o OUT.html]
    heddle report --ncu-csv|--perfetto|--stacks RUN.json, heddle report --konata TRACE
"""

import argparse
import os
import sys

from . import drawing, konata, ncu, perfetto, report_charts, report_code, report_time, runs, stacks
from .places import HeddleError
from .report_page import (Markup, change_cell, figure, join, link, number_cell, page, share_cell, table, tag)

MOST_ROWS = 1000    # of a table of launches: what a browser still shows at once
RECORD = "heddle run --report OUT.html -- ./app"

# The figures of a kernel: name, what it says, how to get it.
FIGURES = [
    ("cycles", "core cycles that the kernel took", lambda k: k["gpu_sim_cycle"]),
    ("instructions", "thread instructions completed", lambda k: k["gpu_sim_insn"]),
    ("IPC", "thread instructions per core cycle", lambda k: k.ratio("gpu_sim_insn", "gpu_sim_cycle")),
    ("occupancy", "resident warps, as a share of the warp slots of SMs that hold a block",
     lambda k: share(k["gpu_occupancy"])),
    ("issue slots used", "share of the schedulers' cycles in which an instruction was issued", lambda k: issued(k)),
    ("L1 accesses", "accesses to data L1", lambda k: k["L1D_total_cache_accesses"]),
    ("L1 hit rate", "share of accesses to data L1 that hit", lambda k: report_charts.hit_rate(k, "L1D")),
    ("L2 accesses", "accesses to L2", lambda k: k["L2_total_cache_accesses"]),
    ("L2 hit rate", "share of accesses to L2 that hit", lambda k: report_charts.hit_rate(k, "L2")),
    ("DRAM reads", "column reads of all channels", lambda k: k["gpgpu_n_dram_reads"]),
    ("DRAM writes", "column writes of all channels", lambda k: k["gpgpu_n_dram_writes"]),
    ("DRAM activates", "rows opened", lambda k: k["gpgpu_n_dram_activate"]),
    ("L1 bank conflicts", "cycles in which a bank of data L1 was taken", lambda k: k["gpgpu_n_l1cache_bkconflict"]),
    ("shared conflicts", "cycles lost to bank conflicts of shared memory", lambda k: k["gpgpu_n_shmem_bkconflict"]),
]


SHARES = {"occupancy", "issue slots used", "L1 hit rate", "L2 hit rate"}


def share(percent):
    """Per cent as a share of 1."""
    return None if percent is None else percent / 100


def issued(kernel):
    """The share of issue slots that issued an instruction."""
    found = report_charts.slots(kernel)
    total = sum(sum(s.values()) for s in found)
    return sum(s.get("ISSUED", 0) for s in found) / total if total else None


def cost(kernel):
    """What kernels are ordered by: cycles, or instructions where there are no cycles."""
    return (kernel["gpu_sim_cycle"] if kernel.timed else kernel["gpu_sim_insn"]) or 0


def name_cell(kernel, target):
    """A kernel's name, as a link if the page has more about it."""
    inside = link(target, kernel.plain_name) if target else kernel.plain_name
    return tag("td", inside, class_="name", title=kernel.plain_name)


def section_id(kernel):
    """The id of a kernel's part of the page."""
    return "kernel-%d" % kernel.number


def launches(kernels, shown, total):
    """The table of launches; the longest only, if there are too many."""
    heads = [("#", "number of the launch"), "kernel", ("cycles", FIGURES[0][1]), "of all",
             ("instructions", FIGURES[1][1]),
             ("IPC", FIGURES[2][1]), ("occupancy", FIGURES[3][1]), ("issued", FIGURES[4][1]),
             ("waits most for", "the reason that took most of the schedulers' other cycles"),
             ("L1 hits", FIGURES[6][1]), ("L2 hits", FIGURES[8][1]),
             ("DRAM", "reads and writes")]
    rows = []
    for k in kernels:
        wait = report_charts.top_wait(k)
        reads, writes, unit = report_charts.dram(k)
        moved = None if reads is None else reads + writes
        rows.append(tag("tr", number_cell(k.uid), name_cell(k, section_id(k) if k in shown else None),
                        number_cell(k["gpu_sim_cycle"]),
                        share_cell(cost(k) / total if total else None), number_cell(k["gpu_sim_insn"]),
                        number_cell(k.ratio("gpu_sim_insn", "gpu_sim_cycle")),
                        share_cell(share(k["gpu_occupancy"])), share_cell(issued(k)),
                        tag("td", "%s, %.0f %%" % (wait[0], 100 * wait[1]) if wait else None),
                        share_cell(report_charts.hit_rate(k, "L1D")), share_cell(report_charts.hit_rate(k, "L2")),
                        number_cell(moved, " " + unit)))
    return table(heads, rows)


def by_name(kernels, total):
    """A row for each kernel by name: how often it was launched and what that cost."""
    groups = {}
    for k in kernels:
        groups.setdefault(k.plain_name, []).append(k)
    rows = []
    for name, some in sorted(groups.items(), key=lambda g: -sum(map(cost, g[1])))[:MOST_ROWS]:
        spent = [cost(k) for k in some]
        rows.append(tag("tr", tag("td", name, class_="name", title=name), number_cell(len(some)),
                        number_cell(sum(spent)),
                        share_cell(sum(spent) / total if total else None), number_cell(min(spent)),
                        number_cell(sum(spent) / len(spent)),
                        number_cell(max(spent))))
    return table(["kernel", "launches", "cycles" if kernels[0].timed else "instructions", "of all", "least", "mean",
                  "most"], rows)


def overview_charts(kernels):
    """How the time is spread over kernels."""
    longest = sorted(kernels, key=cost, reverse=True)[:20]
    unit = "core cycles" if kernels[0].timed else "thread instructions"
    if len(kernels) < 2:
        return ""
    charts = [drawing.bars("overview-cost", [k.label for k in longest], [cost(k) for k in longest], unit=unit,
                           title="The longest launches" if len(kernels) > 20 else "Launches")]
    if kernels[0].timed and 2 < len(kernels):
        some = kernels if len(kernels) <= 400 else sorted(longest, key=lambda k: k.number)
        charts.append(drawing.lines("overview-ipc", [k.number for k in some],
                                    {"IPC": [k.ratio("gpu_sim_insn", "gpu_sim_cycle") for k in some]},
                                    title="IPC from launch to launch", xlabel="launch",
                                    unit="thread instructions / cycle", width=560))
    return tag("div", *map(figure, charts), class_="charts")


def facts(run):
    """What was simulated, and how the run ended."""
    said = [("GPU", run.provenance.get("gpu")), ("kernels", len(run.kernels)),
            ("core cycles" if any(k.timed for k in run.kernels) else "thread instructions",
             sum(map(cost, run.kernels))),
            ("the run ended", run.ended or "killed, or still runs"), ("version", run.provenance.get("version")),
            ("commit", run.provenance.get("commit")), ("options", run.provenance.get("options"))]
    return tag("div", *(tag("div", tag("b", value), tag("span", what)) for what, value in said if value is not None),
               class_="facts")


def missing(run):
    """What this file cannot show, and how to get it."""
    lacks = []
    if run.kernels and not any(k.timed for k in run.kernels):
        lacks.append("Functional mode has no time: cycles, stalls, caches and DRAM are counted by heddle run "
                     "--mode timing.")
    elif run.kernels and not any(k.record for k in run.kernels):
        lacks.append("The time line, the roofline, limits of occupancy and the annotated listing are not in %s; "
                     "%s records them." %
                     (os.path.basename(run.path), RECORD))
    if not run.kernels:
        lacks.append("%s has no kernels: none has ended, or the program launched none." % os.path.basename(run.path))
    if run.kernels and run.ended != "complete":
        lacks.append("The run did not come to its end (%s); these are the kernels that had ended by then." %
                     (run.ended or "no last line"))
    return tag("div", tag("ul", *(tag("li", l) for l in lacks)), class_="note") if lacks else ""


def figures(kernel, others, labels):
    """The figures of a kernel; of several runs side by side, with what changed."""
    rows = []

    def cell(value):
        return share_cell(value, hue=False) if name in SHARES else number_cell(value)

    for name, says, get in FIGURES:
        value, rest = get(kernel), [None if o is None else get(o) for o in others]
        if value is None and not any(v is not None for v in rest):
            continue
        cells = [tag("td", name, title=says), cell(value)]
        for other in rest:
            cells += [cell(other), change_cell(value, other, fewer_is_better=name == "cycles")]
        rows.append(tag("tr", *cells))
    heads = ["figure", labels[0] if others else "value"]
    for label in labels[1:]:
        heads += [label, "change"]
    return table(heads, rows, sortable=False, class_="figures")


def charts(some, number, labels, listings):
    """The charts of a kernel, each with those of the other runs beside it. `listings` are their code, None: there is
    none."""
    parts = []
    for part, draw, says in report_time.CHARTS[:2] + report_charts.CHARTS + report_time.CHARTS[2:]:
        drawn = []
        for i, k in enumerate(some):
            more = [listings[i]] if draw == report_time.flop_roofline else []
            svg = draw(k, "k%d-%s%s" % (number, part, "-run%d" % (i + 1) if i else ""), *more) if k else None
            if svg:
                drawn.append(figure(svg, join([tag("b", labels[i]), " ", says]) if len(some) > 1 else says))
        if len(some) > 1 and drawn:
            parts.append(tag("div", *drawn, class_="runs"))
        else:
            parts += drawn
    return parts


def launch_facts(kernel):
    """How the kernel was launched, if that was recorded."""
    launch = report_time.record(kernel).get("launch")
    if not launch:
        return ""
    said = [("grid", " × ".join(map(str, launch["grid"]))), ("block", " × ".join(map(str, launch["block"]))),
            ("registers a thread", launch["registers"]),
            ("bytes of shared memory", launch["static_shared"] + launch["dynamic_shared"]),
            ("bytes of local memory", launch["local"]), ("blocks fit on an SM", launch["blocks_per_sm"]),
            ("limited by", ", ".join(launch["limited_by"]))]
    return tag("div", *(tag("div", tag("b", value), tag("span", what)) for what, value in said), class_="facts")


def kernel_section(kernel, others, labels, kernels, rest):
    """All about one kernel, and the same launch of other runs. `kernels` are those of its run, `rest` those of the
    others."""
    parts = [tag("h2", kernel.plain_name, id=section_id(kernel)),
             tag("p", "Launch %s in stream %s. " % (kernel.uid, kernel.stream), link("overview", "Overview"),
                 class_="quiet")]
    if others and not any(others):
        parts.append(tag("p", "The other runs have no such launch.", class_="quiet"))
    parts.append(launch_facts(kernel))
    code = report_code.listing(kernel, kernels)
    theirs = [report_code.listing(o, of) if o else None for o, of in zip(others, rest)]
    drawn = tag("div", *charts([kernel] + others, kernel.number, labels, [code] + theirs),
                class_=None if others else "charts")
    parts.append(tag("div", figures(kernel, others, labels), drawn, class_="wide" if others else "kernel"))
    if code:
        name = "k%d-code" % kernel.number
        beside = list(zip(labels[1:], theirs))
        parts += [tag("h3", "Code"), tag("div", report_code.hottest(code, name), report_code.by_source(code),
                                         class_="charts"),
                  report_code.show(code, name, [(label, c) for label, c in beside if c and c.same_code(code)])]
    return tag("section", *parts)


def compared(shown, partners, labels):
    """The kernels of several runs, side by side."""
    rows = []
    for k in shown:
        cells = [tag("td", k.uid, class_="n"), name_cell(k, section_id(k)), number_cell(cost(k))]
        for of in partners:
            other = of.get(k)
            cells += [number_cell(cost(other) if other else None),
                      change_cell(cost(k), cost(other) if other else None, fewer_is_better=True)]
        rows.append(tag("tr", *cells))
    heads = ["#", "kernel", labels[0]]
    for label in labels[1:]:
        heads += [label, "change"]
    return table(heads, rows, caption="Cycles" if shown and shown[0].timed else "Instructions")


def labels_of(some):
    """A short name for each run, different from the others."""
    names = [os.path.basename(r.path) for r in some]
    if len(set(names)) == len(names):
        return names
    return ["%d: %s" % (i + 1, r.path) for i, r in enumerate(some)]


def make_page(some, most):
    """The page about runs: the first in full, the others beside it. `most` kernels have a section."""
    first, labels = some[0], labels_of(some)
    total = sum(map(cost, first.kernels))
    longest = sorted(first.kernels, key=cost, reverse=True)
    chosen = set(longest[:most])
    shown = [k for k in first.kernels if k in chosen]
    partners = [runs.pairs(first.kernels, r.kernels) for r in some[1:]]
    body = [tag("h1", "Heddle: " + " and ".join(labels))]
    if shown:
        body.append(tag("nav", link("overview", "Overview"), *(link(section_id(k), k.label) for k in shown)))
    body.append(tag("h2", "Overview", id="overview"))
    for run, label in zip(some, labels):
        body += [tag("h3", label) if len(some) > 1 else "", facts(run), missing(run)]
    if first.kernels:
        if len(some) > 1:
            body += [tag("h3", "Side by side"), compared(shown, partners, labels)]
        if len({k.name for k in first.kernels}) < len(first.kernels):
            body += [tag("h3", "Kernels by name"), by_name(first.kernels, total)]
        rows = first.kernels if len(first.kernels) <= MOST_ROWS else longest[:MOST_ROWS]
        body += [tag("h3", "Launches"), launches(rows, chosen, total)]
        if len(rows) < len(first.kernels):
            body.append(tag("p", "The %d longest of %d launches." % (len(rows), len(first.kernels)), class_="quiet"))
        if len(shown) < len(first.kernels):
            body.append(tag("p", "The %d longest launches have a section below; --kernels N makes it more." %
                            len(shown), class_="quiet"))
        body.append(overview_charts(first.kernels))
    body += [kernel_section(k, [of.get(k) for of in partners], labels, first.kernels, [r.kernels for r in some[1:]])
             for k in shown]
    body.append(tag("p",
                    "Drag in a chart to zoom, click twice to see it whole again. A head of a table sorts it. "
                    "Figures are explained "
                    "in Heddle's docs/statistics.md.", class_="quiet"))
    return page("Heddle: " + ", ".join(labels), join(body, "\n"))


def write(path, text):
    """A file of text or bytes, whole or not at all; a dash is standard output."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    with open(path + ".part", "wb") as f:
        f.write(data)
    os.replace(path + ".part", path)


def out_name(path, end_of):
    """What is made of a file: beside it, with another end of its name."""
    for end in (".gz", ".zst"):
        path = path[:-len(end)] if path.endswith(end) else path
    return os.path.splitext(path)[0] + end_of


# Other forms than a page: the option, what it makes, the end of the file's name, and how it is made of the arguments.
FORMS = {
    "ncu_csv": ("kernels as ncu --csv --page details prints them", ".csv", lambda a: ncu.write(runs.read(a.runs[0]))),
    "perfetto": ("a trace for ui.perfetto.dev: kernels, streams, blocks on SMs, counters", ".pftrace",
                 lambda a: perfetto.convert(runs.read(a.runs[0]), a.events)),
    "stacks": ("collapsed stacks for speedscope: kernel;line;reason", ".stacks",
               lambda a: stacks.collapse(runs.read(a.runs[0]))),
    "konata": ("the pipeline of the modern core for Konata, from what -trace_file wrote of the debug stream CORE",
               ".kanata",
               lambda a: konata.convert(a.runs[0])),
}


def arguments(words):
    """The command line."""
    p = argparse.ArgumentParser(prog="heddle report",
                                description="Writes what a run did as one page of HTML, from the file of "
                                "-stats_json. %s records all that a page can show." % RECORD)
    p.add_argument("runs", nargs="+", metavar="RUN.json",
                   help="of -stats_json, packed or not; others than the first stand beside it")
    p.add_argument("-o", metavar="OUT", dest="out", help="the page, - for standard output; without it, RUN.html")
    p.add_argument("--kernels", type=int, default=16, metavar="N",
                   help="the N longest launches have charts (%(default)s)")
    p.add_argument("--events", metavar="FILE",
                   help="with --perfetto: what -trace_file wrote of the debug streams LIVENESS and STREAM")
    forms = p.add_mutually_exclusive_group()
    for form, (help_, end, _) in FORMS.items():
        forms.add_argument("--" + form.replace("_", "-"), dest="form", action="store_const", const=form,
                           help="not a page, but %s: RUN%s" %
                           (help_, end))
    args = p.parse_args(words)
    if args.form and len(args.runs) > 1:
        p.error("--%s takes one file" % args.form.replace("_", "-"))
    return args


def main(words=None):
    """heddle report: the status."""
    args = arguments(sys.argv[1:] if words is None else words)
    try:
        if args.form:
            _, end, make = FORMS[args.form]
            write(args.out or out_name(args.runs[0], end), make(args))
            return 0
        some = [runs.read(path) for path in args.runs]
        drawing.need_matplotlib()
        write(args.out or out_name(args.runs[0], ".html"), make_page(some, max(0, args.kernels)))
    except (OSError, HeddleError) as e:
        print("heddle: error: %s" % e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
