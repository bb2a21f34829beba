"""A run as a trace for Perfetto (ui.perfetto.dev): kernels, operations of streams, blocks on SMs, and counters over
time.

The file is a sequence of TracePacket messages of Perfetto's trace format, which is protobuf: a message is fields, each
its number and type in a varint, then its value. Only the few messages below are written, so no description of the whole
format is needed."""

import re
import struct

from . import report_time, streams

NAME, PARENT = 2, 5
SLICE_BEGIN, SLICE_END, COUNTER = 1, 2, 4
SEQUENCE = 1

OPERATION = re.compile(r"^stream (\d+) operation (\d+) (.+) (is issued|starts|is complete)$")
BLOCK = re.compile(r"^Core (\d+) - block \((\d+),(\d+),(\d+)\) of kernel '(.*)' \(launch (\d+)\) (.*), "
                   r"\d+ blocks on this core$")
KERNEL = re.compile(r"^kernel '(.*)' \(launch (\d+)\) (begins|has finished)$")


def varint(n):
    """A number as protobuf writes it: seven bits a byte, the lowest first."""
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    """A field of a message: int, float, str, or bytes, which are a message."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


class Trace:
    """A trace while it is written. Times are cycles; `hz` makes nanoseconds of them."""

    def __init__(self, hz):
        self.hz, self.packets, self.tracks, self.open, self.last = hz, [], {}, {}, 0

    def packet(self, *fields):
        """One TracePacket. The first says that nothing came before it in its sequence."""
        first = field(13, 1) if not self.packets else b""
        self.packets.append(field(1, b"".join(fields) + field(10, SEQUENCE) + first))

    def track(self, key, name, parent=None, unit=None, process=None):
        """The uuid of a track, which is described when it is first asked for."""
        if key not in self.tracks:
            uuid = self.tracks[key] = len(self.tracks) + 1
            said = field(1, uuid) + field(NAME, name)
            if parent is not None:
                said += field(PARENT, parent) + field(12, uuid)  # in the order in which they are made
            if unit is not None:
                said += field(8, field(6, unit) if unit else b"")
            if process is not None:
                said += field(3, field(1, process) + field(6, name)) + field(11, 3)
            self.packet(field(60, said))
        return self.tracks[key]

    def event(self, cycle, kind, track, *fields):
        """One TrackEvent."""
        self.last = max(self.last, cycle)
        self.packet(field(8, round(cycle * 1e9 / self.hz)), field(11, field(9, kind) + field(11, track) +
                                                                  b"".join(fields)))

    def begin(self, cycle, track, name, **notes):
        """A slice begins. Notes are shown with it."""
        said = [field(4, field(10, k) + field(4 if isinstance(v, int) else 6, v)) for k, v in notes.items()]
        self.event(cycle, SLICE_BEGIN, track, field(23, name), *said)
        self.open[track] = self.open.get(track, 0) + 1

    def end(self, cycle, track):
        """The slice that began last in the track ends."""
        if self.open.get(track):
            self.open[track] -= 1
            self.event(cycle, SLICE_END, track)

    def count(self, cycle, track, value):
        """A counter has this value from now on."""
        self.event(cycle, COUNTER, track, field(44, float(value)))

    def data(self):
        """The file. What a run that was cut off has left open ends with it."""
        for track, n in self.open.items():
            for _ in range(n):
                self.event(self.last, SLICE_END, track)
            self.open[track] = 0
        return b"".join(self.packets)


class _Lanes:
    """Slices that overlap, in as many tracks as that takes."""

    def __init__(self, trace, name, parent):
        self.trace, self.name, self.parent, self.at, self.busy = trace, name, parent, {}, set()

    def begin(self, cycle, key, what, **notes):
        lane = next(i for i in range(len(self.busy) + 1) if i not in self.busy)
        self.busy.add(lane)
        self.at[key] = lane
        self.trace.begin(cycle, self.trace.track((self.name, lane), self.name, self.parent), what, **notes)

    def end(self, cycle, key):
        lane = self.at.pop(key, None)
        if lane is not None:
            self.busy.discard(lane)
            self.trace.end(cycle, self.trace.track((self.name, lane), self.name, self.parent))


def _kernels(trace, root, kernels):
    """Kernels one behind the other, as their statistics count them."""
    now = 0
    for k in kernels:
        track = trace.track(("stream", k.stream), "stream %s" % k.stream, root)
        cycles = k["gpu_sim_cycle"] or 0
        trace.begin(now, track, k.plain_name, launch=int(k.uid), cycles=int(cycles))
        now += cycles
        trace.end(now, track)


def _events(trace, root, events, names):
    sms, running, lanes = trace.track("sms", "SMs", root), {}, {}
    resident = _Lanes(trace, "kernels", root)
    for e in events:
        found = OPERATION.match(e.text) if e.stream == "STREAM" else None
        if found:
            stream, number, what, how = found.groups()
            track = trace.track(("stream", stream), "stream " + stream, root)
            if how == "starts":
                kind, _, name = what.partition(" ")
                trace.begin(e.cycle, track, names.get(name, name) if kind == "kernel" else what, operation=int(number))
                running[stream, number] = track
            elif how == "is complete" and (stream, number) in running:
                trace.end(e.cycle, running.pop((stream, number)))
            continue
        found = KERNEL.match(e.text)
        if found:
            name, launch, how = found.groups()
            if how == "begins":
                resident.begin(e.cycle, launch, names.get(name, name), launch=int(launch))
            else:
                resident.end(e.cycle, launch)
            continue
        found = BLOCK.match(e.text)
        if found:
            sm, x, y, z, name, launch, how = found.groups()
            lane = lanes.setdefault(sm, _Lanes(trace, "SM %02d" % int(sm), sms))
            key = launch, x, y, z
            if how == "has finished" or how.startswith("waits"):
                lane.end(e.cycle, key)
            else:
                lane.begin(e.cycle, key, "%s (%s,%s,%s)" % (names.get(name, name).split("(")[0], x, y, z),
                           launch=int(launch))


COUNTERS = [("IPC", "thread instructions / cycle", "thread_insts", "cycles", 1),
            ("warps of an SM with a block", "warps", "warp_cycles", "sm_cycles", 1),
            ("L1 miss rate", "%", "l1_misses", "l1_accesses", 100),
            ("L2 miss rate", "%", "l2_misses", "l2_accesses", 100),
            ("DRAM reads", "bursts / cycle", "dram_reads", "cycles", 1),
            ("DRAM writes", "bursts / cycle", "dram_writes", "cycles", 1)]


def _counters(trace, root, kernels):
    start = 0
    for k in kernels:
        found = report_time.samples(k)
        if found:
            edges = report_time.edges(found)
            for name, unit, over, under, scale in COUNTERS:
                track = trace.track(("counter", name), name, root, unit)
                for at, a, b in zip(edges, found[over], found[under]):
                    trace.count(start + at, track, scale * a / b if b else 0)
        start += k["gpu_sim_cycle"] or 0


def convert(run, events_file=None):
    """The trace of a run, as bytes. `events_file` is what -trace_file wrote of the streams LIVENESS and STREAM; without
    it kernels stand one behind the other."""
    gpu = run.gpu
    trace = Trace(gpu.get("core_hz") or 1e9)
    root = trace.track("gpu", run.provenance.get("gpu") or "GPU", process=1)
    if events_file:
        _events(trace, root, streams.read(events_file, ["LIVENESS", "STREAM"]),
                {k.name: k.plain_name for k in run.kernels})
    else:
        _kernels(trace, root, run.kernels)
    _counters(trace, root, run.kernels)
    return trace.data()
