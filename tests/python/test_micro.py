"""bench/micro: files of curves, what is read from them, what fit proposes from synthetic curves, and a run by a stand-in for heddle."""

import os
import shutil
import subprocess
import sys
import unittest

from common import TREE, InFolder

try:
    import tomllib  # noqa: F401
except ImportError:
    print("bench/micro needs Python 3.11: skipped")
    sys.exit(77)

MICRO = os.path.join(TREE, "bench", "micro")
sys.path.insert(0, MICRO)
import curves  # noqa: E402

CONFIG = """# a GPU
-core modern
-gpgpu_clock_domains 1000:1000:1000:800
-memory_l1d_minimum_latency 9   # and the rest of the pipe
-gpgpu_l2_rop_latency 100
-dram_latency 50
-memory_shared_memory_minimum_latency 7
-gpgpu_kernel_launch_latency 2000
-sp_latency 2
-sp_initiation 2
-dp_latency 30
-dp_initiation 32
"""


def chase(levels, sizes):
    """A curve of latencies: `levels` are (height, size) pairs, and the way from one to the next is linear over one size."""
    points = []
    for x in sizes:
        value = levels[-1][0]
        for height, size in levels:
            if x <= size:
                value = height
                break
        points.append((x, value))
    return points


def synthetic(l1, l2, dram, shared=30, rate=64, launch=3.0, read=600, ffma=4.02, dfma=8.0, double=32):
    sizes = [4, 8, 16, 32, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]
    return {"latency": chase([(l1, 96), (l2, 4096), (dram, 1e9)], sizes), "shared_latency": [(1, shared)],
            "rate_ffma": [(4, rate / 2), (8, rate), (32, rate)], "latency_ffma": [(1, ffma)], "launch": [(1, launch), (80, launch + 0.5)],
            "rate_dfma": [(8, double)], "latency_dfma": [(1, dfma)], "dram_read": [(32, read / 9), (512, read), (1024, read * 0.98)]}


class Curves(InFolder):
    def test_a_file_is_read_as_it_was_written(self):
        kept = synthetic(28, 212, 430)
        curves.write("x/c.tsv", kept, ["by hand"])
        self.assertEqual(curves.read("x/c.tsv"), {k: sorted((x, float("%.6g" % v)) for x, v in points) for k, points in kept.items()})

    def test_files_that_are_wrong(self):
        for text, reason in [("latency\t1\n", "c:1: wanted are curve, x and value"), ("# a\nlatency\t1\tnan\n", "c:2: '1' and 'nan' are no point"),
                             ("latency\t-1\t2\n", "are no point"), ("latency\t1\t0\n", "are no point"), ("latenzy\t1\t2\n", "no curve 'latenzy'"),
                             ("latency\tx\t2\n", "are no point"), ("GPU busy\n", "and this is: GPU busy")]:
            with self.assertRaises(curves.Mistake) as e:
                curves.parse(text, "c")
            self.assertIn(reason, str(e.exception))

    def test_plateaus(self):
        found = curves.plateaus(synthetic(28, 212, 430)["latency"])
        self.assertEqual([(p.value, p.last) for p in found], [(28, 96), (212, 4096), (430, 32768)])
        noisy = [(x, v * (1 + 0.03 * (-1) ** i)) for i, (x, v) in enumerate(synthetic(28, 212, 430)["latency"])]
        self.assertEqual([p.last for p in curves.plateaus(noisy)], [96, 4096, 32768])
        # A slope is no plateau, and neither are two points.
        self.assertEqual(curves.plateaus([(x, 10 * 1.2 ** x) for x in range(9)]), [])
        self.assertEqual(curves.plateaus([(1, 5), (2, 5)]), [])
        self.assertEqual(curves.plateaus([]), [])
        # Two stretches of one height are one, whatever stands between them.
        self.assertEqual(len(curves.plateaus([(1, 5), (2, 5), (3, 5), (4, 9), (5, 5), (6, 5), (7, 5)])), 1)

    def test_values_between_points(self):
        self.assertEqual(curves.value_at([(1, 10), (3, 20)], 2), 15)
        self.assertIsNone(curves.value_at([(1, 10), (3, 20)], 4))
        self.assertEqual(curves.value_at([(1, 10)], 1), 10)


