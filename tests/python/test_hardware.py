"""bench/hardware/run: cases, measurements, results and the page, with tiny programs and a stand-in for heddle."""

import array
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from common import TREE, InFolder

try:
    import tomllib  # noqa: F401
except ImportError:
    print("bench/hardware needs Python 3.11: skipped")
    sys.exit(77)

RUN = os.path.join(TREE, "bench", "hardware", "run")
CASES = """
[gpu.X]
title = "an X"
config = "SM7_QV100"
clock_mhz = 1000
sms = 80

[[way]]
name = "one"
options = ["-a"]

[[case]]
name = "fast"
gpu = "X"
program = "fast"
arguments = "100"

[[case]]
name = "slow"
gpu = "X"
program = "slow"
arguments = "200"
mark = "input made anew"
inputs = [{make = "grid", file = "data/in.txt", rows = 2, columns = 3, range = [1, 2]}]

[[direction]]
name = "slower"
gpu = "X"
before = "fast"
after = "slow"
"""
HEAD = "# gpu: X\n# source: somebody/something\n# page: a page\n# clock: 1 GHz\n"
COLUMNS = "case\tkernel\tmetric\tunit\tmeasured\taccelsim\n"
ROWS = "fast\t*\tcycles\tcycles\t80\t90\nslow\t_k\ttime\tus\t0.25\t\nslow\tk\ttime\tus\t0.25\t\nslow\tk\tl1_hit_rate\t%\t50\t\n"
CHANGES = HEAD + "change\tbefore\tafter\nslower\t3\t5\n"
# The last argument of a program is what its two launches take; one of `bad...` says how it goes wrong.
HEDDLE = r"""#!/bin/sh
out=
options=$*
while [ "$1" != -- ]; do [ "$1" = -stats_file ] && out=$2; shift; done
[ "${2##*/}" = slow ] && { [ "$(wc -l < data/in.txt)" -eq 6 ] || exit 9; }
case $3 in
bad-status) echo 'heddle: error: it is broken' >&2; exit 3 ;;
bad-time) sleep 60 ;;
bad-none) exit 0 ;;
bad-signal) kill -SEGV $$ ;;
esac
for n in 1 2 2; do
	printf 'kernel_name = _Z1kPi \nkernel_launch_uid = %s\n' $n
	printf 'gpu_sim_cycle = %s\ngpgpu_n_tot_w_icount = %s\n' "$3" $((n * 10))
	printf '\tL1D_total_cache_accesses = %s\n\tL1D_total_cache_misses = %s\n' $((n * 4)) $((n * 3))
done > "$out"
case $options in
*-kernel_limit\ 2*) printf 'heddle_run = limit -kernel_limit\n' >> "$out"; exit 1 ;;
*-sample\ 5*) printf 'heddle_estimate = _Z1kPi, launch 2: 900 cycles +- 3, 1 of 2 CTAs\nheddle_estimate_cycles = 1234\n' >> "$out" ;;
esac
printf 'heddle_commit = abc\nheddle_options = 123\nheddle_run = complete\n' >> "$out"
"""
# A stand-in for Nsight Compute: three launches whose metrics are the program's last argument times the launch's number; those of
# the second run are 50.
NCU = r"""#!/bin/sh
while [ "$1" != --metrics ]; do shift; done
metrics=$2
while [ "$1" != --log-file ]; do shift; done
log=$2
shift 2
count=3
[ "$1" = --launch-count ] && { count=$2; shift 2; }
[ "${1##*/}" = slow ] && { [ "$(wc -l < data/in.txt)" -eq 6 ] || exit 9; }
case $2 in bad-none) echo '==ERROR== no counters for you' > "$log"; exit 3 ;; bad-time) sleep 60 ;; esac
{
	echo '==PROF== connected'
	echo "ID,Kernel Name,Block Size,Grid Size,$metrics"
	echo ",,,,cycle,cycle"
	n=1
	while [ $n -le $count ]; do
		printf '"%s","k","(32, 1, 1)","(4, 1, 1)"' $n
		for m in $(echo $metrics | tr , ' '); do case $m in *pct* | dram*) printf ',"50"' ;; *) printf ',"1,%03d"' $(($2 * n)) ;; esac; done
		echo
		n=$((n + 1))
	done
} > "$log"
"""
BORROWING = """
[gpu.Y]
title = "a Y"
config = "SM7_QV100"
clock_mhz = 1000
sms = 80
cases_of = ["X"]
"""
PAGE = "# Title\n<!-- made by bench/hardware/run: begin -->\nold\n<!-- made by bench/hardware/run: end -->\nprose\n"


