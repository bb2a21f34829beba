"""The pipeline of the modern core as a log for Konata (the Kanata format, version 0004), from the debug stream CORE.

An instruction of a warp is one line there. It enters a stage when the stream names the stage with its address; of
several with the same address, in a loop, the oldest that has not been there."""

import re

from . import streams

LINE = re.compile(r"^Core (\d+)\.(\d+) warp (\d+): (.*?)(?: \| SB .*)?$")
STAGE = re.compile(r"(\w+)=([0-9a-f]+)(?: \((.*?)\)(?= \w+=|$))?")

# The stages in the order in which instructions pass them, with the letters that Konata shows.
STAGES = {"Issue": "Is", "Control": "Ct", "Allocate": "Al", "Queue": "Qu", "Address": "Ad", "Read": "Rd", "SM": "Sm",
          "Write": "Wr"}


class _Flight:
    """An instruction between issue and its end."""

    def __init__(self, number, pc):
        self.number, self.pc, self.seen, self.stage = number, pc, {"Issue"}, "Is"


def _last_first(found):
    """Of what a warp's instructions do in a cycle, the stages at the end of the pipeline come first."""
    return -list(STAGES).index(found[0]) if found[0] in STAGES else 0


class _Log:
    """The log while it is written."""

    def __init__(self):
        self.lines, self.cycle, self.number, self.retired = ["Kanata\t0004"], None, 0, 0

    def at(self, cycle):
        """Time goes on to a cycle."""
        if self.cycle is None:
            self.lines.append("C=\t%d" % cycle)
        elif cycle > self.cycle:
            self.lines.append("C\t%d" % (cycle - self.cycle))
        self.cycle = cycle if self.cycle is None else max(cycle, self.cycle)

    def issue(self, pc, text, sm, sub, warp, thread):
        """An instruction begins."""
        f = _Flight(self.number, pc)
        self.lines += ["I\t%d\t%d\t%d" % (f.number, f.number, thread), "L\t%d\t0\t%x: %s" % (f.number, pc, text),
                       "L\t%d\t1\tSM %s, sub-core %s, warp %s" % (f.number, sm, sub, warp), "S\t%d\t0\tIs" % f.number]
        self.number += 1
        return f

    def enter(self, f, stage):
        """It goes from its stage to the next."""
        self.lines += ["E\t%d\t0\t%s" % (f.number, f.stage), "S\t%d\t0\t%s" % (f.number, STAGES[stage])]
        f.seen.add(stage)
        f.stage = STAGES[stage]

    def end(self, f, whole):
        """It leaves; `whole`: it came to its end."""
        self.lines += ["E\t%d\t0\t%s" % (f.number, f.stage), "R\t%d\t%d\t%d" %
                       (f.number, self.retired, 0 if whole else 1)]
        self.retired += whole


def convert(path):
    """The log, as text, from a file of -trace_file."""
    log, flights, ending, threads = _Log(), {}, [], {}
    for e in streams.read(path, ["CORE"]):
        found = LINE.match(e.text)
        if not found:
            continue
        if log.cycle is not None and e.cycle > log.cycle:
            log.at(log.cycle + 1)
            for f in ending:
                log.end(f, True)
            ending = []
        log.at(e.cycle)
        sm, sub, warp, rest = found.groups()
        mine = flights.setdefault((sm, warp), [])
        for stage, pc, text in sorted(STAGE.findall(rest), key=_last_first):
            if stage == "Issue":
                mine.append(log.issue(int(pc, 16), text, sm, sub, warp,
                                      threads.setdefault((sm, warp), len(threads))))
                continue
            here = next((f for f in mine if f.pc == int(pc, 16) and stage not in f.seen), None)
            if stage not in STAGES or not here:
                continue
            log.enter(here, stage)
            if stage == "Write":
                mine.remove(here)
                ending.append(here)
    if log.cycle is not None:
        log.at(log.cycle + 1)
    for f in ending:
        log.end(f, True)
    for f in sorted((f for some in flights.values() for f in some), key=lambda f: f.number):
        log.end(f, False)
    return "\n".join(log.lines) + "\n"