class Fit(InFolder):
    def fit(self, measured, simulated, config=CONFIG, status=0):
        curves.write("m.tsv", measured, [])
        curves.write("s.tsv", simulated, [])
        self.write("gpgpusim.config", config)
        return self.python(os.path.join(MICRO, "fit"), "--measured", "m.tsv", "--simulated", "s.tsv", "-c", ".", status=status)

    def options(self, said):
        return dict(line[1:].split(" ", 1) for line in said.split("\n") if line.startswith("-"))

    def test_latencies_are_corrected_by_their_difference(self):
        said = self.fit(synthetic(28, 212, 430, shared=23), synthetic(33, 200, 400, shared=30))
        got = self.options(said)
        self.assertEqual(got["memory_l1d_minimum_latency"], "4")
        self.assertEqual(got["gpgpu_l2_rop_latency"], "112")
        # 430 - 212 against 400 - 200: what DRAM adds to L2.
        self.assertEqual(got["dram_latency"], "68")
        self.assertIn("# L1 holds about 96 KB", said)
        self.assertIn("# L2 holds about 4096 KB", said)
        self.assertEqual(got["memory_shared_memory_minimum_latency"], "1")

    def test_the_classic_core_has_options_of_its_own(self):
        classic = CONFIG.replace("-core modern", "-gpgpu_l1_latency 20\n-gpgpu_smem_latency 20")
        got = self.options(self.fit(synthetic(28, 212, 430), synthetic(33, 212, 430, shared=32), classic))
        self.assertEqual(got["gpgpu_l1_latency"], "15")
        self.assertEqual(got["gpgpu_smem_latency"], "18")
        self.assertNotIn("sp_initiation", got)

    def test_rates(self):
        got = self.options(self.fit(synthetic(28, 212, 430, read=660, rate=64, double=32, launch=2.5),
                                    synthetic(28, 212, 430, read=600, rate=128, double=2)))
        self.assertEqual(got["gpgpu_clock_domains"], "1000:1000:1000:880")
        self.assertEqual(got["dp_initiation"], "4")
        self.assertEqual(got["dp_latency"], "4")
        self.assertEqual(got["gpgpu_kernel_launch_latency"], "1500")
        # 2 and 2 make the 4 cycles and 64 threads that were measured.
        self.assertNotIn("sp_initiation", got)
        self.assertNotIn("sp_latency", got)

    def test_how_fast_blocks_start(self):
        def kernels(threads, rate):
            return [(x, 2 + x / threads / rate) for x in (1000, 50000, 100000)]
        measured = {"kernel_32": kernels(32, 1450), "kernel_64": kernels(64, 1350)}
        got = self.options(self.fit(measured, {"kernel_32": kernels(32, 870)}))
        self.assertEqual((got["cta_launch_interval"], got["cta_launch_clock"]), ("1", "1450"))
        self.assertEqual(self.options(self.fit(measured, {"kernel_32": kernels(32, 1440)})), {})
        slow = {"kernel_32": kernels(32, 1450), "kernel_64": kernels(64, 725)}  # by elements
        said = self.fit(slow, {"kernel_32": kernels(32, 870)})
        self.assertEqual(self.options(said), {})
        self.assertIn("something else than their start", said)
        self.assertIn("nothing is proposed", self.fit({"kernel_32": [(1, 2)]}, measured))

    def test_equal_curves_propose_nothing(self):
        config = CONFIG.replace("-dp_latency 30\n-dp_initiation 32", "-dp_latency 4\n-dp_initiation 4")
        self.assertEqual(self.options(self.fit(synthetic(28, 212, 430), synthetic(28, 212, 430), config)), {})

    def test_what_is_proposed_leads_there(self):
        """A model whose latencies are those of its options and a constant: one round reaches what was measured."""
        measured = synthetic(40, 260, 640)
        path = {"memory_l1d_minimum_latency": 24, "gpgpu_l2_rop_latency": 112, "dram_latency": 150}

        def model(options):
            l1 = path["memory_l1d_minimum_latency"] + options["memory_l1d_minimum_latency"]
            l2 = path["gpgpu_l2_rop_latency"] + options["gpgpu_l2_rop_latency"]
            return synthetic(l1, l2, l2 + path["dram_latency"] + options["dram_latency"])
        first = {"memory_l1d_minimum_latency": 9, "gpgpu_l2_rop_latency": 100, "dram_latency": 50}
        got = self.options(self.fit(measured, model(first)))
        self.assertEqual(model({k: int(got[k]) for k in first})["latency"], measured["latency"])

    def test_what_is_missing_is_said(self):
        measured = synthetic(28, 212, 430)
        del measured["launch"], measured["shared_latency"]
        said = self.fit(measured, synthetic(28, 212, 430), "-core modern\n")
        self.assertIn("# launch: not measured", said)
        said = self.fit(measured, synthetic(33, 212, 430), "-core modern\n")
        self.assertIn("# -memory_l1d_minimum_latency is not set in the configuration", said)
        said = self.fit({"latency": [(4, 28), (8, 28), (16, 28)]}, measured)
        self.assertIn("has 1 plateaus", said)
        self.assertIn("m.tsv:1: wanted", self.python(os.path.join(MICRO, "fit"), "--measured", self.write("m.tsv", "?\n"), "--simulated", "s.tsv", "-c", ".",
                                             status=2))
        self.assertIn("nothing.config: No such file", self.python(os.path.join(MICRO, "fit"), "--measured", "s.tsv", "--simulated", "s.tsv", "-c",
                                                                   "./nothing.config", status=2))


