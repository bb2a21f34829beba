"""The annotated listing of a report: each instruction with what was counted of it, and the time that warps stood before
it."""

from . import drawing
from .report_page import join, link, number_cell, share_cell, table, tag, text

# What warps wait for before an instruction: text and colour. The last is no wait: the scheduler took another warp.
WAITS = {
    "REGISTER": ("a register", "#b8505a"), "PIPE": ("its pipe", "#e08a3c"), "BARRIER": ("a barrier", "#3a6ea5"),
    "ATOMIC": ("its atomics", "#74262f"),
    "FENCE": ("a fence", "#2f4b6e"), "COPY": ("asynchronous copies", "#553a7a"),
    "SERVICE": ("the device runtime", "#8c6bb1"),
    "IMISS": ("the instruction cache", "#7f6a55"), "FETCH": ("fetch", "#a08c76"),
    "FLUSH": ("the way after a branch", "#4bb0b8"),
    "DRAIN": ("its stores", "#6b7280"), "TURN": ("its turn", "#c9d6c9"),
}
MOST_LINES = 4000
HOT_SHARE, MOST_HOT = 0.03, 10


class Line:
    """An instruction: where it stands, and its counters by name."""

    def __init__(self, row):
        self.index, self.pc, self.function, self.code, self.number, self.source, self.source_line = row
        self.counted, self.waits = {}, {}

    @property
    def time(self):
        """Cycles of warps that stood before it."""
        return sum(self.waits.values())


class Listing:
    """The code of a kernel. `sources` has the text of source lines by file and number."""

    def __init__(self, front_end, lines, sources):
        self.front_end, self.lines, self.sources = front_end, lines, sources
        self.time = sum(l.time for l in lines)

    @property
    def counted(self):
        """Whether executions were counted, and not time alone."""
        return any("threads" in l.counted for l in self.lines)

    def same_code(self, other):
        """Whether another listing has the same instructions, line by line."""
        return [(l.pc, l.code) for l in self.lines] == [(l.pc, l.code) for l in other.lines]

    def hot(self):
        """The lines before which warps stood longest."""
        longest = sorted(self.lines, key=lambda l: -l.time)[:MOST_HOT]
        return {l.index for l in longest if self.time and l.time / self.time >= HOT_SHARE}


def listing(kernel, kernels):
    """The listing of a kernel, None where none was recorded. Its text may stand at an earlier launch of the same
    code."""
    code = kernel.record.get("code") if isinstance(kernel.record, dict) else None
    if not isinstance(code, dict) or "counters" not in code:
        return None
    first = code if "listing" in code else next((k.record["code"] for k in kernels if k.record
                                                 and k.uid == code.get("of") and
                                                 "listing" in k.record.get("code", {})), None)
    if not first or not first["listing"]:
        return None
    lines = {row[0]: Line(row) for row in first["listing"]}
    for row in code["counters"]:
        named = dict(zip(code["columns"], row))
        line = lines.get(named.pop("index"))
        if line:
            line.waits = {k: v for k, v in named.items() if k.isupper() and v}
            line.counted = {k: v for k, v in named.items() if not k.isupper()}
    sources = {s["file"]: dict(s["lines"]) for s in first.get("sources", [])}
    return Listing(code.get("front_end", ""), list(lines.values()), sources)


def _bar(line, most):
    """The time before a line as a bar of the reasons."""
    parts = []
    for why, (says, colour) in WAITS.items():
        n = line.waits.get(why)
        if n:
            parts.append(tag("span", class_="wait", title="waits for %s: %s" % (says, drawing.number(n)),
                             style="width:%.1fpx;background:%s" % (90 * n / most, colour)))
    return tag("td", *parts)


def main_wait(line):
    """What warps wait for most before a line; None if they do not."""
    found = {w: n for w, n in line.waits.items() if w != "TURN"}
    if not found:
        return None
    why = max(found, key=lambda w: found[w])
    return WAITS[why][0] if why in WAITS else why.lower()


def _each(over, under):
    return over / under if over and under else None