class Hardware(InFolder):
    def setUp(self):
        super().setUp()
        sys.path.insert(0, os.path.dirname(RUN))
        self.addCleanup(sys.path.remove, os.path.dirname(RUN))
        self.write("cases.toml", CASES)
        self.write("measured/a.tsv", HEAD + COLUMNS + ROWS)
        self.write("measured/changes.tsv", CHANGES)
        self.write("page.md", PAGE)
        self.write("heddle", HEDDLE)
        for name in ("heddle", "apps/bin/fast", "apps/bin/slow"):
            if name != "heddle":
                self.write(name, "")
            os.chmod(name, 0o755)

    def tool(self, *words, status=0, heddle="./heddle"):
        return self.python(RUN, "--cases", "cases.toml", "--measured", "measured", "--results", "results", "--page", "page.md", "--picture",
                           "plot.svg", *words, status=status, env={"HEDDLE_BENCH_HEDDLE": os.path.abspath(heddle)})

    def page(self):
        with open("page.md") as f:
            return f.read()

    def change(self, file, old, new):
        with open(file) as f:
            text = f.read()
        self.assertIn(old, text)
        self.write(file, text.replace(old, new))

    def test_a_table_is_made(self):
        said = self.tool("--apps", "apps")
        self.assertIn("X, fast, one: 200 cycles", said)
        page = self.page()
        self.assertTrue(page.startswith("# Title\n<!-- made") and page.endswith("end -->\nprose\n"))
        self.assertNotIn("old", page)
        # Two launches of 100 cycles; measured 80, of which Accel-Sim made 90.
        self.assertIn("| fast | 80 | 200 (+150.0 %) | 90 (+12.5 %) |", page)
        # A kernel's time is the median of its launches: 200 cycles at 1 GHz.
        self.assertIn("| slow, k (input made anew) | 0.25 | 0.2 (-20.0 %) |", page)
        self.assertIn("| slow, k | hits in L1, % | 50 | 25 (-25.0 %) |", page)
        self.assertIn("- slow, one: no kernel _k; there are k.", page)
        self.assertIn("| an X | one | 2 | 85.0 % | 85.0 % | 150.0 % (fast) |", page)
        self.assertIn("| slower | +66.7 % | +100.0 % |", page)
        self.assertIn("| signs that are right, of changes over 5 % |  | 1 of 1 |", page)
        with open("results/X.json") as f:
            kept = json.load(f)
        self.assertEqual(kept["fast"]["one"]["commit"], "abc")
        self.assertEqual(kept["fast"]["one"]["options"], "123")

    def test_one_point_anew(self):
        self.tool("--apps", "apps")
        self.change("cases.toml", '"100"', '"50"')
        self.change("cases.toml", '"200"', '"900"')
        self.tool("--apps", "apps", "--only", "fast")
        self.assertIn("| fast | 80 | 100 (+25.0 %)", self.page())
        self.assertIn("0.2 (-20.0 %)", self.page())
        first = self.page()
        self.tool()
        self.assertEqual(self.page(), first)

    def test_a_way_has_a_configuration_of_its_own(self):
        self.change("cases.toml", "sms = 80\n", 'sms = 80\noptions = ["-b"]\n[gpu.X.way.one]\nconfig = "A100"\n')
        self.change("heddle", "out=\n", 'out=; echo "$*" > "$(dirname "$0")/said"\n')
        self.tool("--apps", "apps", "--only", "fast")
        with open("said") as f:
            said = f.read()
        self.assertIn("/configs/A100 -a -b ", said)
        self.change("cases.toml", "[gpu.X.way.one]", "[gpu.X.way.two]")
        self.assertIn("there is no way 'two'", self.tool("--apps", "apps", status=2))

    def test_a_condition_stands_for_options(self):
        self.change("cases.toml", "[gpu.X]", '[condition.cold]\noptions = ["-c0"]\n[gpu.X]')
        self.change("cases.toml", 'program = "fast"', 'program = "fast"\nunder = "cold"')
        self.change("heddle", "out=\n", 'out=; echo "$*" >> "$(dirname "$0")/said"\n')
        self.tool("--apps", "apps")
        with open("said") as f:
            said = f.read().splitlines()
        self.assertEqual([" -c0 " in line for line in said], ["/fast " in line for line in said])
        self.assertIn(True, [" -c0 " in line for line in said])
        self.change("cases.toml", 'under = "cold"', 'under = "warm"')
        self.assertIn("case fast: there is no condition 'warm'", self.tool("--apps", "apps", status=2))

    def test_a_part_of_a_program(self):
        self.change("cases.toml", 'arguments = "100"', 'arguments = "100"\nlaunches = 2')
        self.tool("--apps", "apps", "--only", "fast")
        self.assertIn("| fast | 80 | 200 (+150.0 %)", self.page())
        self.change("cases.toml", "launches = 2", "launches = 1")
        self.tool("--apps", "apps", "--only", "fast")
        self.assertIn("| fast | 80 | 200 (+150.0 %)", self.page())
        self.change("cases.toml", "launches = 1", "sample = 5")
        self.tool("--apps", "apps", "--only", "fast")
        self.assertIn("| fast (sampled to 5 %) | 80 | 1,234 (+1442.5 %)", self.page())
        with open("results/X.json") as f:
            self.assertEqual(json.load(f)["fast"]["one"]["kernels"]["k"], {"cycles": 500, "dram_bytes": 0, "instructions": 10, "ipc": 0.0013,
                                                                           "l1_hit_rate": 25, "launches": 2, "time": 0.5})
        self.change("cases.toml", "sample = 5", "skip = 1")
        self.tool("--apps", "apps", "--only", "fast")
        self.assertIn("| fast | 80 | 100 (+25.0 %)", self.page())

    def test_launches_that_are_alike(self):
        self.change("cases.toml", 'arguments = "100"', 'arguments = "100"\nlaunches = 2\ntimes = 7')
        self.tool("--apps", "apps", "--only", "fast")
        self.assertIn("| fast (7 times what was run) | 80 | 1,400 (+1650.0 %)", self.page())
        with open("results/X.json") as f:
            kernels = json.load(f)["fast"]["one"]["kernels"]
        self.assertEqual([kernels["k"]["cycles"], kernels["*"]["time"], kernels["*"]["instructions"]], [100, 1.4, 140])
        self.change("cases.toml", "launches = 2", "sample = 5")
        self.tool("--apps", "apps", "--only", "fast")
        self.assertIn("| fast (sampled to 5 %, 7 times what was run) | 80 | 8,638", self.page())
        self.change("cases.toml", "times = 7", "times = 0")
        self.assertIn("case fast: 'times' must be 1 or more", self.tool("--apps", "apps", status=2))

    def test_names_of_kernels(self):
        import programs
        for mangled, name in [("_Z5l1_bwPjS_PdS0_", "l1_bw"), ("_ZL1kPi", "k"), ("_ZN3gpu4gemmIfLi2EEEvPT_", "gemm"), ("k", "k"), ("_Z", "_Z"),
                              ("_ZN12_GLOBAL__N_14Fan1Ev", "Fan1"), ("_ZN38_GLOBAL__N__0a8d7bc1_6_nw_cu_01234567_4step", "step")]:
            self.assertEqual(programs.base_name(mangled), name)

    def test_what_another_run_has_written_meanwhile_stays(self):
        self.change("heddle", "options=$*\n", "options=$*; echo '{\"slow\": {\"two\": {}}}' > \"$(dirname \"$0\")/results/X.json\"\n")
        os.mkdir("results")
        self.tool("--apps", "apps", "--only", "fast")
        with open("results/X.json") as f:
            self.assertEqual(sorted(json.load(f)), ["fast", "slow"])

    def test_a_wrong_direction(self):
        self.change("measured/changes.tsv", "3\t5", "5\t3")
        self.tool("--apps", "apps")
        self.assertIn("+100.0 %, **wrong**", self.page())
        self.assertIn("0 of 1", self.page())

    def test_check(self):
        self.tool("--apps", "apps")
        with open("results/X.json") as f:
            kept = f.read()
        self.tool("--apps", "apps", "--check")
        self.change("cases.toml", '"100"', '"101"')
        said = self.tool("--apps", "apps", "--check", status=1)
        self.assertIn("X, fast, cycles, one: the error was +150.0 % and is +152.5 %", said)
        self.change("cases.toml", '"101"', '"90"')
        self.tool("--apps", "apps", "--check")
        self.change("cases.toml", '"90"', '"bad-status"')
        self.assertIn("there is no figure now", self.tool("--apps", "apps", "--check", status=1))
        with open("results/X.json") as f:
            self.assertEqual(f.read(), kept)

    def test_a_program_that_fails_is_a_row(self):
        for word, reason in [("bad-status", "exit status 3: heddle: error: it is broken"), ("bad-time", "not done after 1 s"),
                             ("bad-none", "no statistics: it ran no kernel"), ("bad-signal", "signal 11")]:
            shutil.copy(os.path.join(self.folder, "cases.toml"), "kept.toml")
            self.change("cases.toml", '"100"', '"%s"' % word)
            self.tool("--apps", "apps", "--limit", "1")
            self.assertIn("| fast | 80 | none | 90", self.page())
            self.assertIn("- fast, one: " + reason, self.page())
            self.assertIn("0.2 (-20.0 %)", self.page())
            shutil.copy("kept.toml", "cases.toml")

    def test_programs_that_are_not_built(self):
        os.remove("apps/bin/fast")
        self.tool("--apps", "apps")
        self.assertIn("- fast, one: not built: no fast in bin/ and none in build.toml.", self.page())
        self.write("nvcc", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n[ $3 = good.cu ] || { echo 'x.cu(1): error: no such thing'; "
                           "exit 1; }\ncp ../../heddle \"$2\"\n")
        os.chmod("nvcc", 0o755)
        os.mkdir("apps/src")
        self.write("apps/build.toml", '[fast]\nfolder = "src"\nsources = ["bad.cu"]\n')
        nvcc = os.path.abspath("nvcc")
        self.tool("--apps", "apps", "--nvcc", nvcc)
        self.assertIn("not built: x.cu(1): error: no such thing", self.page())
        self.change("apps/build.toml", "bad.cu", "good.cu")
        self.tool("--apps", "apps", "--nvcc", nvcc)
        self.assertIn("| fast | 80 | 200 (+150.0 %)", self.page())
        self.write("apps/build.toml", "[fast\n")
        self.assertIn("build.toml", self.tool("--apps", "apps", status=2))

    def test_measurements_that_are_wrong(self):
        for text, reason in [
                (HEAD + "case\tkernel\tvalue\n", "b.tsv:5: the columns are case, kernel, value; wanted are case, kernel, metric"),
                (HEAD + COLUMNS + "fast\t*\tcycles\tus\t1\t\n", "b.tsv:6: cycles is in 'us', and should be in 'cycles'"),
                (HEAD + COLUMNS + "fast\t*\tspeed\tus\t1\t\n", "b.tsv:6: unknown metric 'speed'"),
                (HEAD + COLUMNS + "fast\t*\tcycles\tcycles\tnan\t\n", "b.tsv:6: 'nan' is no measurement"),
                (HEAD + COLUMNS + "fast\t*\tcycles\tcycles\t0\t\n", "b.tsv:6: cycles of 0 is no measurement"),
                (HEAD + COLUMNS + "fast\t*\n", "b.tsv:6: 2 columns, where 6 are wanted"),
                (COLUMNS, "missing: gpu, source, page, clock"), ("", "no line with the names of the columns"),
                (HEAD.replace("X", "Y") + COLUMNS, "of gpu 'Y', which is not in the cases")]:
            self.write("measured/b.tsv", text)
            said = self.tool("--apps", "apps")
            self.assertIn(reason, said)
            self.assertIn("left out: measured/b.tsv", self.page())
            self.assertIn("| fast | 80 | 200 (+150.0 %)", self.page())

    def test_a_program_that_no_case_names(self):
        self.write("measured/b.tsv", HEAD + COLUMNS + "other\t*\tcycles\tcycles\t7\t\n")
        self.tool("--apps", "apps")
        self.assertIn("| other | 7 | none |", self.page())
        self.assertIn("- other, one: no case names this program.", self.page())

    def measure(self, *words, status=0):
        self.write("tools/ncu", NCU)
        os.chmod("tools/ncu", 0o755)
        return self.python(os.path.join(TREE, "bench", "hardware", "measure"), "--cases", "cases.toml", "--measured", "measured", "--apps", "apps", "--gpu", "Y",
                           "--out", "measured/y.tsv", *words, status=status, env={"PATH": os.path.abspath("tools") + ":" + os.environ["PATH"]})

    def test_measuring_a_gpu(self):
        self.write("cases.toml", CASES + BORROWING)
        said = self.tool("--apps", "apps")
        self.assertNotIn("Y, fast", said) # nothing is measured of it
        said = self.measure("--launches", "all.tsv", "--source", "us", "--clock", "1 GHz, fixed")
        self.assertIn("fast: 3 launches, 3600 cycles", said)
        with open("measured/y.tsv") as f:
            text = f.read()
        self.assertTrue(text.startswith("# gpu: Y\n# source: us\n"), text[:100])
        self.assertIn("# clock: 1 GHz, fixed\n", text)
        self.assertIn("fast\t*\tcycles\tcycles\t3600\n", text) # the whole program, since that was measured on the X
        # Of slow a kernel was measured there: the median of 1,200, 1,400 and 1,600.
        self.assertIn("slow\tk\tcycles\tcycles\t1400\nslow\tk\tinstructions\twarp instructions\t1400\nslow\tk\tl1_hit_rate\t%\t50\n", text)
        self.assertIn("slow\tk\tdram_bytes\tbytes\t100\n", text)
        with open("all.tsv") as f:
            self.assertEqual(f.read().split("\n")[1], "fast\t1\tk\t(4,1,1)\t(32,1,1)\t1100\t1100\t1100\t1100\t50\t50\t50\t50\t50")
        self.assertIn("Y, fast, one: 200 cycles", self.tool("--apps", "apps"))
        self.assertIn("| fast | 3,600 | 200 (-94.4 %) |", self.page())
        self.measure("--cycles", "--only", "slow")
        with open("measured/y.tsv") as f:
            self.assertNotIn("hit_rate", f.read())

    def test_measuring_that_fails(self):
        for wrong, limit, reason in [("bad-none", "60", "fast: no launches; exit status 3: ==ERROR== no counters for you"), ("bad-time", "1", "fast: not done after 1 s")]:
            self.write("cases.toml", CASES.replace('"100"', f'"{wrong}"') + BORROWING)
            said = self.measure("--limit", limit, status=1)
            self.assertIn(reason, said)
            self.assertIn("slow: 3 launches", said)
        self.write("cases.toml", CASES.replace('program = "fast"', 'program = "none"') + BORROWING)
        self.assertIn("fast: not built: no none in bin/", self.measure(status=1))
        self.write("cases.toml", CASES.replace('"grid"', '"grit"') + BORROWING)
        self.assertIn("slow: no inputs are made by 'grit'", self.measure(status=1))
        self.write("cases.toml", CASES + BORROWING.replace('["X"]', '["Z"]'))
        self.assertIn("'cases_of' names 'Z', which is no gpu", self.measure(status=2))
        self.write("cases.toml", CASES)
        self.assertIn("there is no GPU 'Y' in cases.toml; there are: X", self.measure(status=2))

    def test_cases_that_are_wrong(self):
        for old, new, reason in [('gpu = "X"\nprogram = "fast"', 'gpu = "Y"\nprogram = "fast"', "case fast: there is no gpu 'Y'"),
                                 ('program = "fast"', 'programm = "fast"', "unknown key 'programm'"),
                                 ('program = "fast"', "program = 7", "'program' is 7"), ('name = "slow"', 'name = "fast"', "two of that name"),
                                 ('after = "slow"', 'after = "slo"', "no case 'slo'"), ("[gpu.X]", "[gpu.X", "cases.toml: ")]:
            self.write("cases.toml", CASES.replace(old, new, 1))
            self.assertIn(reason, self.tool("--apps", "apps", status=2))
        self.write("cases.toml", CASES.replace('"grid"', '"grit"'))
        self.tool("--apps", "apps")
        self.assertIn("- slow, one: its input is not made: no inputs are made by 'grit'", self.page())

    def test_inputs(self):
        """Each kind has the shape that it says, and the same bytes every time."""
        import inputs
        for kind, wanted, size, lines in [
                ("grid", {"rows": 3, "columns": 5, "range": [1, 2]}, None, 15), ("graph", {"nodes": 9, "edges": [2, 4]}, None, None),
                ("system", {"size": 4}, None, 10), ("places", {"count": 7}, 7 * 49, 7), ("matrix", {"rows": 2, "columns": 3}, None, 0),
                ("raw", {"count": 100}, 100, None), ("symbols", {"count": 100, "entropy": 2}, 100, None),
                ("mesh", {"count": 10}, None, 11), ("floats", {"count": 100}, 400, None), ("text", {"text": "a\n"}, 2, 1),
                ("roads", {"nodes": 10, "arcs": 24, "source": 3}, None, 1 + 10 + 4 + 24), ("frame", {"width": 6, "height": 4}, 52, None),
                ("water", {"molecules": 5, "side": 10}, None, 15), ("elements", {"size": 2, "degree": 2}, None, 2 + (7 * 7 + 9) // 2)]:
            got = []
            for _ in range(2):
                inputs.make({"make": kind, "file": "f", **wanted}, ".")
                with open("f", "rb") as f:
                    got.append(f.read())
            self.assertEqual(got[0], got[1])
            self.assertIn(size, (None, len(got[0])), kind)
            self.assertIn(lines, (None, got[0].count(b"\n")), kind)
            if kind != "text":
                with self.assertRaises(inputs.Wrong):
                    inputs.make({"make": kind, "file": "f"}, ".")
        inputs.make({"make": "graph", "file": "f", "nodes": 50, "edges": [2, 4]}, ".")
        with open("f") as f:
            words = [int(w) for w in f.read().split()]
        degrees = words[2:101:2]
        self.assertEqual(words[1:100:2], [sum(degrees[:i]) for i in range(50)])
        self.assertEqual(words[101:103], [0, sum(degrees)])
        self.assertEqual(len(words), 103 + 2 * sum(degrees))
        inputs.make({"make": "places", "file": "f", "count": 3}, ".")
        with open("f") as f:
            for line in f:
                self.assertTrue(7 <= float(line[28:33]) <= 70 and 0 <= float(line[33:38]) <= 358, line)
        for entropy in (0.5, 2.2066, 5):
            inputs.make({"make": "symbols", "file": "f", "count": 50000, "entropy": entropy}, ".")
            with open("f", "rb") as f:
                data = f.read()
            shares = [data.count(value) / len(data) for value in set(data)]
            self.assertAlmostEqual(-sum(p * math.log2(p) for p in shares), entropy, delta=0.03)
        for entropy in (0, 6, "2"):
            with self.assertRaises(inputs.Wrong):
                inputs.make({"make": "symbols", "file": "f", "count": 10, "entropy": entropy}, ".")
        inputs.make({"make": "mesh", "file": "f", "count": 100}, ".")
        with open("f") as f:
            lines = [line.split() for line in f]
        self.assertEqual({len(line) for line in lines[1:]}, {17})
        for number, line in enumerate(lines[1:], 1):
            for near in line[1::4]:
                # A neighbour has this one for a neighbour, too.
                self.assertTrue(near in ("-1", "-2") or str(number) in lines[int(near)][1::4], line)
        for name in ("../f", "/f", 3):
            with self.assertRaises(inputs.Wrong):
                inputs.make({"make": "raw", "file": name, "count": 1}, ".")

    def test_roads(self):
        """A plane map of which every crossing can be reached, in the form of the other graphs."""
        import inputs
        inputs.make({"make": "roads", "file": "f", "nodes": 150, "arcs": 420, "source": 77}, ".")
        with open("f") as f:
            words = [int(w) for w in f.read().split()]
        self.assertEqual(words[0], 150)
        self.assertEqual(words[301:303], [77, 420])
        first, degree, others, weights = words[1:301:2], words[2:301:2], words[303::2], words[304::2]
        self.assertEqual((len(others), set(weights)), (420, {1}))
        self.assertEqual(first, [sum(degree[:i]) for i in range(150)])
        near = [others[a:a + n] for a, n in zip(first, degree)]
        self.assertTrue(all(n in near[m] and n != m and len(set(near[n])) == len(near[n]) for n in range(150) for m in near[n]))
        self.assertLessEqual(max(degree), 8)
        # Where each crossing is: the first numbers are the first quarter of the first quarter.
        place = sorted(((i % 13, i // 13) for i in range(150)), key=lambda p: sum((p[k] >> b & 1) << 2 * b + k for b in range(4) for k in (0, 1)))
        squares, slopes = set(), set()
        for n in range(150):
            for m in near[n]:
                (x, y), (u, v) = place[n], place[m]
                self.assertEqual(max(abs(x - u), abs(y - v)), 1)
                if n < m and x != u and y != v:
                    # No two diagonals of one square.
                    self.assertNotIn((min(x, u), min(y, v)), squares)
                    squares.add((min(x, u), min(y, v)))
                    slopes.add((x - u) * (y - v))
        self.assertEqual(slopes, {-1, 1})
        seen, front = {77}, [77]
        while front:
            front = list({m for n in front for m in near[n]} - seen)
            seen.update(front)
        self.assertEqual(len(seen), 150)
        for wrong in ({"arcs": 296}, {"arcs": 900}, {"arcs": 421}, {"source": 150}, {"nodes": 0}):
            with self.assertRaises(inputs.Wrong) as said:
                inputs.make({"make": "roads", "file": "f", "nodes": 150, "arcs": 420, "source": 77, **wrong}, ".")
            self.assertIn("f of kind roads: ", str(said.exception))

    def test_water(self):
        import inputs
        inputs.make({"make": "water", "file": "f", "molecules": 100, "side": 15}, ".")
        with open("f") as f:
            lines = [line.split() for line in f]
        self.assertEqual([int(line[1]) for line in lines], list(range(1, 301)))
        atoms = [[float(w) for w in line[5:8]] for line in lines]
        self.assertTrue(6.5 < max(max(a) for a in atoms) <= 7.5 and -7.5 <= min(min(a) for a in atoms) < -6.5)
        self.assertAlmostEqual(sum(float(line[8]) for line in lines), 0)
        for o, h, i in zip(atoms[::3], atoms[1::3], atoms[2::3]):
            for pair, far in (((o, h), 0.9572), ((o, i), 0.9572), ((h, i), 2 * 0.9572 * math.sin(math.radians(52.26)))):
                self.assertAlmostEqual(math.dist(*pair), far, delta=0.003)
        oxygens = atoms[::3]
        self.assertGreater(min(math.dist(a, b) for n, a in enumerate(oxygens) for b in oxygens[:n]), 15 / 5 * 0.39)
        for wrong in ({"molecules": 0}, {"side": 0}, {"side": -1}, {"molecules": 1.5}):
            with self.assertRaises(inputs.Wrong):
                inputs.make({"make": "water", "file": "f", "molecules": 100, "side": 15, **wrong}, ".")

    def test_a_frame(self):
        import inputs
        inputs.make({"make": "frame", "file": "f", "width": 48, "height": 16}, ".")
        numbers = array.array("H")
        with open("f", "rb") as f:
            numbers.frombytes(f.read())
        self.assertEqual(list(numbers[:2]), [48, 16])
        self.assertEqual(len(numbers), 2 + 48 * 16)
        self.assertTrue(200 < max(numbers[2:]) <= 255)
        for wrong in ({"width": 0}, {"height": -1}, {"width": 65536}):
            with self.assertRaises(inputs.Wrong):
                inputs.make({"make": "frame", "file": "f", "width": 48, "height": 16, **wrong}, ".")

    def test_elements(self):
        """The matrix is that of finite elements: rows and entries are those that one reckons for each direction."""
        import inputs
        for size, degree in ((2, 1), (4, 2), (8, 3)):
            inputs.make({"make": "elements", "file": "f", "size": size, "degree": degree}, ".")
            with open("f") as f:
                lines = f.read().splitlines()
            self.assertEqual(lines[0], "%%MatrixMarket matrix coordinate real symmetric")
            rows = (size * degree - 1) ** 2
            across = (size - 2) * (degree + 1) ** 2 + 2 * degree ** 2 - (size - 1)
            self.assertEqual([int(w) for w in lines[1].split()], [rows, rows, (across ** 2 + rows) // 2])
            places = [tuple(int(w) for w in line.split()[:2]) for line in lines[2:]]
            self.assertEqual(len(places), (across ** 2 + rows) // 2)
            self.assertEqual(places, sorted(set(places), key=lambda p: (p[1], p[0])))
            self.assertTrue(all(1 <= column <= row <= rows for row, column in places))
            entries = [0] * (rows + 1)
            for row, column in places:
                entries[row] += 1
                entries[column] += row != column
            # Corners touch four elements, sides two, and what is inside one.
            corners, inside = (size - 1) ** 2, size ** 2 * (degree - 1) ** 2
            self.assertLessEqual(max(entries[1:corners + 1]), (2 * degree + 1) ** 2)
            self.assertEqual(max(entries[corners + 1:rows - inside + 1], default=0), 0 if degree == 1 else (2 * degree + 1) * (degree + 1))
            self.assertEqual(max(entries[rows - inside + 1:], default=0), (degree + 1) ** 2 if degree > 1 else 0)
        for wrong in ({"size": 3}, {"size": 0}, {"size": 1}, {"degree": 0}, {"size": "2"}, {"degree": None}):
            with self.assertRaises(inputs.Wrong) as said:
                inputs.make({"make": "elements", "file": "f", "size": 2, "degree": 2, **wrong}, ".")
            self.assertIn("f of kind elements: ", str(said.exception))

    def test_other_mistakes(self):
        self.assertIn("no case has such a name", self.tool("--apps", "apps", "--only", "nothing", status=2))
        self.assertIn("there is no gpu 'Z'", self.tool("--apps", "apps", "--gpu", "Z", status=2))
        self.assertIn("is no folder", self.tool("--apps", "app", status=2))
        self.write("results/X.json", "{")
        self.assertIn("results/X.json: not the JSON", self.tool("--apps", "apps", status=2))
        os.remove("results/X.json")
        self.write("page.md", "no markers\n")
        self.assertIn("page.md: the lines", self.tool(status=2))

    def test_an_interrupt_ends_the_programs_too(self):
        self.change("cases.toml", '"100"', '"bad-time"')
        self.change("heddle", "sleep 60", "echo $$ > %s/pid; exec sleep 60" % self.folder)
        tool = subprocess.Popen([sys.executable, RUN, "--apps", "apps", "--cases", "cases.toml", "--measured", "measured", "--results", "results",
                                 "--page", "page.md"], env=dict(os.environ, HEDDLE_BENCH_HEDDLE=os.path.abspath("heddle")), stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        until = time.monotonic() + 60
        while not (os.path.exists("pid") and os.path.getsize("pid")) and time.monotonic() < until:
            time.sleep(0.05)
        tool.terminate()
        self.assertIn("interrupted: what was done is kept", tool.communicate(timeout=60)[1])
        self.assertEqual(tool.returncode, 130)
        with open("pid") as f, self.assertRaises(ProcessLookupError):
            os.kill(int(f.read()), 0)

    def test_a_real_program(self):
        self.write("k.cu", "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n"
                           "int main() { int *p; cudaMalloc(&p, 4096); k<<<2, 32>>>(p); return cudaDeviceSynchronize(); }\n")
        if shutil.which("clang") is None:
            self.skipTest("no clang here")
        self.run_command([os.path.join(TREE, "toolkit", "heddlecc"), "-o", "apps/bin/fast", "k.cu"])
        self.change("cases.toml", '"-a"', '"-gpgpu_execute", "ptx"')
        self.write("apps/bin/slow", "#!/bin/sh\nexit 7\n")
        self.tool("--apps", "apps", heddle=os.path.join(TREE, "bin", "heddle"))
        with open("results/X.json") as f:
            kept = json.load(f)
        self.assertEqual(kept["fast"]["one"]["kernels"]["k"]["launches"], 1)
        self.assertGreater(kept["fast"]["one"]["kernels"]["k"]["cycles"], 100)
        self.assertIn("failed", kept["slow"]["one"])

    def test_the_plot_has_the_same_bytes(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.assertIn("matplotlib is not installed", self.tool("--apps", "apps"))
            return
        self.tool("--apps", "apps")
        with open("plot.svg", "rb") as f:
            first = f.read()
        self.tool()
        with open("plot.svg", "rb") as f:
            self.assertEqual(f.read(), first)

    def test_the_tables_of_the_tree(self):
        shutil.copy(os.path.join(TREE, "docs", "hardware.md"), "real.md")
        with open("real.md") as f:
            committed = f.read()
        said = self.python(RUN, "--page", "real.md", "--picture", "real.svg")
        self.assertNotIn("left out", said)
        with open("real.md") as f:
            self.assertEqual(f.read(), committed, "docs/hardware.md is not what bench/hardware/run makes of its tables")


if __name__ == "__main__":
    unittest.main()
