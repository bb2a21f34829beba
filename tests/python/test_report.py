"""heddle report: the pages say what the file says, whatever file it is."""

import json
import os
import shutil
import sys
import unittest

if sys.version_info < (3, 11):
    print("heddle report needs Python 3.11")
    sys.exit(77)

import chromium
import common
import pages
from heddle import drawing, flops, report_charts, report_code, runs, stats
from heddle.places import HeddleError

try:
    drawing.need_matplotlib()
except HeddleError as e:
    print(e)
    sys.exit(77)


def row(name, value, kind="running total"):
    return {"name": name, "unit": "", "kind": kind, "description": "", "value": value}


def kernel(uid, name="_Z4gemmPf", scale=1, **more):
    """A kernel that adds the same to each running total."""
    n = uid * scale
    rows = [row("gpu_sim_cycle", 1000 * scale, "per kernel"), row("gpu_sim_insn", 64000, "per kernel"),
            row("gpu_occupancy", 37.5, "rate"),
            row("L1D_total_cache_accesses", 400 * n), row("L1D_total_cache_misses", 100 * n),
            row("L2_total_cache_accesses", 120 * n),
            row("L2_total_cache_misses", 30 * n), row("gpgpu_n_dram_reads", 30 * n), row("gpgpu_n_dram_writes", 10 * n),
            row("gpgpu_n_shmem_insn", 0), row("gpgpu_n_load_insn", 50 * n),
            row("traffic_breakdown_coretomem", {"GLOBAL_ACC_R": {"bytes": 8 * n, "8": n},
                                                "GLOBAL_ACC_W": {"bytes": 40 * n, "40": n}}),
            row("traffic_breakdown_memtocore", {"GLOBAL_ACC_R": {"bytes": 40 * n, "40": n}}),
            row("issue_slots", [{"ISSUED": 5 * n, "SCOREBOARD": (i + 2) * n, "NO_WARP": 0, "TOTAL": (i + 7) * n}
                                for i in range(4)]),
            row("Warp Occupancy Distribution", {"Stall": 1, "W0_Idle": 2, "W1": 3 * n, "W32": 7 * n}),
            row("mf_lat_table", [0, 0, 0, 0, 0, 0, 0, 11 * n, 0, 5 * n, 0]),
            row("number of total memory accesses made", [[c * n, c * n + 1] for c in range(4)]),
            row("L2_cache_bank", [{"Access": i * n, "Miss": 0, "Miss_rate": None} for i in range(8)])]
    return {"name": name, "uid": uid, "stream": 0, "provenance": {"version": "0.1", "commit": "abc", "options": "1",
                                                                  "gpu": "A GPU <&>"},
            "statistics": rows, **more}


def document(*kernels, ended="complete"):
    kernels[-1]["heddle_run"] = ended
    return json.dumps(kernels)


