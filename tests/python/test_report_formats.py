"""What heddle report writes for other programs, read as they read it, and checked against the run."""

import csv
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

if sys.version_info < (3, 11):
    print("heddle report needs Python 3.11")
    sys.exit(77)

import common
from heddle import compare, ncu, report_code, runs

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2
except ImportError:
    perfetto_trace_pb2 = None

HEDDLE = os.path.join(common.TREE, "bin", "heddle")
SECTIONS = {"GPU Speed Of Light Throughput", "Memory Workload Analysis", "Scheduler Statistics",
            "Warp State Statistics", "Launch Statistics",
            "Occupancy"}


def fields(data):
    """The fields of a message in protobuf's wire format: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return n
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            yield key >> 3, struct.unpack("<d", data[at:at + 8])[0]
            at += 8
        elif key & 7 == 2:
            n = varint()
            assert at + n <= len(data)
            yield key >> 3, data[at:at + n]
            at += n
        else:
            raise AssertionError("wire type %d" % (key & 7))


TRACE_PROCESSOR = shutil.which("trace_processor_shell") or shutil.which("trace_processor")


def decoded(data):
    """A trace as (tracks by uuid: name, events: (time, type, track, name, value))."""
    tracks, events = {}, []
    if perfetto_trace_pb2:
        trace = perfetto_trace_pb2.Trace()
        trace.ParseFromString(data)
        for p in trace.packet:
            if p.HasField("track_descriptor"):
                tracks[p.track_descriptor.uuid] = p.track_descriptor.name
            else:
                e = p.track_event
                events.append((p.timestamp, e.type, e.track_uuid, e.name, e.double_counter_value))
        return tracks, events
    for number, packet in fields(data):
        assert number == 1
        p = dict(fields(packet))
        if 60 in p:
            d = dict(fields(p[60]))
            tracks[d[1]] = d[2].decode()
        else:
            e = dict(fields(p[11]))
            events.append((p.get(8, 0), e[9], e[11], e.get(23, b"").decode(), e.get(44, 0.0)))
    return tracks, events


@unittest.skipUnless(shutil.which("clang"), "no clang here")
class Formats(common.InFolder):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="heddle-test-")
        cls.addClassCleanup(shutil.rmtree, cls.made)
        subprocess.run([os.path.join(common.TREE, "toolkit", "heddlecc"), "-gline-tables-only", "-o", cls.made + "/app",
                        os.path.join(common.TREE, "examples", "matmul.cu")], check=True)

    def setUp(self):
        super().setUp()
        os.symlink(self.made + "/app", "app")
        self.run_command([HEDDLE, "run", "-c", "SM75_RTX2060", "--trace", "LIVENESS,STREAM", "-trace_file",
                          "events.txt", "-stats_record", "1",
                          "-stats_json", "run.json", "-stats_file", "/dev/null", "--", "./app"])
        self.kernels = runs.read("run.json").kernels

    def test_perfetto(self):
        """Every slice is closed, blocks and kernels are all there, counters are those of the run."""
        for words in ([], ["--events", "events.txt"]):
            self.run_command([HEDDLE, "report", "--perfetto", "run.json"] + words)
            with open("run.pftrace", "rb") as f:
                tracks, events = decoded(f.read())
            depth, slices, last = {}, {}, {}
            for time, kind, track, name, value in events:
                self.assertIn(track, tracks)
                if kind == 4:
                    last.setdefault(tracks[track], []).append((time, value))
                    continue
                depth[track] = depth.get(track, 0) + (1 if kind == 1 else -1)
                self.assertGreaterEqual(depth[track], 0)
                if kind == 1:
                    slices.setdefault(tracks[track], []).append(name)
            self.assertEqual(set(depth.values()), {0})
            names = [k.plain_name for k in self.kernels]
            self.assertEqual([n for n in slices["stream 0"] if "copy" not in n], names)
            if words:
                blocks = sum(len(n) for t, n in slices.items() if t.startswith("SM "))
                self.assertEqual(blocks, sum(x * y * z for x, y,
                                             z in (k.record["launch"]["grid"] for k in self.kernels)))
                self.assertEqual(slices["kernels"], names)
            samples = [s for k in self.kernels for s in zip(k.record["samples"]["thread_insts"],
                                                            k.record["samples"]["cycles"])]
            self.assertEqual([v for _, v in last["IPC"]], [a / b for a, b in samples])
            hz = self.kernels[0].record["gpu"]["core_hz"]
            self.assertEqual(last["IPC"][1][0], round(samples[0][1] * 1e9 / hz))

    @unittest.skipUnless(TRACE_PROCESSOR, "no trace_processor here")
    def test_perfetto_by_its_trace_processor(self):
        """Perfetto's own reader finds no error, no open slice, each kernel and each value of IPC."""
        self.run_command([HEDDLE, "report", "--perfetto", "run.json", "--events", "events.txt"])

        def ask(query):
            self.write("query.sql", query + ";\n")
            said = subprocess.run([TRACE_PROCESSOR, "-q", "query.sql", "run.pftrace"], check=True, capture_output=True,
                                  text=True).stdout
            return [row for row in csv.reader(said.splitlines()) if row][1:]
        self.assertEqual(ask("select name from stats where severity = 'error' and value > 0"), [])
        self.assertEqual(ask("select name from slice where dur < 0"), [])
        names = [k.plain_name for k in self.kernels]
        self.assertEqual(sorted(r[0] for r in ask("select s.name from slice s join track t on s.track_id = t.id "
                                                  "where t.name = 'kernels'")), sorted(names))
        samples = [s for k in self.kernels for s in zip(k.record["samples"]["thread_insts"],
                                                        k.record["samples"]["cycles"])]
        values = ask("select c.value from counter c join counter_track t on c.track_id = t.id where t.name = 'IPC' "
                     "order by c.ts")
        self.assertEqual(len(values), len(samples))
        for (shown,), (insts, cycles) in zip(values, samples):
            self.assertAlmostEqual(float(shown), insts / cycles, places=3)

    def test_ncu_csv(self):
        self.run_command([HEDDLE, "report", "--ncu-csv", "run.json"])
        with open("run.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual({r["Section Name"] for r in rows}, SECTIONS)
        for i, k in enumerate(self.kernels):
            mine = {(r["Section Name"], r["Metric Name"]): r["Metric Value"] for r in rows if r["ID"] == str(i)}
            self.assertEqual(mine["GPU Speed Of Light Throughput", "Elapsed Cycles"], str(k["gpu_sim_cycle"]))
            self.assertEqual(mine["Occupancy", "Achieved Occupancy"], "%.2f" % k["gpu_occupancy"])
            self.assertEqual(mine["Launch Statistics", "Block Size"], "256")
            slots = k.table("issue_slots")
            self.assertEqual(mine["Scheduler Statistics", "One or More Eligible"],
                             "%.2f" % (100 * sum(s["ISSUED"] for s in slots) / sum(s["TOTAL"] for s in slots)))
        self.assertEqual({r["Kernel Name"] for r in rows}, {k.plain_name for k in self.kernels})

    def test_compare(self):
        """A measured file has other units, commas in numbers, and words of ncu before it."""
        self.write("ncu.csv",
                   '==PROF== Connected to process 1 (/app)\n"ID","Kernel Name","Section Name","Metric Name","Metric Unit",'
                   '"Metric Value"\n"0","matmul(float *, const float *, const float *, int)","GPU Speed Of Light Throughput","Elapsed Cycles",'
                   '"cycle","%s"\n"0","matmul(float *, const float *, const float *, int)","GPU Speed Of Light Throughput","Duration","ns",'
                   '"1,000"\n"1","other(int)","Occupancy","Achieved Occupancy","%%","n/a"\n' %
                   "{:,d}".format(2 * self.kernels[0]["gpu_sim_cycle"]))
        said = self.run_command([HEDDLE, "compare", "--csv", "run.json", "ncu.csv"])
        rows = {r["metric"]: r for r in csv.DictReader(l for l in said.splitlines() if not l.startswith("heddle:"))}
        self.assertEqual(float(rows["Elapsed Cycles"]["ratio"]), 0.5)
        self.assertEqual((rows["Duration"]["unit"], float(rows["Duration"]["measured"])), ("us", 1.0))
        self.assertIn("in ncu.csv alone: other #1", said)
        both, _, _ = compare.matched(compare.kernels_of("run.json"), compare.kernels_of("run.json"))
        self.assertTrue(all(m[2] == 1 for m in compare.means(compare.rows_of(both))))
        self.write("no.csv", "a,b\n1,2\n")
        self.assertIn("not the CSV of", self.run_command([HEDDLE, "compare", "run.json", "no.csv"], status=1))

    def test_compare_of_ncu_2025(self):
        """The form of ncu 2025 with --print-units base: five columns of rules, which a metric's row ends before, and
        rows of rules alone. (Seen in the tests of microsoft/superbenchmark, a run on compute capability 10.0.)"""
        matmul = "matmul(float *, const float *, const float *, int)"
        head = [0, 371693, "app", "127.0.0.1", matmul, 1, 7, "(256, 1, 1)", "(4, 4, 1)", 0, "10.0"]

        def line(*cells):
            return ",".join('"%s"' % c for c in head + list(cells))
        sol = "GPU Speed Of Light Throughput"
        metrics = [(sol, "DRAM Frequency", "hz", "3995313115.40"), (sol, "Elapsed Cycles", "cycle", "508757"),
                   (sol, "Duration", "ns", "406240"), ("Launch Statistics", "Cluster Scheduling Policy", "", "PolicySpread"),
                   ("Launch Statistics", "Block Size", "", "256"),
                   ("Launch Statistics", "Dynamic Shared Memory Per Block", "byte/block", "0"),
                   ("Occupancy", "Achieved Occupancy", "%", "15.53")]
        rules = [("SpeedOfLight", "", "", "", "SOLBottleneck", "OPT", "Low throughput, compared to the peak.", "", ""),
                 ("Occupancy", "", "", "", "TheoreticalOccupancy", "OPT", "Limited, by registers.", "local", "81.25")]
        self.write("ncu25.csv", "\n".join(
            ["1024 1024 0 358.154755", ",".join('"%s"' % c for c in ncu.COLUMNS)] +
            [line(*m) + "," for m in metrics] + [line(*r) for r in rules]) + "\n")
        said = self.run_command([HEDDLE, "compare", "--csv", "run.json", "ncu25.csv"])
        rows = {r["metric"]: r for r in csv.DictReader(l for l in said.splitlines() if not l.startswith("heddle:"))}
        self.assertEqual(set(rows), {"DRAM Frequency", "Elapsed Cycles", "Duration", "Block Size", "Achieved Occupancy",
                                     "Dynamic Shared Memory Per Block"})
        self.assertEqual((rows["Duration"]["unit"], float(rows["Duration"]["measured"])), ("us", 406.24))
        self.assertEqual(float(rows["Block Size"]["ratio"]), 1)
        self.assertAlmostEqual(float(rows["DRAM Frequency"]["measured"]), 3.9953131154)

    def test_stacks(self):
        self.run_command([HEDDLE, "report", "--stacks", "run.json"])
        total = 0
        with open("run.stacks") as f:
            for line in f:
                stack, n = line.rsplit(" ", 1)
                self.assertGreaterEqual(stack.count(";"), 2)
                self.assertIn(stack.split(";")[0], {k.plain_name for k in self.kernels})
                total += int(n)
        self.assertEqual(total, sum(report_code.listing(k, self.kernels).time for k in self.kernels))

    def test_wrong_files(self):
        self.run_command([HEDDLE, "run", "-c", "SM75_RTX2060", "-stats_json", "plain.json", "-stats_file", "/dev/null",
                          "--", "./app"])
        self.assertIn("has no counters of lines", self.run_command([HEDDLE, "report", "--stacks", "plain.json"],
                                                                   status=1))
        self.assertIn("has no lines of the debug streams",
                      self.run_command([HEDDLE, "report", "--konata", "run.json"], status=1))
        self.assertIn("--ncu-csv takes one file", self.run_command([HEDDLE, "report", "--ncu-csv", "run.json",
                                                                    "run.json"], status=2))


class Numbers(unittest.TestCase):
    def test_names(self):
        for name in ("void k<int>(float *)", "k<int>(float*)", " k< int >( x )"):
            self.assertEqual(ncu.plain(name), "k<int>")

    def test_units(self):
        head = "Kernel Name,ID,Section Name,Metric Name,Metric Unit,Metric Value\n"
        for unit, value, want in (("Kbyte/block", "2.05", ("byte/block", 2050)), ("Tbyte/s", "1.5", ("Gbyte/s", 1500)),
                                  ("msecond", "2", ("us", 2000)),
                                  ("cycle/usecond", "850", ("Ghz", 0.85)), ("", "32", ("", 32))):
            (_, metrics), = ncu.read(head + "k,0,S,M,%s,%s\n" % (unit, value), "x")
            self.assertEqual(metrics["S", "M"][0], want[0])
            self.assertAlmostEqual(metrics["S", "M"][1], want[1])


@unittest.skipUnless(shutil.which("clang"), "no clang here")
class Konata(common.InFolder):
    def test_log(self):
        """Each instruction is issued once, is in one stage at a time, and comes to its end."""
        self.run_command([os.path.join(common.TREE, "toolkit", "heddlecc"), "-o", "app",
                          os.path.join(common.TREE, "examples", "matmul.cu")])
        self.run_command([HEDDLE, "run", "-c", "SM75_RTX2070_S", "--trace", "CORE", "-trace_file", "core.txt",
                          "-stats_file", "/dev/null", "--",
                          "./app"])
        self.run_command([HEDDLE, "report", "--konata", "core.txt"])
        with open("core.txt") as f:
            issued = len(re.findall(r" Issue=", f.read()))
        with open("core.kanata") as f:
            lines = f.read().split("\n")
        self.assertEqual((lines[0], lines[-1]), ("Kanata\t0004", ""))
        stage, retired, flushed, cycle = {}, [], 0, None
        for line in lines[1:-1]:
            word, *rest = line.split("\t")
            if word == "C=":
                self.assertIsNone(cycle)
                cycle = int(rest[0])
            elif word == "C":
                self.assertGreater(int(rest[0]), 0)
                cycle += int(rest[0])
            elif word == "I":
                self.assertNotIn(rest[0], stage)
                stage[rest[0]] = None
            elif word == "S":
                self.assertIsNone(stage[rest[0]])
                stage[rest[0]] = rest[2]
            elif word == "E":
                self.assertEqual(stage[rest[0]], rest[2])
                stage[rest[0]] = None
            elif word == "R":
                self.assertIsNone(stage[rest[0]])
                stage[rest[0]] = "gone"
                retired.append(int(rest[1]))
                flushed += rest[2] == "1"
            else:
                self.assertEqual((word, rest[1] in "01"), ("L", True))
        self.assertEqual(len(stage), issued)
        self.assertEqual(set(stage.values()), {"gone"})
        self.assertLess(flushed, 0.01 * issued)


if __name__ == "__main__":
    unittest.main()
