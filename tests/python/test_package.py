"""The package as it lies in the tree: python -m heddle, heddle.stats."""

import csv
import json
import os
import unittest

from common import TREE, InFolder

import heddle
from heddle import stats

SHOW = """
import ctypes, os, sys
import heddle
n = ctypes.c_int()
print(sys.argv[1:], heddle.active(), heddle.mode(), ctypes.CDLL("libcudart.so.12").cudaGetDeviceCount(ctypes.byref(n)), n.value)
print(ctypes.CDLL("libcuda.so.1").cuInit(0), ctypes.CDLL("libnvidia-ml.so.1").nvmlInit_v2())
"""


class Run(InFolder):
    def test_a_script_is_on_the_gpu(self):
        self.assertFalse(heddle.active())
        self.write("show.py", SHOW)
        said = self.python("-m", "heddle", "run", "show.py", "a", "--mode", "b")
        self.assertEqual(said, "['a', '--mode', 'b'] True functional 0 1\n0 0\n")
        said = self.python("-m", "heddle", "run", "--mode", "timing", "-c", "SM80_A100", "-gpgpu_scheduler", "gto", "show.py")
        self.assertEqual(said, "[] True timing 0 1\n0 0\n")
        self.write("pack/__main__.py", "import show")
        self.assertIn("0 1\n0 0", self.python("-m", "heddle", "run", "pack", env={"PYTHONPATH": os.environ["PYTHONPATH"] + ":."}))
        self.assertIn("['x']", self.python("-m", "heddle", "run", "--", "-m", "show", "x"))

    def test_runs_in_runs(self):
        self.write("show.py", SHOW)
        self.write("outer.py", "import subprocess, sys\nfor more in [], ['-c', 'SM80_A100', '--mode', 'timing']:\n"
                   "    subprocess.check_call([sys.executable, '-m', 'heddle', 'run'] + more + ['show.py'])\n"
                   "    subprocess.check_call([sys.executable, '-m', 'heddle', 'smi', '-L'])\n")
        said = self.python("-m", "heddle", "run", "-c", "SM7_QV100", "outer.py")
        self.assertEqual(said.count("True functional 0 1\n0 0"), 1)
        self.assertEqual(said.count("True timing 0 1\n0 0"), 1)
        self.assertEqual([line.startswith("GPU 0: ") for line in said.splitlines() if "V100" in line], [True, True])

    def test_what_the_script_returns(self):
        self.write("seven.py", "raise SystemExit(7)")
        self.python("-m", "heddle", "run", "seven.py", status=7)

    def test_what_is_wrong_is_told(self):
        self.assertIn("no script 'none.py'", self.python("-m", "heddle", "run", "none.py", status=2))
        self.assertIn("no configuration 'NOPE'", self.python("-m", "heddle", "run", "-c", "NOPE", "none.py", status=2))
        self.assertIn("no program 'nothing'", self.python("-m", "heddle", "run", "nothing", status=127))
        self.assertIn("usage:", self.python("-m", "heddle", "run", status=2))
        self.assertIn("usage:", self.python("-m", "heddle", status=2))
        self.assertIn("--mode functional", self.python("-m", "heddle", "run", "--help"))
        self.assertIn("no command 'nothing'", self.python("-m", "heddle", "nothing", status=2))

    def test_smi(self):
        self.assertIn("GPU 0: ", self.python("-m", "heddle", "smi", "-L"))
        self.assertIn("GPU 0: NVIDIA A100", self.python("-m", "heddle", "run", "-c", "SM80_A100", "nvidia-smi", "-L"))
        self.assertEqual(heddle.gpu()["compute_cap"], "9.0")
        self.write("gpgpusim.config", "-gpgpu_n_mem 0\n")
        os.environ["GPGPUSIM_CONFIG"] = os.path.join(self.folder, "none")
        self.addCleanup(os.environ.pop, "GPGPUSIM_CONFIG")
        with self.assertRaises(heddle.HeddleError):
            heddle.gpu()

    def test_a_package_that_is_not_whole(self):
        os.makedirs("site/heddle")
        for name in os.listdir(os.path.join(TREE, "python", "heddle")):
            if name.endswith(".py"):
                with open(os.path.join(TREE, "python", "heddle", name)) as f:
                    self.write("site/heddle/" + name, f.read())
        said = self.python("-m", "heddle", "smi", status=1, env={"PYTHONPATH": "site"})
        self.assertEqual(said, "heddle: error: the package in %s/site/heddle is not whole; install it again (pip install "
                         "--force-reinstall)\n" % self.folder)


