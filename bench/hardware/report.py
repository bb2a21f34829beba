"""Results beside measurements: errors, their statistics, and the tables of docs/hardware.md."""

import math
import statistics
from dataclasses import dataclass

from tables import Cases, ERROR_IN_POINTS, Figure, Gpu, Measured, PEERS, SPEED, UNITS, WHOLE

BEGIN, END = "<!-- made by bench/hardware/run: begin -->", "<!-- made by bench/hardware/run: end -->"
NAMES = {"cycles": "cycles", "time": "microseconds", "instructions": "instructions of warps", "ipc": "instructions in a cycle and SM",
         "l1_hit_rate": "hits in L1, %", "l2_hit_rate": "hits in L2, %", "occupancy": "occupancy, %", "dram_bytes": "bytes of DRAM"}
# A change below this share is not held against a simulator that sees the opposite.
SMALL_CHANGE = 0.05
NOT_YET = "not run yet"


@dataclass
class Point:
    """A figure with what each way gives: a value, or in `reasons` why there is none."""
    gpu: Gpu
    figure: Figure
    mark: str
    values: dict[str, float]
    reasons: dict[str, str]

    def error(self, way: str) -> float | None:
        value = self.values.get(way)
        if value is None:
            return None
        if self.figure.metric in ERROR_IN_POINTS:
            return (value - self.figure.measured) / 100
        return value / self.figure.measured - 1 if self.figure.measured else None


def value_of(result: dict, kernel: str, metric: str) -> tuple[float | None, str]:
    """A figure of a result, or why there is none."""
    if "failed" in result:
        return None, result["failed"]
    kernels = result["kernels"]
    if kernel not in kernels:
        return None, f"no kernel {kernel}; there are {', '.join(sorted(k for k in kernels if k != WHOLE))}"
    value = kernels[kernel].get(metric)
    return value, "" if value is not None else f"nothing to tell {NAMES[metric]} by"


def points_of(gpu: Gpu, cases: Cases, measured: Measured, results: dict) -> list[Point]:
    """Every figure of a GPU, in the order of the cases; figures of programs that no case names come last."""
    by_name = {c.name: c for c in cases.cases if c.gpu == gpu.name}
    order = {name: i for i, name in enumerate(by_name)}
    out = []
    for figure in sorted(measured.figures, key=lambda f: order.get(f.case, len(order))):
        case = by_name.get(figure.case)
        marks = [case.mark, f"sampled to {case.sample} %" if case.sample else "",
                 f"{case.times} times what was run" if case.times > 1 else ""] if case else []
        point = Point(gpu, figure, ", ".join(m for m in marks if m), {}, {})
        for way in cases.ways:
            result = results.get(figure.case, {}).get(way.name)
            if case is None:
                value, reason = None, "no case names this program"
            elif case.left_out:
                value, reason = None, case.left_out
            elif result is None:
                value, reason = None, NOT_YET
            else:
                value, reason = value_of(result, figure.kernel, figure.metric)
            if value is None:
                point.reasons[way.name] = reason
            else:
                point.values[way.name] = value
        out.append(point)
    return out


@dataclass
class Summary:
    count: int
    mean: float
    median: float
    worst: float
    worst_name: str
    correlation: float | None


def correlation(pairs: list[tuple[float, float]]) -> float | None:
    """Of the logarithms; None where there are fewer than three pairs, or no spread."""
    pairs = [(math.log(a), math.log(b)) for a, b in pairs if a > 0 and b > 0]
    if len(pairs) < 3:
        return None
    try:
        return statistics.correlation([a for a, _ in pairs], [b for _, b in pairs])
    except statistics.StatisticsError:
        return None


def name_of(point: Point) -> str:
    kernel = "" if point.figure.kernel == WHOLE else f", {point.figure.kernel}"
    return point.figure.case + kernel


def summary(points: list[Point], way: str) -> Summary | None:
    """Over points that say how long something takes."""
    seen = [(abs(e), p) for p in points if p.figure.metric in SPEED for e in [p.error(way)] if e is not None]
    if not seen:
        return None
    worst, point = max(seen, key=lambda s: s[0])
    return Summary(len(seen), statistics.fmean(e for e, _ in seen), statistics.median(e for e, _ in seen), worst, name_of(point),
                   correlation([(p.figure.measured, p.values[way]) for _, p in seen]))


