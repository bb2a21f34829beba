"""Charts as SVG: matplotlib in one style. The same numbers give the same bytes, and every mark carries its number.

    svg = drawing.bars("cycles", ["gemm", "scan"], [26756, 4100], title="Cycles", unit="core cycles")

Each function returns an `<svg>` element as text, for a file of its own (`write`) or for the body of a page. The first
argument names the chart: it begins every id in it, so that charts of different names can stand in one page. A mark is
an element of class `mark` with `data-value`, and a `<title>` that browsers show beside the pointer; a line or an area
has `data-values`, one for each place of `data-x`. `None` is a number that is not there: it has no mark.

matplotlib is no part of Python: a command that draws calls `need_matplotlib` first.
"""

import io
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

from .places import HeddleError

DEBIAN_PYTHON = "/usr/bin/python3"

# Distinct also for the colour-blind; the order is that of use.
COLOURS = ["#3a6ea5", "#e08a3c", "#5b9f6a", "#b8505a", "#8c6bb1", "#7f6a55", "#d48fb5", "#6b7280", "#b3a33a", "#4bb0b8",
           "#2f4b6e", "#8f4f1c", "#2f6b42", "#74262f", "#553a7a", "#c9c9c9"]
MOST_TITLES = 300  # cells of a heat map that have a title each
INK, GREY, PALE = "#24292f", "#6b7280", "#e5e7eb"

STYLE = {
    "svg.hashsalt": "heddle", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 9,
    "axes.edgecolor": GREY, "axes.linewidth": 0.6, "axes.labelcolor": INK, "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.titlecolor": INK, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": False, "axes.axisbelow": True, "grid.color": PALE, "grid.linewidth": 0.6,
    "xtick.color": GREY, "ytick.color": GREY, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "legend.frameon": False, "legend.fontsize": 8,
    "figure.constrained_layout.use": True, "savefig.transparent": True, "path.simplify": False,
    "axes.formatter.limits": (-4, 6), "axes.formatter.useoffset": False, "text.usetex": False, "text.parse_math": False,
}

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)


def need_matplotlib():
    """Returns if this Python has matplotlib, starts the command again in Debian's Python if that one has, and else
    raises HeddleError."""
    try:
        import matplotlib  # noqa: F401
        return
    except ImportError:
        pass
    again = os.environ.get("HEDDLE_DRAWS_IN") == str(os.getpid())
    if not again and os.path.exists(DEBIAN_PYTHON):
        ask = "import importlib.util as u, sys; sys.exit(sys.version_info < (3, 11) or not u.find_spec('matplotlib'))"
        if subprocess.run([DEBIAN_PYTHON, "-c", ask], stderr=subprocess.DEVNULL).returncode == 0:
            package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            os.environ["HEDDLE_DRAWS_IN"] = str(os.getpid())  # which starting another program does not change
            os.environ["PYTHONPATH"] = package + os.pathsep + os.environ.get("PYTHONPATH", "")
            sys.stdout.flush()
            os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON] + sys.orig_argv[1:])
    raise HeddleError("drawing needs matplotlib; install Debian's python3-matplotlib, or: %s -m pip install "
                      "matplotlib" %
                      sys.executable)


def number(value):
    """A number for people: 26,756 or 0.4312; a dash for None."""
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return "–"
    if isinstance(value, int) or float(value).is_integer() and abs(value) < 1e15:
        return "{:,d}".format(int(value))
    return "{:,.1f}".format(value) if abs(value) >= 1000 else "{:.4g}".format(value)


def exact(value):
    """A number as JSON has it, for data-value."""
    return "" if value is None else repr(value)


def exact_list(values):
    """Numbers as JSON has them, for data-values; a dash for None."""
    return " ".join(exact(v) or "-" for v in values)