class Pages(common.InFolder):
    """Makes pages."""

    def report(self, *words, **how):
        return self.python("-m", "heddle.report", *words, **how)

    def page(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        page = pages.Page(text)
        page.check()
        return page, text


class Report(Pages):
    def test_numbers_of_charts(self):
        """Each is what the kernel added, to the digit."""
        self.write("run.json", document(kernel(1), kernel(2), kernel(3, "_Z4scanPi")))
        self.report("run.json")
        page, text = self.page("run.html")
        for n in (1, 2, 3):
            c = "k%d-" % n
            self.assertEqual(page.numbers(c + "slots", "issued"), ["5"] * 4)
            self.assertEqual(page.numbers(c + "slots", "scoreboard"), ["2", "3", "4", "5"])
            self.assertEqual(page.numbers(c + "memory"), ["400", "0", "48", "40", "10", "30"])
            self.assertEqual(page.numbers(c + "lanes"), ["3"] + ["0"] * 6 + ["7"])
            self.assertEqual(page.numbers(c + "latency"), ["11", "0", "5"])
            self.assertEqual([m["data-label"] for m in page.charts[c + "latency"]], ["128–255", "256–511", "512–1023"])
            self.assertEqual(page.numbers(c + "banks"), ["0", "1" if n == 1 else "0"] + [w for v in "123" for w in
                                                         (v, str(int(v) + 1) if n == 1 else v)])
            self.assertEqual(page.numbers(c + "slices"), [str(i) for i in range(8)])
        self.assertEqual(page.numbers("overview-cost"), ["1000"] * 3)
        self.assertIn("gemm(float*)", text)
        self.assertIn("A GPU &lt;&amp;&gt;", text)
        self.assertIn("heddle run --report", text)

    def test_two_runs(self):
        self.write("a.json", document(kernel(1), kernel(2)))
        self.write("b.json", document(kernel(1, scale=3)))
        self.report("a.json", "b.json", "-o", "both.html")
        page, text = self.page("both.html")
        self.assertEqual(page.numbers("k1-slots", "issued"), ["5"] * 4)
        self.assertEqual(page.numbers("k1-slots-run2", "issued"), ["15"] * 4)
        self.assertNotIn("k2-slots-run2", page.charts)
        self.assertIn("+200.0 %", text)
        self.assertIn("The other runs have no such launch", text)

    def test_same_bytes(self):
        self.write("run.json", document(kernel(1), kernel(2)))
        self.assertEqual(self.report("run.json", "-o", "-"), self.report("run.json", "-o", "-"))

    def test_functional(self):
        rows = [row("gpu_sim_insn", 512, "per kernel"), row("gpgpu_n_w_icount", {"ALU": [12, 384], "LOAD": [4, 128]},
                                                            "per kernel")]
        self.write("run.json", json.dumps([{"name": "k", "uid": 1, "stream": 0, "provenance": {}, "statistics": rows,
                                            "heddle_run": "complete"}]))
        self.report("run.json")
        page, text = self.page("run.html")
        self.assertEqual(page.numbers("k1-classes"), ["12", "4"])
        self.assertIn("--mode timing", text)

    def test_no_kernels(self):
        for name, text in (("empty.json", ""), ("none.json", "[]")):
            self.write(name, text)
            self.report(name, "-o", "page.html")
            self.assertIn("has no kernels", self.page("page.html")[1])

    def test_killed(self):
        self.write("run.json", document(kernel(1), ended=None))
        self.report("run.json")
        self.assertIn("did not come to its end", self.page("run.html")[1])

    def test_wrong_files(self):
        whole = document(kernel(1), kernel(2))
        cases = [(whole[:-400], "cut off"), ("{}", "not a file of -stats_json"),
                 ('[{"name": 1}]', "not a file of -stats_json"), ("[1]", "not a file"),
                 ("\0\1\2", "not a file of"), ("[" * 100000, "not a file of"),
                 ('{"traceEvents": []}', "not a file of -stats_json"),
                 ('[{"name":"k","uid":1,"stream":{},"statistics":[]}]', "not a file of")]
        for text, said in cases:
            self.write("run.json", text)
            out = self.report("run.json", status=1)
            self.assertIn(said, out)
            self.assertEqual(out.count("\n"), 1)
            self.assertFalse(os.path.exists("run.html"))
        self.assertIn("No such file", self.report("nowhere.json", status=1))
        self.write("run.json.gz", "no gzip")
        self.assertIn("run.json.gz", self.report("run.json.gz", status=1))

    def test_strange_figures(self):
        """Figures of other forms than ours are left out, not drawn wrong."""
        for value in (None, "x", [], {}, [1, "a", None], {"a": None}, -5, 1e308, [[None]], True):
            names = [r["name"] for r in kernel(1)["statistics"]]
            self.write("run.json", json.dumps([{"name": "<script>alert(1)</script>", "uid": 1, "stream": 0,
                                                "statistics": [row(n, value) for n in names]}]))
            said = self.report("run.json")
            self.assertNotIn("Traceback", said)
            self.assertNotIn("<script>alert", self.page("run.html")[1])

    def test_broken_recordings(self):
        """A recording that lacks anything, or has another form, counts as none."""
        good = {"gpu": {n: 1 for n in runs.GPU}, "launch": dict({n: 1 for n in runs.LAUNCH}, grid=[1, 1, 1],
                                                                block=[32, 1, 1], limited_by=["blocks"]),
                "samples": dict({n: [5, 6] for n in runs.SAMPLES}, issue_slots={"ISSUED": [1, 2]}, dram=[[1, 2]],
                                l2=[[3, 4]]),
                "code": {"front_end": "ptx", "of": 1, "columns": ["index", "threads", "warps", "REGISTER"],
                         "counters": [[0, 64, 2, 9]],
                         "listing": [[0, 0, "k", "add.s32 <b>, 1", 7, "a.cu", 3]],
                         "sources": [{"file": "a.cu", "lines": [[3, "a++;"]]}]}}
        self.write("run.json", document(kernel(1, record=good)))
        self.report("run.json")
        page, text = self.page("run.html")
        self.assertIn("k1-ipc", page.charts)
        self.assertIn("add.s32 &lt;b&gt;, 1", text)
        for path, value in (("gpu", None), ("gpu.core_hz", 0), ("gpu.sms", "x"), ("launch.grid", [1]),
                            ("launch.block", [0, 0, 0]), ("samples.cycles", []),
                            ("samples.dram", [[1]]), ("samples.issue_slots", []), ("code.columns", [1]),
                            ("code.counters", [[1]]),
                            ("code.listing", [[1, 2]]), ("code.sources", [{"file": 1}]), ("samples", 5), ("code", [])):
            broken = json.loads(json.dumps(good))
            *parents, last = path.split(".")
            inner = broken
            for p in parents:
                inner = inner[p]
            inner[last] = value
            self.write("run.json", document(kernel(1, record=broken)))
            self.assertEqual(self.report("run.json", "--kernels", "0"), "", path)
            self.assertIsNone(runs.read("run.json").kernels[0].record, path)
        self.write("run.json", document(kernel(1, record=good),
                                        kernel(2, record=dict(good, code=dict(good["code"], of=77, listing=[])))))
        self.report("run.json")

    @unittest.skipUnless(chromium.found(), "no chromium here")
    def test_scripts(self):
        """The pointer shows a number, dragging zooms and a double click undoes it, a head sorts its table."""
        self.write("run.json", document(kernel(1), kernel(2), kernel(3, scale=2)))
        self.report("run.json")
        with open("run.html", "a", encoding="utf-8") as f:
            f.write("""<script>
var said = [], chart = document.getElementById('k1-slots'), whole = chart.getAttribute('viewBox');
var b = chart.getBoundingClientRect();
function at(what, on, x, y) { on.dispatchEvent(new MouseEvent(what, { bubbles: true, clientX: x, clientY: y })); }
at('mousemove', chart.querySelector('.mark path'), 5, 5);
said.push(document.getElementById('tip').textContent);
at('mousedown', chart, b.left + 10, b.top + 10);
at('mouseup', chart, b.left + 110, b.top + 60);
said.push(chart.getAttribute('viewBox') !== whole);
at('dblclick', chart, b.left, b.top);
said.push(chart.getAttribute('viewBox') === whole);
var line = document.querySelector('#overview-ipc .mark[data-values]'), r = line.getBoundingClientRect();
at('mousemove', line, r.right, r.top);
said.push(document.getElementById('tip').textContent);
var table = Array.from(document.querySelectorAll('table.sortable')).find(t => t.rows[0].cells[0].textContent === '#');
table.rows[0].cells[2].click();
said.push(table.tBodies[0].rows[0].cells[0].textContent);
document.title = 'said: ' + said.join('|');
</script>""")
        dom, console = chromium.opened(self.folder, "run.html")
        self.assertEqual(console, [])
        title = dom.split("<title>said: ")[1].split("</title>")[0]
        self.assertEqual(title, "scheduler 0, issued: 5 cycles|true|true|IPC at 3: 32 thread instructions / cycle|3")

    @unittest.skipUnless(chromium.found(), "no chromium here")
    def test_browser(self):
        """The page with its scripts run: no error on the console, every chart there."""
        self.write("run.json", document(kernel(1), kernel(2)))
        self.report("run.json")
        dom, console = chromium.opened(self.folder, "run.html")
        self.assertEqual(console, [])
        self.assertIn('id="tip"', dom)  # the script ran
        self.assertEqual(set(pages.Page(dom).charts), set(self.page("run.html")[0].charts))


class Recorded(common.InFolder):
    """Records runs of this tree."""

    HEDDLE = os.path.join(common.TREE, "bin", "heddle")

    def setUp(self):
        super().setUp()
        self.run_command([os.path.join(common.TREE, "toolkit", "heddlecc"), "-gline-tables-only", "-o", "app",
                          os.path.join(common.TREE, "examples", "matmul.cu")])

    def record(self, page, *options):
        self.run_command([self.HEDDLE, "run", "--report", page + ".html", "-c", "SM75_RTX2060", "-stats_file",
                          "/dev/null", *options,
                          "--", "./app"])
        return pages.read(page + ".html"), runs.read(page + ".json").kernels[0]


@unittest.skipUnless(shutil.which("clang"), "no clang here")
class Simulated(Recorded):
    def test_plain_run(self):
        self.run_command([self.HEDDLE, "run", "-c", "SM75_RTX2060", "-stats_json", "s.json", "-stats_file", "/dev/null",
                          "--", "./app"])
        self.run_command([self.HEDDLE, "report", "s.json"])
        page = pages.read("s.html")
        k = runs.read("s.json").kernels[0]
        self.assertGreaterEqual(len([c for c in page.charts if c.startswith("k1-")]), 4)
        for i, s in enumerate(k.table("issue_slots")):
            marks = {m["data-series"]: int(m["data-value"]) for m in page.charts["k1-slots"]
                     if m["data-label"] == "scheduler %d" % i}
            self.assertEqual(marks, {report_charts.reason_text(r): n for r, n in s.items() if n and r != "TOTAL"})
            self.assertEqual(sum(marks.values()), s["TOTAL"])

    def test_recorded_run(self):
        """Samples and counters add up to the statistics; the page shows them; cycles are those of a run without."""
        page, k = self.record("rec")
        self.run_command([self.HEDDLE, "run", "-c", "SM75_RTX2060", "-stats_json", "s.json", "-stats_file", "/dev/null",
                          "--", "./app"])
        plain = runs.read("s.json").kernels[0]
        for name, (_, _, value) in plain.figures.items():
            if name not in stats.WALL_CLOCK:
                self.assertEqual(value, k.figures[name][2], name)
        s = k.record["samples"]
        for column, figure in (("cycles", "gpu_sim_cycle"), ("thread_insts", "gpu_sim_insn"),
                               ("l1_accesses", "L1D_total_cache_accesses"),
                               ("l2_misses", "L2_total_cache_misses"), ("dram_reads", "gpgpu_n_dram_reads"),
                               ("dram_writes", "gpgpu_n_dram_writes"), ("warp_insts", "gpgpu_n_tot_w_icount")):
            self.assertEqual(sum(s[column]), k[figure], column)
        self.assertEqual(sum(map(sum, s["l2"])), k["L2_total_cache_accesses"])
        for reason, found in s["issue_slots"].items():
            self.assertEqual(sum(found), sum(t[reason] for t in k.table("issue_slots")), reason)
        ipc = page.charts["k1-ipc"][0]
        self.assertEqual([float(v) for v in ipc["data-values"].split()],
                         [a / b for a, b in zip(s["thread_insts"], s["cycles"])])
        self.assertEqual([int(v) for v in ipc["data-x"].split()][-1], k["gpu_sim_cycle"])
        self.assertEqual(sum(int(v) for v in page.numbers("k1-network")), sum(map(sum, s["l2"])))
        self.assertEqual(min(int(v) for v in page.numbers("k1-occupancy")), k.record["launch"]["blocks_per_sm"])
        code = report_code.listing(k, [k])
        self.assertEqual(sum(l.counted.get("warps", 0) for l in code.lines), k["gpgpu_n_tot_w_icount"])
        rows = [a for t, a in page.elements if t == "tr" and "data-pc" in a][:len(code.lines)]
        self.assertEqual([(int(a["data-pc"]), int(a["data-time"])) for a in rows], [(l.pc, l.time) for l in code.lines])
        self.check_roofs(page, k, code)
        self.assertTrue(code.hot())
        self.assertEqual({int(a["data-pc"]) for a in rows if a.get("class") == "hot"},
                         {l.pc for l in code.lines if l.index in code.hot()})
        self.assertLessEqual(code.time, sum(s["warp_cycles"]) * 1.05)

    def check_roofs(self, page, k, code):
        """Both rooflines show what the recording has: operations by time, and for each byte of DRAM and L2."""
        s, gpu = k.record["samples"], k.record["gpu"]
        count = sum(flops.of_text(l.code, code.front_end)[0] * l.counted.get("threads", 0) for l in code.lines)
        self.assertEqual(count, 2 * 128 ** 3)  # a product and a sum for each element and step
        bytes_ = {"DRAM": sum(s["dram_reads"] + s["dram_writes"]) * gpu["dram_burst_bytes"],
                  "L2": sum(r["bytes"] for d in ("coretomem", "memtocore")
                            for r in k.table("traffic_breakdown_" + d).values())}
        for chart, number in ("k1-flops", count), ("k1-roofline", sum(s["warp_insts"])):
            dots = {m["data-label"]: m for m in page.charts[chart] if "data-label" in m}
            self.assertEqual(set(dots), {level for level, n in bytes_.items() if n})
            for level, m in dots.items():
                self.assertAlmostEqual(float(m["data-x"]), number / bytes_[level])
                self.assertAlmostEqual(float(m["data-value"]), number * gpu["core_hz"] / k["gpu_sim_cycle"] / 1e9)
        roofs = {m["data-series"]: m for m in page.charts["k1-flops"] if "data-series" in m}
        top = [m for s, m in roofs.items() if s.startswith("fma")]
        self.assertEqual(float(top[0]["data-values"].split()[0]), gpu["sms"] * gpu["schedulers"] * 64 * gpu["core_hz"] / 1e9)

    def test_some_launches(self):
        """-stats_record_kernels: the others have their statistics, and no counters of theirs are another launch's."""
        words = [self.HEDDLE, "run", "-c", "SM75_RTX2060", "-stats_file", "/dev/null", "-stats_record", "1"]
        self.write("app.cu", "__global__ void a(int *p) { for (int i = 0; i < 9; i++) p[threadIdx.x] += i; }\n"
                             "int main() { int *p; cudaMalloc(&p, 4096); for (int i = 1; i < 6; i++) a<<<i, 64>>>(p); "
                             "return cudaDeviceSynchronize(); }\n")
        self.run_command([os.path.join(common.TREE, "toolkit", "heddlecc"), "-o", "app", "app.cu"])
        found = {}
        for chosen in "", "2,4-5", "b*":
            more = ["-stats_record_kernels", chosen] if chosen else []
            self.run_command(words + more + ["-stats_json", "s.json", "--", "./app"])
            found[chosen] = runs.read("s.json").kernels
        every, some, none = found.values()
        self.assertEqual([k.uid for k in some if k.record], [2, 4, 5])
        self.assertEqual([k.uid for k in none if k.record], [])
        for a, b, c in zip(every, some, none):
            figures = [{n: v for n, v in k.figures.items() if n not in stats.WALL_CLOCK} for k in (a, b, c)]
            self.assertEqual(figures[0], figures[1])
            self.assertEqual(figures[0], figures[2])
            if b.record:
                self.assertEqual(a.record["samples"], b.record["samples"])
                self.assertEqual(a.record["code"]["counters"], b.record["code"]["counters"])
                code = [report_code.listing(k, of) for k, of in ((a, every), (b, some))]
                self.assertTrue(code[0].same_code(code[1]))
        self.assertEqual([k.record["code"]["of"] for k in some if k.record], [2, 2, 2])

    def test_no_kernel(self):
        """What did not run has no page, and the status says so."""
        said = self.run_command([self.HEDDLE, "run", "--report", "no.html", "--", "/bin/true"])
        self.assertIn("did not use the GPU", said)
        self.assertFalse(os.path.exists("no.html"))
        self.run_command([self.HEDDLE, "run", "--report", "no.html", "--", "/bin/false"], status=1)
        self.run_command([self.HEDDLE, "run", "--report", "no.html", "-c", "no-such", "--", "./app"], status=2)


if __name__ == "__main__":
    unittest.main()