class Run(InFolder):
    def test_programs_run_and_one_that_fails_leaves_the_others(self):
        self.write("heddle", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\ncase $2 in */shared-70) printf 'shared_latency\\t1\\t23\\n' ;;\n"
                             "*/tensor-70) printf 'what\\n' ;;\n*/atomics-70) exit 7 ;;\n*/launch-70) printf 'launch\\t1\\t2\\nlaun'; sleep 30 ;; esac\n")
        self.write("nvcc", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n: > \"$2\"\nchmod +x \"$2\"\n")
        os.chmod("heddle", 0o755)
        os.chmod("nvcc", 0o755)
        said = self.python(os.path.join(MICRO, "run"), "-c", "x.config", "--out", "out.tsv", "--programs", "built", "--nvcc", os.path.abspath("nvcc"), "--limit",
                           "2", *(w for p in ("shared", "tensor", "atomics", "launch") for w in ("--only", p)), status=1,
                           env={"HEDDLE_BENCH_HEDDLE": os.path.abspath("heddle")})
        self.assertIn("tensor:1: wanted are curve, x and value", said)
        self.assertIn("atomics: exit status 7", said)
        self.assertIn("launch: not done after 2 s; the points that it printed count", said)
        self.assertEqual(curves.read("out.tsv"), {"shared_latency": [(1, 23)], "launch": [(1, 2)]})

    def test_a_real_one(self):
        if shutil.which("clang") is None:
            self.skipTest("no clang here")
        self.python(os.path.join(MICRO, "run"), "-c", "SM7_QV100", "--out", "out.tsv", "--programs", "built", "--nvcc", "no-nvcc", "--only", "shared")
        got = curves.read("out.tsv")
        self.assertEqual([x for x, _ in got["shared_conflicts"]], [1, 2, 4, 8, 16, 32])
        self.assertGreater(got["shared_conflicts"][-1][1], got["shared_conflicts"][0][1] * 8)
        self.assertGreater(got["shared_latency"][0][1], 10)

    @unittest.skipUnless(os.environ.get("HEDDLE_TEST_FULL"), "takes its time")
    def test_every_program_compiles(self):
        if shutil.which("clang") is None:
            self.skipTest("no clang here")
        for program in curves.PROGRAMS:
            done = subprocess.run([os.path.join(TREE, "toolkit", "heddlecc"), "-O0", *(["-arch=sm_90a"] if program == "hopper" else []), "-o", program, os.path.join(MICRO, program + ".cu")],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout[:2000])

    def test_measured_curves_of_the_tree(self):
        for folder in ("measured", "results"):
            place = os.path.join(MICRO, folder)
            for name in os.listdir(place) if os.path.isdir(place) else []:
                self.assertTrue({"latency", "kernel_32"} & set(curves.read(os.path.join(place, name))))


if __name__ == "__main__":
    unittest.main()