class _Chart:
    """A figure while it is drawn: its axes, and what each mark says by its gid."""

    def __init__(self, name, width, height):
        if not re.fullmatch(r"[A-Za-z][\w-]*", name):
            raise ValueError("a chart's name begins its ids: %r" % name)
        from matplotlib.figure import Figure
        self.name, self.said, self.cells = name, {}, {}
        self.figure = Figure(figsize=(width / 72, height / 72))
        self.axes = self.figure.add_subplot()

    def mark(self, artist, title, **data):
        """An artist that is one mark."""
        gid = "%s-m%d" % (self.name, len(self.said))
        artist.set_gid(gid)
        self.said[gid] = (title, data)

    def mark_cells(self, artist, said):
        """A collection: a title and data for each of its paths, in their order."""
        gid = "%s-cells%d" % (self.name, len(self.cells))
        artist.set_gid(gid)
        self.cells[gid] = said

    def svg(self, description):
        """The figure as text."""
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        FigureCanvasSVG(self.figure)
        out = io.StringIO()
        self.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        return _finish(self, ET.fromstring(out.getvalue().encode()), description)


def _say(element, title, data):
    element.set("class", "mark")
    for key, value in data.items():
        element.set("data-" + key, value if isinstance(value, str) else exact(value))
    if title:
        ET.SubElement(element, "{%s}title" % SVG).text = title


def _short(element):
    """Two decimals are enough for a place on the page."""
    for key in ("d", "x", "y", "width", "height"):
        if element.get(key):
            element.set(key, " ".join(re.sub(r"(\.\d\d)\d+", r"\1", element.get(key)).split()))


def _finish(chart, root, description):
    for parent in root.iter():
        for child in list(parent):
            if child.tag in ("{%s}metadata" % SVG, "{%s}style" % SVG):  # a page's other charts would have the style too
                parent.remove(child)
    for element in list(root.iter()):
        gid = element.get("id")
        _short(element)
        style = element.get("style")
        if style and "font:" in style:
            element.set("style", re.sub(r"font: ([^;']*?)([\d.]+)px [^;]*", r"font: \1\2px sans-serif", style))
        if gid in chart.said:
            _say(element, *chart.said[gid])
        elif gid in chart.cells:
            paths = [e for e in element.iter() if e.tag in ("{%s}path" % SVG, "{%s}use" % SVG)]
            paths = [e for e in paths if e.tag.endswith("use")] or paths
            if len(paths) != len(chart.cells[gid]):
                raise AssertionError("%d marks were drawn, of %d" % (len(paths), len(chart.cells[gid])))
            for path, said in zip(paths, chart.cells[gid]):
                path.attrib.pop("clip-path", None)
                path.set("fill", path.attrib.pop("style").split(";")[0].replace("fill: ", ""))
                _say(path, *said)
            element.set("style", "stroke: #ffffff; stroke-width: 0.2")
    _own_ids(chart.name, root)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    root.set("role", "img")
    root.set("class", "chart")
    root.set("id", chart.name)
    root.set("aria-label", description)
    for key in ("width", "height"):
        root.attrib[key] = root.attrib[key].replace("pt", "")
    return ET.tostring(root, encoding="unicode").replace("\n", "")


def _own_ids(name, root):
    """Ids that nothing refers to go; the others begin with the chart's name."""
    text = ET.tostring(root, encoding="unicode")
    wanted = set(re.findall(r'(?:url\(|href=")#([^")]+)', text))
    for e in root.iter():
        gid = e.get("id")
        if gid and gid not in wanted and not gid.startswith(name + "-"):
            del e.attrib["id"]
        elif gid in wanted:
            e.set("id", "%s-%s" % (name, gid))
        for key, value in e.attrib.items():
            if key == "{%s}href" % XLINK:
                e.set(key, "#%s-%s" % (name, value[1:]))
            elif "url(#" in value:
                e.set(key, value.replace("url(#", "url(#%s-" % name))


def styled(draw):
    """A function that draws, in Heddle's style whatever the user's matplotlibrc says."""
    def in_style(*args, **kwargs):
        import matplotlib
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update({k: v for k, v in STYLE.items() if k in matplotlib.rcParams})
            return draw(*args, **kwargs)
    in_style.__doc__, in_style.__name__ = draw.__doc__, draw.__name__
    return in_style