def _row(line, code, most, hot, name, beside):
    c = line.counted
    waits = main_wait(line) if code.time and line.time / code.time >= 0.002 else ""
    return tag("tr", tag("td", line.number or "%#x" % line.pc, class_="n"), tag("td", line.code, class_="code"),
               number_cell(c.get("warps")) if "warps" in c else tag("td", ""),
               tag("td", "%.1f" % (c["threads"] / c["warps"]) if c.get("warps") else "", class_="n"),
               share_cell(line.time / code.time) if code.time and line.time else tag("td", ""), _bar(line, most),
               tag("td", waits or ""),
               number_cell(_each(c.get("global_requests"), c.get("global_warps"))) if c.get("global_warps")
               else tag("td", ""),
               number_cell(c["dram_bytes"]) if c.get("dram_bytes") else tag("td", ""),
               number_cell(_each(c.get("shared_cycles"), c.get("shared_warps"))) if c.get("shared_warps")
               else tag("td", ""),
               number_cell(c["diverged"]) if c.get("diverged") else tag("td", ""),
               *(share_cell(times[line.pc] / total) if total and times[line.pc] else tag("td", "")
                 for times, total in beside), class_="hot" if hot else None,
               id=_id(name, line) if hot else None, data_pc=line.pc, data_time=line.time)


def _id(name, line):
    return "%s-%x" % (name, line.pc)


def hottest(code, name):
    """The instructions before which warps stood longest, each a link into the listing."""
    rows = []
    for l in sorted((l for l in code.lines if l.index in code.hot()), key=lambda l: -l.time):
        rows.append(tag("tr", tag("td", link(_id(name, l), l.number or "%#x" % l.pc), class_="n"),
                        share_cell(l.time / code.time),
                        tag("td", main_wait(l) or ""), tag("td", l.code, class_="code")))
    return table(["line", "time", "waits most for", "instruction"], rows, sortable=False,
                 caption="Instructions before which warps stood longest"
                 ) if rows else ""


def show(code, name, others=()):
    """The listing as HTML; `name` begins its id. `others` are (label, listing) of the same code in other runs."""
    beside = [({l.pc: l.time for l in o.lines}, o.time) for _, o in others]
    lines, hot = code.lines, code.hot()
    if len(lines) > MOST_LINES:  # those that ran, and where they stand
        lines = [l for l in lines if l.time or l.counted.get("warps")][:MOST_LINES]
    most = max((l.time for l in lines), default=0) or 1
    rows, source, function = [], None, None
    for l in lines:
        if l.function != function:
            function = l.function
            rows.append(tag("tr", tag("td", ""), tag("td", tag("b", function), colspan=10 + len(others)),
                            class_="source"))
        if (l.source, l.source_line) != source:
            source = l.source, l.source_line
            if l.source:
                written = code.sources.get(l.source, {}).get(l.source_line)
                rows.append(tag("tr", tag("td", l.source_line, class_="n"),
                                tag("td", (written or "").strip() or l.source.split("/")[-1],
                                                                             class_="code", title=l.source, colspan=10 +
                                    len(others)), class_="source"))
        rows.append(_row(l, code, most, l.index in hot, name, beside))
    heads = [("line", "of the PTX; of machine code the address"), "instruction",
             ("warps", "times that a warp executed it"),
             ("lanes", "threads of such a warp"), ("time", "share of the time that warps stood before it"),
             ("waits", "of that time"),
             ("most for", ""), ("req.", "requests of a warp to global or local memory"),
             ("DRAM", "bytes that DRAM moved for it"),
             ("shared", "passes of a warp through shared memory"), ("parted", "times that lanes parted")]
    heads += [("time, " + label, "the share of all time in that run") for label, _ in others]
    legend = join([join([tag("span", class_="wait", style="width:9px;background:" + colour), " ", says]) for says,
                   colour in WAITS.values()],
                  ", ")
    says = "Time is sampled: what each resident warp waits for, at equal distances. "
    if not code.counted:
        says += "This front end does not list its code: lines are those that were seen, without executions. "
    return tag("div", tag("p", says, "Lines in colour are where warps stood longest. Warps wait for: ", legend, ".",
                          class_="quiet"),
               tag("div", table(heads, rows, sortable=False, class_="listing"), class_="scroll"), id=name)


def by_source(code):
    """The lines of the source before which warps stood longest; "" where the source is not known."""
    found = {}
    for l in code.lines:
        if l.source and l.time:
            found[l.source, l.source_line] = found.get((l.source, l.source_line), 0) + l.time
    if not found:
        return ""
    rows = []
    for (file, line), time in sorted(found.items(), key=lambda f: (-f[1], f[0]))[:MOST_HOT]:
        written = code.sources.get(file, {}).get(line) or ""
        rows.append(tag("tr", tag("td", "%s:%d" % (file.split("/")[-1], line), title=file),
                        share_cell(time / code.time),
                        tag("td", text(written.strip()), class_="code")))
    return table(["source line", "time", ""], rows, sortable=False,
                 caption="Source lines before which warps stood longest")