def kernel(name, uid, **values):
    rows = [{"name": n, "unit": "u", "kind": "per kernel", "description": "d", "value": v} for n, v in values.items()]
    return {"name": name, "uid": uid, "stream": 0, "provenance": {"version": "1"}, "statistics": rows}


class Stats(InFolder):
    def put(self, name, kernels):
        if kernels:
            kernels[-1]["heddle_run"] = "complete"
        return self.write(name, json.dumps(kernels))

    def test_rows(self):
        t = stats.read(self.put("a", [kernel("k", 1, n=3, r=None, t=[1, 2]), kernel("l", 2, n=4, x=0.5, t={"A": {"B": 7}})]))
        self.assertEqual(len(t), 2)
        self.assertEqual((t.ended, t.provenance), ("complete", {"version": "1"}))
        self.assertEqual(t[0], {"kernel_name": "k", "kernel_launch_uid": 1, "kernel_stream_id": 0, "n": 3, "r": None})
        self.assertEqual(t.column("x"), [None, 0.5])
        with self.assertRaises(KeyError):
            t.column("t")
        t.to_csv("out.csv")
        with open("out.csv") as f:
            self.assertEqual(f.read(), "kernel_name,kernel_launch_uid,kernel_stream_id,n,r,x\nk,1,0,3,,\nl,2,0,4,,0.5\n")
        t = stats.read("a", tables=True)
        self.assertEqual((t[0]["t[1]"], t[1]["t[A][B]"]), (2, 7))
        try:
            import pandas  # noqa: F401
        except ImportError:
            return
        frame = t.to_pandas()
        self.assertEqual(list(frame["n"]), [3, 4])

    def test_differences(self):
        a = stats.read(self.put("a", [kernel("k", 1, n=4, gpu_total_sim_rate=1), kernel("k", 2, n=4), kernel("l", 3, n=1)]))
        b = stats.read(self.put("b", [kernel("k", 1, n=4, gpu_total_sim_rate=2), kernel("m", 2, n=4), kernel("k", 3, n=5, z=0)]))
        d = stats.compare(a, b)
        self.assertEqual(d, [("k", 2, "n", 4, 5, 0.25), ("k", 2, "z", None, 0, None), ("l", 1, "kernel", "l", None, None),
                             ("m", 1, "kernel", None, "m", None)])
        self.assertEqual([x.name for x in stats.compare(a, b, ["n"])], ["n", "kernel", "kernel"])
        with self.assertRaises(KeyError):
            stats.compare(a, b, ["no such"])
        self.assertEqual(stats.compare(a, a), [])
        self.assertIn("k,2,n,4,5,0.25\n", self.python("-m", "heddle.stats", "a", "b", status=1))
        self.python("-m", "heddle.stats", "a", "a")
        self.assertIn("k,2,0,4", self.python("-m", "heddle.stats", "a"))

    def test_other_files(self):
        self.assertEqual(len(stats.read(self.write("empty", ""))), 0)
        self.assertEqual(len(stats.read(self.put("none", []))), 0)
        for text in "[", "{}x", "3", '{"a": 1}', "[3]", '[{"name": "k"}]', '[{"name":"k","uid":1,"stream":0,"statistics":[3]}]':
            with self.assertRaises(heddle.HeddleError, msg=text):
                stats.read(self.write("bad", text))
        with self.assertRaises(OSError):
            stats.read("missing")
        self.assertIn("heddle: error:", self.python("-m", "heddle.stats", "bad", status=2))
        self.assertIn("No such file", self.python("-m", "heddle.stats", "missing", status=2))

    def test_a_run(self):
        trace = os.path.join(TREE, "tests", "golden", "traces", "chase")
        for f in "a", "b":
            self.run_command([heddle.command(), "trace", "-trace", trace, "-c", "SM7_QV100", "-stats_json", f, "-stats_file", "text"])
        t = stats.read("a")
        with open("text") as f:
            cycles = [int(line.split("=")[1]) for line in f if line.startswith("gpu_sim_cycle")]
        self.assertEqual(t.column("gpu_sim_cycle"), cycles)
        self.assertTrue(cycles and t.ended == "complete" and t.provenance["commit"])
        unit = {c.name: c.unit for c in t.columns}
        self.assertEqual(unit["gpu_sim_cycle"], "core cycles")
        self.assertEqual(stats.compare(t, stats.read("b")), [])
        t.to_csv("csv")
        with open("csv", newline="") as f:
            self.assertEqual([int(r["gpu_sim_cycle"]) for r in csv.DictReader(f)], cycles)


if __name__ == "__main__":
    unittest.main()