def _of(name, value, unit):
    return "%s: %s%s" % (name, number(value), " " + unit if unit else "")


def _values(values):
    return [v if v is not None and math.isfinite(v) else 0 for v in values]


def _label(chart, title, xlabel, ylabel):
    chart.axes.set_title(title)
    chart.axes.set_xlabel(xlabel)
    chart.axes.set_ylabel(ylabel)


def _plain(axis, most=None):
    """Numbers as people write them; at most so many."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter
    if most:
        axis.set_major_locator(MaxNLocator(most))
    axis.set_major_formatter(FuncFormatter(lambda v, _: number(round(v, 9))))
    axis.set_minor_formatter(NullFormatter())


def _legend(chart, upside_down=False):
    """Beside the axes, if there is more than one series; `upside_down` as a stack has them, the top first."""
    handles, names = chart.axes.get_legend_handles_labels()
    if len(names) > 1:
        step = -1 if upside_down else 1
        chart.axes.legend(handles[::step], names[::step], loc="center left", bbox_to_anchor=(1.0, 0.5))


@styled
def bars(name, labels, series, title="", unit="", xlabel="", baseline=None, width=620, height=None):
    """Horizontal bars, a label each. `series` is a list of values, or a dict of such lists that stand beside each
    other. `baseline` draws a line there, such as 1 for speed-ups."""
    series = series if isinstance(series, dict) else {"": series}
    n = max(1, len(series))
    chart = _Chart(name, width, height or 60 + (14 * n + 4) * max(1, len(labels)))
    thick = 0.8 / n
    for k, (what, values) in enumerate(series.items()):
        places = [i + (k - (n - 1) / 2) * thick for i in range(len(labels))]
        drawn = chart.axes.barh(places, _values(values), thick * 0.92, color=COLOURS[k % len(COLOURS)],
                                label=what or "_")
        for label, value, bar in zip(labels, values, drawn):
            if value is None:
                bar.remove()
                continue
            chart.mark(bar, _of("%s, %s" % (label, what) if what else label, value, unit), value=value, label=label,
                       series=what)
    chart.axes.set_yticks(range(len(labels)), labels)
    chart.axes.invert_yaxis()
    chart.axes.grid(axis="x")
    _plain(chart.axes.xaxis, max(2, width // 80))
    if baseline is not None:
        chart.axes.axvline(baseline, color=INK, linewidth=0.8)
    _label(chart, title, xlabel or unit, "")
    _legend(chart)
    return chart.svg(title)


@styled
def stacked(name, labels, series, title="", unit="", xlabel="", colours=None, width=760, height=None):
    """Horizontal bars made of parts: `series` is a dict of lists, a value for each label. `colours` may name a part's
    colour."""
    chart = _Chart(name, width, height or max(60 + 22 * len(labels), 70 + 13 * len(series)))
    left = [0.0] * len(labels)
    for k, (what, values) in enumerate(series.items()):
        colour = (colours or {}).get(what, COLOURS[k % len(COLOURS)])
        drawn = chart.axes.barh(range(len(labels)), _values(values), 0.78, left=left, color=colour, label=what,
                                linewidth=0)
        for i, (label, value, bar) in enumerate(zip(labels, values, drawn)):
            if not value:
                bar.remove()
                continue
            chart.mark(bar, _of("%s, %s" % (label, what), value, unit), value=value, label=label, series=what)
            left[i] += value
    chart.axes.set_yticks(range(len(labels)), labels)
    chart.axes.invert_yaxis()
    _plain(chart.axes.xaxis)
    _label(chart, title, xlabel or unit, "")
    _legend(chart)
    return chart.svg(title)


@styled
def lines(name, x, series, title="", unit="", xlabel="", log_x=False, zero=True, dots=False, width=760, height=190):
    """Lines over x: `series` is a dict of lists, a value for each x. `dots` marks the points, each with its value."""
    chart = _Chart(name, width, height)
    for k, (what, values) in enumerate(series.items()):
        colour = COLOURS[k % len(COLOURS)]
        drawn, = chart.axes.plot(x, [math.nan if v is None else v for v in values], color=colour, linewidth=1.2,
                                 label=what)
        chart.mark(drawn, what or title, series=what, unit=unit, x=exact_list(x), values=exact_list(values))
        for a, v in zip(x, values) if dots else ():
            if v is not None:
                dot, = chart.axes.plot([a], [v], "o", color=colour, markersize=4)
                chart.mark(dot, _of("%s, %s" % (what, number(a)), v, unit), value=v, x=a, series=what)
    if log_x:
        chart.axes.set_xscale("log", base=2)
    if zero:
        chart.axes.set_ylim(bottom=0)
    chart.axes.margins(x=0.01)
    chart.axes.grid(axis="y")
    _plain(chart.axes.xaxis)
    _plain(chart.axes.yaxis)
    _label(chart, title, xlabel, unit)
    _legend(chart)
    return chart.svg(title)


@styled
def areas(name, edges, series, title="", unit="", xlabel="", colours=None, width=760, height=230):
    """Areas on top of each other over time: `edges` are the n + 1 ends of intervals, each series has n values, drawn as
    steps."""
    chart = _Chart(name, width, height)
    below = [0.0] * (len(edges) - 1)
    for k, (what, values) in enumerate(series.items()):
        above = [a + b for a, b in zip(below, _values(values))]
        drawn = chart.axes.fill_between(edges, below + below[-1:], above + above[-1:], step="post", linewidth=0,
                                        label=what,
                                        color=(colours or {}).get(what, COLOURS[k % len(COLOURS)]))
        chart.mark(drawn, what, series=what, unit=unit, x=exact_list(edges), values=exact_list(values))
        below = above
    chart.axes.set_xlim(edges[0], edges[-1])
    chart.axes.set_ylim(bottom=0)
    _plain(chart.axes.xaxis)
    _plain(chart.axes.yaxis)
    _label(chart, title, xlabel, unit)
    _legend(chart, upside_down=True)
    return chart.svg(title)


@styled
def scatter(name, points, title="", xlabel="", ylabel="", log=False, limits=(), diagonal=False, width=620, height=300):
    """Points (x, y, label). `limits` are broken lines, each a label and its (x, y) places: roofs; `diagonal` is where y
    is x."""
    chart = _Chart(name, width, height)
    if log:
        chart.axes.set_xscale("log")
        chart.axes.set_yscale("log")
    for k, (label, places) in enumerate(limits):
        across, up = zip(*places)
        drawn, = chart.axes.plot(across, up, color=[INK, GREY, COLOURS[1]][k % 3], linewidth=1)
        chart.mark(drawn, label, series=label, x=exact_list(across), values=exact_list(up))
        flat = places[0][1] == places[-1][1]  # a label stands at the end of a flat roof, at the foot of a slanted one
        chart.axes.annotate(label, places[-1 if flat else 0], xytext=(-2, 3) if flat else (12 * k + 2, 12 * k - 4),
                            textcoords="offset points", ha="right" if flat else "left", fontsize=7.5, color=GREY)
    if diagonal and points:
        ends = [min(min(p[:2]) for p in points), max(max(p[:2]) for p in points)]
        chart.axes.plot(ends, ends, color=GREY, linewidth=0.8, linestyle="--")
    for k, (x, y, label) in enumerate(points):
        dot, = chart.axes.plot([x], [y], "o", color=COLOURS[k % len(COLOURS)], markersize=7, alpha=0.85)
        chart.mark(dot, "%s: %s %s, %s %s" % (label, number(x), xlabel, number(y), ylabel), x=x, value=y, label=label)
        if len(points) <= 12:
            chart.axes.annotate(label, (x, y), xytext=(6, -3), textcoords="offset points", fontsize=8, color=INK)
    _plain(chart.axes.xaxis)
    _plain(chart.axes.yaxis)
    chart.axes.grid(True)
    _label(chart, title, xlabel, ylabel)
    return chart.svg(title)


@styled
def heat_map(name, rows, title="", unit="", xlabel="", ylabel="", x=None, y=None, width=760, height=None):
    """Rows of numbers as coloured cells; `x` and `y` name columns and rows, by their numbers where they are not
    given."""
    import matplotlib
    chart = _Chart(name, width, height or min(460, max(130, 70 + 11 * len(rows))))
    n = max(len(r) for r in rows)
    full = [[math.nan if v is None else v for v in r] + [math.nan] * (n - len(r)) for r in rows]
    x, y = x or [str(i) for i in range(n)], y or [str(i) for i in range(len(rows))]
    drawn = chart.axes.pcolormesh(full, cmap=matplotlib.colormaps["YlGnBu"].resampled(32), vmin=0, edgecolors="white",
                                  linewidth=0.2)
    titles = n * len(rows) <= MOST_TITLES
    said = []
    for j, row in enumerate(rows):
        for i in range(n):
            value = row[i] if i < len(row) else None
            if titles:
                said.append(("%s %s, %s %s: %s" % (ylabel, y[j], xlabel, x[i], number(value)), {"value": value}))
            else:
                said.append((None, {"value": value, "at": "%s, %s" % (y[j], x[i])}))
    chart.mark_cells(drawn, said)
    chart.axes.invert_yaxis()
    across = int(width * 0.75 / (6 * max(map(len, x)) + 4))  # names that do not touch
    for axis, names, most in ((chart.axes.xaxis, x, min(24, across)), (chart.axes.yaxis, y, 16)):
        step = max(1, -(-len(names) // most))
        axis.set_ticks([i + 0.5 for i in range(0, len(names), step)], names[::step])
    bar = chart.figure.colorbar(drawn, ax=chart.axes, pad=0.01)
    bar.outline.set_visible(False)
    bar.solids.set_rasterized(False)
    _plain(bar.ax.yaxis)
    bar.set_label(unit)
    _label(chart, title, xlabel, ylabel)
    return chart.svg(title)


@styled
def flow(name, boxes, arrows, title="", width=760, height=190):
    """Boxes and what moves between them. A box is (x, y, wide, high, [lines]), from 0 to 100 both ways, y upwards, its
    first line in bold; an arrow is ((x, y), (x, y), value, label), as thick as its share of the largest value of the
    same unit, which ends its label."""
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
    chart = _Chart(name, width, height)
    chart.axes.set(xlim=(0, 100), ylim=(0, 100))
    chart.axes.set_axis_off()
    for x, y, wide, high, texts in boxes:
        chart.axes.add_patch(FancyBboxPatch((x, y), wide, high, boxstyle="round,pad=0,rounding_size=0.8",
                                            mutation_aspect=width / height,
                                            facecolor="#f3f6fa", edgecolor=COLOURS[0], linewidth=0.8))
        middle, step = y + high / 2, 1100 / height
        for i, text in enumerate(texts):
            chart.axes.text(x + wide / 2, middle + ((len(texts) - 1) / 2 - i) * step, text, ha="center", va="center",
                            color=INK,
                            fontsize=8, weight="normal" if i else "bold")
    most = {}
    for _, _, value, label in arrows:
        unit = label.split()[-1]
        most[unit] = max(most.get(unit, 0), value or 0)
    for start, end, value, label in arrows:
        share = (value or 0) / most[label.split()[-1]] if most[label.split()[-1]] else 0
        drawn = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=8, linewidth=0.8 + 4 * share, shrinkA=1,
                                shrinkB=1,
                                color=COLOURS[0] if value else GREY, linestyle="-" if value else ":")
        chart.axes.add_patch(drawn)
        chart.mark(drawn, "%s: %s" % (label, number(value)), value=value, label=label)
        chart.axes.text((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 700 / height, "%s %s" %
                        (number(value), label), ha="center",
                        va="center", fontsize=7.5, color=INK)
    _label(chart, title, "", "")
    return chart.svg(title)


def write(path, svg):
    """A chart as a file of its own."""
    with open(path, "w", encoding="utf-8") as f:
        f.write('<?xml version="1.0" encoding="UTF-8"?>\n%s\n' % svg)
