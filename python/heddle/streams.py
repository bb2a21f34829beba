"""The debug streams of -trace_file as events: who reads them, converts them (perfetto.py, konata.py).

A line is `GPGPU-Sim Cycle N: STREAM - text`; what is none is somebody else's output, and is left out."""

import re
from collections import namedtuple

from .places import HeddleError

# What happened in a cycle: a stream's name, and its text.
Event = namedtuple("Event", "cycle stream text")

LINE = re.compile(r"^GPGPU-Sim Cycle (\d{1,18}): (\w+) - (.*)$")


def read(path, wanted):
    """The events of these streams, in the order of the file. HeddleError if there is none."""
    out = []
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            found = LINE.match(line)
            if found and found.group(2) in wanted:
                out.append(Event(int(found.group(1)), found.group(2), found.group(3)))
    if not out:
        raise HeddleError("%s has no lines of the debug streams %s; heddle run --trace %s -trace_file FILE -- ./app "
                          "writes them" %
                          (path, " and ".join(wanted), ",".join(wanted)))
    return out
