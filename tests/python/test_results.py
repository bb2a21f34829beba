"""heddle results: every number of a table is that of the database, names that are wrong are told, plots carry their numbers."""

import csv
import json
import math
import os
import re
import shutil
import sqlite3
import tempfile
import unittest

from sweeping import HEAD, PROGRAM, Sweeping

SWEEP = HEAD.replace(', scheduler = "lrr"', "") + """
[axis.l1]
small = { "-gpgpu_n_clusters" = 2 }
large = { "-gpgpu_n_clusters" = 8 }
"""


class Results(Sweeping):
    @classmethod
    def setUpClass(cls):
        """One sweep for all."""
        cls.home = os.path.realpath(tempfile.mkdtemp(prefix="heddle-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        maker = cls("program")
        with open(os.path.join(cls.home, "program.py"), "w") as f:
            f.write(PROGRAM)
        with open(os.path.join(cls.home, "a.toml"), "w") as f:
            head, axis, rest = SWEEP.partition("[axis.l1]")
            f.write(head + maker.program("one", "launch 64") + maker.program("two", "launch 96 launch 4 launch 200")
                    + maker.program("bad", "launch 1 say it:_error:_x exit 7") + axis + rest)
        maker.heddle("sweep", os.path.join(cls.home, "a.toml"), status=1)

    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(self.home, "a.db"), "a.db")

    def table(self, *words, status=0):
        """Rows as dicts, of the CSV."""
        said = self.heddle("results", "a.db", *words, "-f", "csv", "-o", "out.csv", status=status)
        with open("out.csv") as f:
            return list(csv.DictReader(f)), said

    def kernels(self, program, l1):
        """The kernels of a run as the database has them: a dict of figures each."""
        db = sqlite3.connect("a.db")
        for key, labels in db.execute("SELECT key, labels FROM point"):
            if json.loads(labels) == {"program": program, "l1": l1}:
                rows = db.execute("SELECT figures FROM kernel JOIN run ON run.id = run WHERE key = ? ORDER BY number", (key,)).fetchall()
                db.close()
                return [json.loads(text) for text, in rows]

    def test_plain(self):
        rows, said = self.table()
        self.assertIn("2 of 6 runs failed (--failed)", said)
        self.assertEqual([r["program"] + r["l1"] for r in rows], [p + s for p in ("one", "two", "bad") for s in ("small", "large")])
        for r in rows[:4]:
            last = self.kernels(r["program"], r["l1"])[-1]
            self.assertEqual(float(r["gpu_tot_sim_cycle"]), last["gpu_tot_sim_cycle"])
            self.assertEqual(r["ended"], "complete")
        self.assertEqual(rows[4]["ended"], "failed: exit status 7: it:_error:_x")

    def test_over_kernels(self):
        names = ["gpu_sim_cycle", "gpu_ipc", "mean:gpu_sim_cycle", "max:gpu_sim_cycle", "first:gpu_sim_cycle", "gpu_tot_sim_insn", "sum:gpu_tot_issued_cta"]
        rows, _ = self.table("--show", ",".join(names), "--where", "program=two")
        for r in rows:
            k = self.kernels("two", r["l1"])
            cycles = [x["gpu_sim_cycle"] for x in k]
            self.assertEqual(len(k), 3)
            want = [sum(cycles), k[-1]["gpu_tot_sim_insn"] / sum(cycles), sum(cycles) / 3, max(cycles), cycles[0], k[-1]["gpu_tot_sim_insn"], 300]
            for name, value in zip(names, want):
                self.assertAlmostEqual(float(r[name]) / value, 1, 6, name)
        # Of single kernels, running totals are what that kernel added.
        rows, _ = self.table("--kernels", "--show", "gpu_tot_issued_cta,gpu_sim_cycle", "--where", "program=two", "--where", "l1=large")
        self.assertEqual([r["gpu_tot_issued_cta"] for r in rows], ["96", "4", "200"])
        rows, _ = self.table("--kernel", "2", "--show", "gpu_tot_issued_cta", "--where", "program=two")
        self.assertEqual({r["gpu_tot_issued_cta"] for r in rows}, {"4"})
        self.assertIn("since the program began", self.table("--kernel", "count*", "--show", "L2_total_cache_miss_rate")[1])

    def test_speedups(self):
        rows, said = self.table("--speedup")
        self.assertIn("geometric means over the 2 of 3 rows without gaps", said)
        want = []
        for r in rows[:2]:
            a, b = (self.kernels(r["program"], s)[-1]["gpu_tot_sim_cycle"] for s in ("small", "large"))
            self.assertEqual(float(r["small"]), 1)
            self.assertAlmostEqual(float(r["large"]), a / b, 9)
            want.append(a / b)
        self.assertEqual(rows[3]["program"], "geomean")
        self.assertAlmostEqual(float(rows[3]["large"]), math.sqrt(want[0] * want[1]), 9)
        rows, _ = self.table("--rows", "l1", "--columns", "program", "--show", "relative:gpu_sim_cycle", "--baseline", "l1=large", "--where", "program=one,two")
        self.assertEqual([r["l1"] for r in rows], ["small", "large", "geomean"])
        self.assertAlmostEqual(float(rows[0]["one"]) * float(self.kernels("one", "large")[0]["gpu_sim_cycle"]),
                               self.kernels("one", "small")[0]["gpu_sim_cycle"])
        self.assertIn("several runs meet in a cell: they differ in l1", self.table("--rows", "program", "--show", "gpu_ipc", status=2)[1])
        rows, _ = self.table("--rows", "program", "--show", "gpu_tot_sim_cycle", "--cells", "min")
        self.assertEqual(float(rows[0]["gpu_tot_sim_cycle"]), min(self.kernels("one", s)[0]["gpu_tot_sim_cycle"] for s in ("small", "large")))

    def test_filters_and_order(self):
        rows, _ = self.table("--show", "gpu_tot_sim_cycle", "--sort", "-gpu_tot_sim_cycle", "--top", "2", "--where", "program!=bad")
        cycles = [self.kernels("two", s)[-1]["gpu_tot_sim_cycle"] for s in ("small", "large")]
        self.assertEqual([(r["program"], int(r["gpu_tot_sim_cycle"])) for r in rows], [("two", c) for c in sorted(cycles, reverse=True)])
        bound = str(self.kernels("one", "large")[0]["gpu_tot_sim_cycle"])
        rows, _ = self.table("--where", "gpu_tot_sim_cycle>" + bound)
        self.assertNotIn(("one", "large"), [(r["program"], r["l1"]) for r in rows])

    def test_tables_of_statistics(self):
        said = self.heddle("results", "a.db", "--show", "issue_slots", status=2)
        place = re.search(r"such as '(issue_slots\[0\]\[\w+\])'", said).group(1)
        every = place.replace("[0]", "[*]")
        row = self.table("--where", "program=one", "--where", "l1=large", "--show", ",".join(place.replace("[0]", "[%d]" % i) for i in range(4))
                         + "," + every)[0][0]
        self.assertEqual(int(row[every]), sum(int(row[place.replace("[0]", "[%d]" % i)]) for i in range(4)))

    def test_wrong_names(self):
        for words, said in ((["--show", "gpu_sim_cycl"], r"no column 'gpu_sim_cycl'; did you mean 'gpu_sim_cycle'\?"),
                            (["--show", "speedup:gpu_ipx"], r"no column 'gpu_ipx'; did you mean 'gpu_ipc'\?"),
                            (["--rows", "programm"], "no axis 'programm'; did you mean 'program'"),
                            (["--where", "l1=smal"], "axis l1 has no 'smal'; did you mean 'small'"),
                            (["--where", "what"], "--where wants COLUMN=VALUE"),
                            (["--baseline", "l1=tiny", "--speedup"], "axis l1 has no 'tiny'"),
                            (["--sort", "x"], "--sort: the table has no column 'x'"),
                            (["--show", "issue_slots[9][NONE]"], "is a table: choose a place of it"),
                            (["--show", "gpu_ipc[1]"], "'gpu_ipc' is one number"),
                            (["--statistics", "nothing*"], "no statistic is like"),
                            (["--run", "77"], "there is no run 77; they count from 1 to 6"),
                            (["-o", "no/folder/x"], "no/folder/x: No such file")):
            answer = self.heddle("results", "a.db", *words, status=2)
            self.assertRegex(answer, "^heddle: error: .*" + said)
            self.assertEqual(len(answer.splitlines()), 1)

    def test_formats(self):
        text = self.heddle("results", "a.db", "--show", "kernels,host", "-f", "markdown").splitlines()
        self.assertEqual(text[:2], ["| run | program | l1 | kernels | host |", "|---:|---|---|---:|---|"])
        self.assertIn("gpu_sim_cycle", self.heddle("results", "a.db", "--statistics", "gpu_sim*"))

    def test_one_run(self):
        said = self.heddle("results", "a.db", "--run", "5")
        self.assertRegex(said, r"message +exit status 7")
        self.assertIn("it:_error:_x", said)
        exported = json.loads(self.heddle("results", "a.db", "--export", "3"))
        self.assertEqual([k["uid"] for k in exported], [1, 2, 3])
        self.assertEqual(exported[-1]["heddle_run"], "complete")
        line = self.heddle("results", "a.db", "--command", "3").strip()
        os.makedirs("elsewhere")
        again = self.run_command(["sh", "-c", "cd elsewhere && " + line])
        cycles = self.kernels("two", "small")[-1]["gpu_tot_sim_cycle"]
        self.assertIn("gpu_tot_sim_cycle = %d\n" % cycles, again)
        self.heddle("results", "a.db", "--again", "3", "-stats_json", "again.json")
        with open("again.json") as f:
            self.assertEqual([k["statistics"][3]["value"] for k in json.load(f)], [k["statistics"][3]["value"] for k in exported])

    def test_plots(self):
        said = self.heddle("results", "a.db", "--speedup", "--plot", "a.svg", status=None)
        if "needs matplotlib" in said:
            self.skipTest("no matplotlib")
        rows, _ = self.table("--speedup")
        with open("a.svg") as f:
            svg = f.read()
        values = sorted(float(v) for v in re.findall(r'data-value="([^"]+)"', svg))
        self.assertEqual(values, sorted(float(r[c]) for r in rows[:2] for c in ("small", "large")))
        self.heddle("results", "a.db", "--speedup", "--plot", "b.svg")
        with open("b.svg") as f:
            self.assertEqual(f.read(), svg)
        self.heddle("results", "a.db", "--kind", "scatter", "--show", "gpu_tot_sim_cycle,gpu_tot_ipc", "--plot", "c.svg")
        with open("c.svg") as f:
            self.assertEqual(f.read().count('class="mark"'), 6)
        self.assertIn("'small' is no number", self.heddle("results", "a.db", "--kind", "line", "--rows", "l1", "--columns", "program", "--plot", "d.svg", status=2))
        self.assertNotIn("Traceback", self.heddle("results", "a.db", "--plot", "no/such/d.svg", status=2))


if __name__ == "__main__":
    unittest.main()