def peer_summary(points: list[Point], peer: str) -> Summary | None:
    """What a peer's authors measured, as a summary over the same points."""
    told = [Point(p.gpu, p.figure, "", {peer: p.figure.peers[peer]}, {}) for p in points if peer in p.figure.peers]
    return summary(told, peer)


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def signed(error: float) -> str:
    return f"{100 * error:+.1f} %"


def cell(point: Point, way: str) -> str:
    value, error = point.values.get(way), point.error(way)
    if value is None:
        return "none"
    return number(value) + (f" ({signed(error)})" if error is not None else "")


def table(head: list[str], rows: list[list[str]], left: int = 1) -> list[str]:
    """A table whose first `left` columns are text."""
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join([" --- "] * left + [" --: "] * (len(head) - left)) + "|"]
    return lines + ["| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows] + [""]


def summary_cells(s: Summary | None) -> list[str]:
    if s is None:
        return ["0", "", "", "", ""]
    r = "" if s.correlation is None else f"{s.correlation:.4f}"
    return [str(s.count), f"{100 * s.mean:.1f} %", f"{100 * s.median:.1f} %", f"{100 * s.worst:.1f} % ({s.worst_name})", r]


def summaries(by_gpu: dict[str, list[Point]], cases: Cases) -> list[str]:
    rows = []
    everything = [p for points in by_gpu.values() for p in points]
    for title, points in [*((cases.gpus[g].title, p) for g, p in by_gpu.items()), ("all", everything)]:
        if title == "all" and len(by_gpu) < 2:
            continue
        for way in cases.ways:
            s = summary(points, way.name)
            if s:
                rows.append([title, way.name, *summary_cells(s)])
        for peer, name in PEERS.items():
            s = peer_summary(points, peer)
            if s and title != "all":
                rows.append([title, name, *summary_cells(s)])
    return table(["GPU", "way", "points", "mean of \\|error\\|", "median", "worst", "correlation of logarithms"], rows, 2)


def speed_table(points: list[Point], cases: Cases) -> list[str]:
    lines = []
    for metric in SPEED:
        chosen = [p for p in points if p.figure.metric == metric]
        if not chosen:
            continue
        peers = [k for k in PEERS if any(k in p.figure.peers for p in chosen)]
        rows = []
        for p in chosen:
            row = [name_of(p) + (f" ({p.mark})" if p.mark else ""), number(p.figure.measured)]
            row += [cell(p, w.name) for w in cases.ways]
            for k in peers:
                told = p.figure.peers.get(k)
                row.append("" if told is None else f"{number(told)} ({signed(told / p.figure.measured - 1)})")
            rows.append(row)
        lines += table([f"program ({NAMES[metric]})", "measured", *(w.name for w in cases.ways), *(PEERS[k] for k in peers)], rows)
    return lines


def other_table(points: list[Point], cases: Cases) -> list[str]:
    """Figures other than speed: for these only machine code is the program that was measured."""
    rows = [[name_of(p), NAMES[p.figure.metric], number(p.figure.measured), *(cell(p, w.name) for w in cases.ways)]
            for p in points if p.figure.metric not in SPEED]
    return table(["program", "what", "measured", *(w.name for w in cases.ways)], rows, 2) if rows else []


def reasons(points: list[Point]) -> list[str]:
    """Why there is no figure: a line for each program and reason, and one for all that are not run yet."""
    seen: dict[tuple[str, str], list[str]] = {}
    for p in points:
        for way, reason in p.reasons.items():
            ways = seen.setdefault((p.figure.case, reason), [])
            if way not in ways:
                ways.append(way)
    lines = [f"- {case}, {' and '.join(ways)}: {reason}." for (case, reason), ways in seen.items() if reason != NOT_YET]
    waiting = [f"{case} ({' and '.join(ways)})" for (case, reason), ways in seen.items() if reason == NOT_YET]
    if waiting:
        lines.append(f"- {NOT_YET}: {'; '.join(waiting)}.")
    return [*lines, ""] if lines else []


@dataclass
class Seen:
    """A direction as measured and as each way has it: after / before - 1, less is faster."""
    name: str
    sizes: str
    measured: float
    values: dict[str, float]
    reasons: dict[str, str]


def directions_of(gpu: Gpu, cases: Cases, measured: Measured, results: dict) -> list[Seen]:
    left_out = {c.name: c.left_out for c in cases.cases if c.gpu == gpu.name}
    out = []
    for d in cases.directions:
        if d.gpu != gpu.name:
            continue
        change = measured.changes.get(d.name)
        if change is None:
            continue
        seen = Seen(d.name, d.sizes, change.after / change.before - 1, {}, {})
        for way in cases.ways:
            ends = []
            for case in (d.before, d.after):
                result = results.get(case, {}).get(way.name, {"failed": left_out[case] or NOT_YET})
                value, reason = value_of(result, d.kernel, "cycles")
                if value is None:
                    seen.reasons[way.name] = f"{case}: {reason}"
                ends.append(value)
            if None not in ends and ends[0]:
                seen.values[way.name] = ends[1] / ends[0] - 1
        out.append(seen)
    return out


def same_sign(measured: float, simulated: float) -> bool:
    return (measured < 0) == (simulated < 0)


def direction_table(seen: list[Seen], cases: Cases) -> list[str]:
    rows = []
    for s in seen:
        row = [s.name + (f" ({s.sizes})" if s.sizes else ""), signed(s.measured)]
        for w in cases.ways:
            value = s.values.get(w.name)
            if value is None:
                row.append("none")
            else:
                wrong = abs(s.measured) > SMALL_CHANGE and not same_sign(s.measured, value)
                row.append(signed(value) + (", **wrong**" if wrong else ""))
        rows.append(row)
    if not rows:
        return []
    right = ["signs that are right, of changes over 5 %", ""]
    for w in cases.ways:
        big = [s for s in seen if abs(s.measured) > SMALL_CHANGE and w.name in s.values]
        right.append(f"{sum(same_sign(s.measured, s.values[w.name]) for s in big)} of {len(big)}")
    lines = table(["change of time by", "measured", *(w.name for w in cases.ways)], [*rows, right])
    why: dict[str, str] = {}
    for s in seen:
        for reason in s.reasons.values():
            if not reason.endswith(NOT_YET):
                why.setdefault(reason, s.name)
    return lines + [f"- {name}: {reason}." for reason, name in why.items()] + ([""] if why else [])


def provenance(heads: list[dict[str, str]]) -> list[str]:
    lines = ["Where the measurements come from:", ""]
    lines += [f"- {h['source']}, {h['page']}; {h['clock']}." for h in heads]
    return lines + [""]


def document(cases: Cases, measured: dict[str, Measured], results: dict[str, dict]) -> str:
    """What stands between the markers of docs/hardware.md."""
    by_gpu = {name: points_of(gpu, cases, measured[name], results.get(name, {})) for name, gpu in cases.gpus.items()}
    shown = {name: points for name, points in by_gpu.items() if points}
    lines = ["## How far off", "", "![Measured against simulated](hardware.svg)", "", *summaries(shown, cases)]
    for name, gpu in cases.gpus.items():
        points, seen = by_gpu[name], directions_of(gpu, cases, measured[name], results.get(name, {}))
        if not points and not seen:
            continue
        lines += [f"## {gpu.title}", "", *speed_table(points, cases), *other_table(points, cases), *reasons(points)]
        if seen:
            lines += [f"### Changes on {gpu.title}", "", *direction_table(seen, cases)]
        lines += provenance(measured[name].heads)
    for mistake in next(iter(measured.values())).mistakes if measured else []:
        lines += [f"- left out: {mistake}"]
    return "\n".join(lines).rstrip("\n") + "\n"


def write_between(path: str, text: str) -> None:
    """Puts text between the markers of a page. ValueError where it has none."""
    with open(path, encoding="utf-8") as f:
        page = f.read()
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"{path}: the lines '{BEGIN}' and '{END}' are not there once each; put them where the tables belong")
    head, tail = page[:page.index(BEGIN)], page[page.index(END):]
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{head}{BEGIN}\n\n{text}\n{tail}")


def grown(before: list[Point], after: list[Point], way: str) -> list[str]:
    """What got worse by more than a point of error, or has no figure any more: a sentence for each."""
    out = []
    for old, new in zip(before, after):
        was, now = old.error(way), new.error(way)
        what = f"{name_of(new)}, {NAMES[new.figure.metric]}, {way}"
        if was is not None and now is None:
            out.append(f"{what}: had an error of {signed(was)}, and there is no figure now: {new.reasons[way]}")
        elif was is not None and abs(now) > abs(was) + 0.01:
            out.append(f"{what}: the error was {signed(was)} and is {signed(now)}")
    return out
