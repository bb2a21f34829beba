"""Where warps stood, as collapsed stacks for speedscope and flame graphs: `kernel;line;reason cycles`, a line each.

Cycles are those of warps, as -stats_record samples them, summed over the launches of a kernel."""

from . import report_code
from .places import HeddleError
from .report_code import WAITS


def _frame(text):
    """A part of a stack: it cannot hold what divides the parts."""
    return text.replace(";", ":").replace("\n", " ").strip()


def collapse(run):
    """The stacks of a run, as text. HeddleError if it was not recorded."""
    found = {}
    for k in run.kernels:
        code = report_code.listing(k, run.kernels)
        for line in code.lines if code else ():
            place = "%d" % line.number if line.number else "%#x" % line.pc
            frames = [k.plain_name]
            if line.source:
                frames.append("%s:%d" % (line.source.split("/")[-1], line.source_line))
            frames.append("%s: %s" % (place, line.code))
            for why, n in line.waits.items():
                stack = ";".join(map(_frame, frames + ["waits for %s" % WAITS[why][0] if why in WAITS
                                                       else why.lower()]))
                found[stack] = found.get(stack, 0) + n
    if not found:
        raise HeddleError("%s has no counters of lines; heddle run --report PAGE.html -- ./app records them" % run.path)
    return "".join("%s %d\n" % s for s in found.items())
