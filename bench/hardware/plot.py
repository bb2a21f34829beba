"""The scatter plot of docs/hardware.md: measured against simulated, one mark for each point, both axes logarithmic."""

from report import Point
from tables import Cases, SPEED

# One colour for each GPU and one mark for each way, in the order of the cases.
COLOURS = ["#1f5fa8", "#b03a2e", "#2e7d32", "#8e44ad", "#b9770e", "#117a65"]
MARKS = ["o", "^", "x", "s"]


def figure():
    """matplotlib's pyplot, set so that the same points give the same bytes. ImportError where it is not installed."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "heddle", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
    from matplotlib import pyplot
    return pyplot


def save(pyplot, fig, path: str) -> None:
    fig.savefig(path, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    pyplot.close(fig)


def scatter(by_gpu: dict[str, list[Point]], cases: Cases, path: str) -> None:
    """Draws points of cycles; times are drawn as cycles of the measured GPU's clock."""
    pyplot = figure()
    fig, axes = pyplot.subplots(figsize=(6.4, 6.0))
    low, high = float("inf"), 0.0
    for g, (name, points) in enumerate(by_gpu.items()):
        for w, way in enumerate(cases.ways):
            x, y = [], []
            for p in points:
                if p.figure.metric not in SPEED or way.name not in p.values:
                    continue
                scale = p.gpu.clock if p.figure.metric == "time" else 1
                x.append(p.figure.measured * scale)
                y.append(p.values[way.name] * scale)
            if not x:
                continue
            low, high = min(low, *x, *y), max(high, *x, *y)
            hollow = {} if MARKS[w % len(MARKS)] == "x" else {"facecolors": "none" if w else COLOURS[g % len(COLOURS)]}
            kept = {"color": COLOURS[g % len(COLOURS)]} if not hollow else {"edgecolors": COLOURS[g % len(COLOURS)], **hollow}
            axes.scatter(x, y, s=16, marker=MARKS[w % len(MARKS)], linewidths=0.8, label=f"{cases.gpus[name].title}: {way.name}", **kept)
    if high:
        ends = [low / 1.5, high * 1.5]
        axes.plot(ends, ends, color="#444444", linewidth=0.8)
        for share in (0.7, 1.3):
            axes.plot(ends, [e * share for e in ends], color="#999999", linewidth=0.6, linestyle="--")
        axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
        axes.legend(fontsize=7, frameon=False)
    axes.set(xlabel="measured, cycles", ylabel="simulated, cycles")
    axes.set_title("Broken lines: 30 % off", fontsize=8)
    save(pyplot, fig, path)
