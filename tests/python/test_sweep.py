"""heddle sweep: what it runs, what it refuses, and what becomes of it when it is killed."""

import os
import sqlite3
import unittest
import unittest.mock

from sweeping import AXES, HEAD, Sweeping, alive, content, kill

from heddle import sweep_plan
from heddle.places import HeddleError


class Runs(Sweeping):
    def test_every_combination_once(self):
        self.write("a.toml", HEAD + self.program("one", "launch 8") + self.program("two", "launch 16 launch 2") + AXES)
        said = self.heddle("sweep", "a.toml", "--jobs", "2")
        self.assertIn("a.toml: 8 runs, 0 done already", said)
        self.assertIn("8 of 8 runs done", said)
        self.assertEqual(len(self.ran()), 8)
        self.assertFalse(os.path.exists("a.db.jobs"))
        db = sqlite3.connect("a.db")
        self.assertEqual(
            db.execute("SELECT count(*), sum(failed), count(DISTINCT options) FROM run").fetchone(), (8, 0, 4))
        self.assertEqual(db.execute("SELECT count(*) FROM kernel").fetchone(), (12,))
        db.close()
        said = self.heddle("sweep", "a.toml")
        self.assertIn("8 runs, 8 done already", said)
        self.assertEqual(len(self.ran()), 8)
        self.assertIn("   1  done       one, l1 = small, scheduler = lrr\n", self.heddle("sweep", "a.toml", "--list"))
        # What the file asks for besides is run, and no more than that; what it does not ask for any more stays.
        self.write("a.toml", HEAD + self.program("one", "launch 8") + self.program("three", "launch 3") + AXES)
        self.assertIn("8 runs, 4 done already", self.heddle("sweep", "a.toml"))
        self.assertEqual(len(self.ran()), 12)

    def test_runs_go_on_from_one_checkpoint(self):
        words = "launch 8 launch 16 launch 4 launch 24"
        self.write("a.toml", "checkpoint = 2\n" + HEAD + self.program("one", words) + AXES)
        self.heddle("sweep", "a.toml", "--jobs", "2")
        self.assertEqual(len(self.ran()), 5)  # one makes the checkpoint
        self.assertFalse(os.path.exists("a.db.jobs"))
        self.write("b.toml", HEAD + self.program("one", words, "options = { '-kernels' = '3-' }") + AXES)
        self.heddle("sweep", "b.toml", "--jobs", "2")
        rows = []
        for name in "a.db", "b.db":
            db = sqlite3.connect(name)
            rows.append(db.execute("SELECT labels, kernel.figures->>'gpu_sim_cycle', kernel.figures->>'gpu_tot_sim_cycle' FROM "
                                   "point JOIN run USING(key) JOIN kernel ON run = run.id WHERE kernel.figures->>'gpu_sim_cycle' > 0 "
                                   "ORDER BY point.number, kernel.number").fetchall())
            self.assertEqual(db.execute("SELECT sum(failed) FROM run").fetchone(), (0,))
            db.close()
        self.assertEqual(len(rows[0]), 8)
        self.assertEqual(*rows)
        self.assertIn("-kernels 3-", self.heddle("results", "a.db", "--command", "1"))
        # A run with another one, and none at all, are other runs.
        self.write("a.toml", "checkpoint = 3\n" + HEAD + self.program("one", words) + AXES)
        self.assertIn("4 runs, 0 done already", self.heddle("sweep", "a.toml"))
        self.assertEqual(len(self.ran()), 14)

    def test_a_checkpoint_that_there_is_not(self):
        self.write("a.toml", "checkpoint = 7\n" + HEAD.split("\n")[0] + "\n" + self.program("one", "launch 2"))
        self.heddle("sweep", "a.toml", status=1)
        said = self.heddle("results", "a.db", "--failed")
        self.assertIn("no checkpoint: ", said)
        self.assertIn("-checkpoint_kernel 7: the run ended before that kernel did", said)
        self.refused("checkpoint = -1\n" + self.program("p", "launch 1"), "the number of a launch belongs here")
        self.refused("options = { '-resume_option' = 1 }\n" + self.program("p", "launch 1"), "write checkpoint = N")

    def test_what_counts_for_a_run(self):
        def more(text, runs, **how):
            self.write("a.toml", text)
            before = len(self.ran())
            self.heddle("sweep", "a.toml", **how)
            self.assertEqual(len(self.ran()) - before, runs, text)

        plain = HEAD.split("\n")[0] + "\n" + self.program("p", "launch 1")
        more(plain, 1)
        more(plain.replace('"p"', '"q"'), 0)  # a name is no more than a name
        more("time_limit = 50\n" + plain, 0)
        more(plain.replace('"1"', '"2"'), 1)
        more(plain + 'environment = { A = "1" }', 1)
        more(plain + "mode = 'functional'", 1)
        more(plain, 0)
        self.write("data", "x")
        more(plain + "files = 'data'", 1)
        self.write("data", "y")
        more(plain + "files = 'data'", 1)
        os.makedirs("folder/in")
        more(plain + "files = ['folder']", 1)
        self.write("folder/in/data", "y")
        more(plain + "files = ['folder']", 1)
        more(plain + "options = { '-gpgpu_l1_latency' = 100 }", 1)
        more(plain + "options = { '-gpgpu_l1_latency' = 100, '-progress' = 0 }", 0)  # changes no figure
        with open("program.py", "a") as f:
            f.write("# changed\n")
        more(plain, 1)
        # Settings of the shell are not the sweep's.
        more(plain, 0, env={"HEDDLE_OPTIONS": "-gpgpu_l1_latency 77", "PTX_SIM_MODE_FUNC": "1"})

    def test_rules_inputs_and_layers(self):
        text = HEAD + self.program("p", "launch {input} say",
                                   "input = { a = '1', b = { arguments = ['2'] }, c = 3 }") + AXES
        text = text.replace('"say"', '"say", "x"')
        text += "[[exclude]]\ninput = 'c'\nl1 = ['small', 'large']\n[[include]]\nscheduler = 'gto'\n"
        self.write("a.toml", text)
        said = self.heddle("sweep", "a.toml", "--list")
        self.assertEqual(len(said.splitlines()), 4)
        self.assertIn("p, input = b, l1 = large, scheduler = gto", said)
        self.heddle("sweep", "a.toml")
        self.assertEqual(sorted(self.ran()), ["launch 1 say x"] * 2 + ["launch 2 say x"] * 2)

    def test_the_same_run_twice(self):
        self.write(
            "a.toml",
            HEAD.split("\n")[0] + "\n" + self.program("p", "launch 1") +
            "[axis.x]\nplain = {}\nsame = { '-gpgpu_scheduler' = 'lrr' }\n"
            "other = { '-gpgpu_scheduler' = 'gto' }\n")
        said = self.heddle("sweep", "a.toml")
        self.assertIn("2 runs, 0 done already; 1 more combinations are the same as others", said)
        self.assertEqual(len(self.heddle("results", "a.db").splitlines()), 4)

    def test_traces(self):
        python = os.path.realpath(os.sys.executable)
        self.heddle("run", "--mode", "functional", "--write-trace", "made", "--", python, "program.py", "launch", "2")
        self.write("a.toml", "config = 'SM7_QV100'\n[[program]]\nname = 't'\ntrace = 'made/kernelslist.g'\n")
        self.heddle("sweep", "a.toml")
        self.assertRegex(self.heddle("results", "a.db"), r"1  t +\d+ .*complete")
        with open("made/kernel-1.traceg", "a") as f:
            f.write("\n")
        self.assertIn("1 runs, 0 done already", self.heddle("sweep", "a.toml", status=None))


class Killed(Sweeping):
    def test_and_resumed(self):
        text = HEAD + self.program("one", "launch 8 sleep 0.3") + self.program(
            "bad", "launch 2 exit 3") + AXES.split("[axis.scheduler]")[0]
        for name in "whole", "cut":
            self.write(name + ".toml", text.replace(", scheduler = \"lrr\"", ""))
        self.assertIn("4 of 4 runs done, 2 failed", self.heddle("sweep", "whole.toml", status=1))
        s = self.start_sweep("cut.toml", "-j", "1")
        self.wait_for(lambda: self.done("cut.db") >= 1)
        kill(s)
        self.wait_for(lambda: not alive(self.folder))  # nothing goes on without it
        before, done = len(self.ran()), self.done("cut.db")
        self.assertLess(done, 4)
        self.heddle("sweep", "cut.toml", status=1)
        self.assertLessEqual(len(self.ran()) - before, 4 - done)
        self.assertEqual(content("cut.db"), content("whole.db"))


class Refused(Sweeping):
    """What is wrong in a file is told with its line, all of it at once, before anything runs."""
    def test_keys_and_values(self):
        good = self.program("p", "launch 1")
        self.refused("x = 1 2\n", r"x.toml:1:7: Expected newline")
        self.refused("x = [", r"x.toml: Invalid value \(at end of document\)")
        self.refused("", "x.toml: program: a sweep has at least one program")
        self.refused("progam = 1\n" + good, r"x.toml:1: progam: no such key; did you mean 'program'\?")
        self.refused(good + "comand = 'x'", r"x.toml:\d: program\[1\].comand: no such key; did you mean 'command'\?")
        self.refused(good + good, r"x.toml:6: program\[2\].name: there is a program 'p' already")
        self.refused("[[program]]\nname = 'p'\ncommand = './none 1'",
                     "x.toml:3: program.1..command: there is no program .*/none")
        self.refused("[[program]]\nname = 'p'\ncommand = 'no-such-program'", "there is no program no-such-program")
        self.refused("[[program]]\nname = 'p'\ncommand = './program.py'", "cannot be executed")
        self.refused("[[program]]\nname = 'p'\ntrace = 'x/kernelslist.g'", "there is no trace .*x/kernelslist.g")
        self.refused("[[program]]\ncommand = 'true'", "a program needs a name")
        self.refused(good + "time_limit = 'long'", r"time_limit: a time belongs here, such as \"10m\"")
        self.refused(good + "mode = 'fast'", "mode: one of timing, functional belongs here")
        self.refused(good + "config = 'SM7_QV10'", "no configuration 'SM7_QV10': .*did you mean 'SM7_QV100'")
        self.refused(good + "files = ['none']", "there is no file .*none")
        self.refused("database = 'x.db'\n" + good + "[axis.program]\na = {}",
                     r"x.toml:6: axis.program: 'program' is a name of Heddle's own")
        self.refused(good + "[axis.a]\nx = { '-stats_file' = 'y' }",
                     "axis.a.x.-stats_file: the sweep itself sets this option")
        self.refused(good + "[axis.a]\noption = '-x'", "an axis of an option needs a list of values")
        self.refused(good + "[axis.a]\noption = '-x'\nvalues = [1, 1]", "a value stands twice")
        self.refused(good + "[axis.a]\nx = {}\n[[exclude]]\na = 'y'",
                     r"x.toml:\d: exclude\[1\].a: axis a has no 'y'; it has x")
        self.refused(good + "[axis.a]\nx = {}\n[[exclude]]\na = 'x'\nprogram = 'p'", "no combination is left to run")
        self.refused("baseline = { b = 'x' }\n" + good + "[axis.a]\nx = {}",
                     "x.toml:1: baseline.b: no such axis; there are program, a")
        said = self.refused("[[program]]\nname = 'p'\ncommand = './none 1'\nmode = 1\n[axis.a]\nx = 3")
        self.assertEqual(said.count("x.toml:"), 3, said)
        self.assertIn("no such file", self.heddle("sweep", "none.toml", status=2).lower())

    def test_values_of_other_kinds(self):
        """Whatever stands behind a key, the file is read or refused."""
        lines = (
            HEAD +
            'time_limit = "5m"\nenvironment = { X = "1" }\n[[program]]\nname = "a"\n'
            'command = ["/bin/true", "{input}"]\ninput = { a = "1", b = { arguments = ["2"] } }\n'
            'mode = "functional"\ncode = "ptx"\noptions = { "-gpgpu_l1_latency" = 3 }\n'
            + AXES + '[[exclude]]\nl1 = "small"\ninput = ["a"]\n').split("\n")
        answers = {"read": 0, "refused": 0}
        with unittest.mock.patch.object(sweep_plan.Heddle, "ask", lambda *_: ("0", "0.1", "abc")):
            self.write("x.toml", "\n".join(lines))
            self.assertEqual(len(sweep_plan.read("x.toml").points), 6)
            for i in [n for n, line in enumerate(lines) if "=" in line]:
                for value in ("3", '"x"', "[]", "{}", "[1, 2]", "true", "-1.5", "[[1]]", "{ a = 1 }",
                              "{ a = { b = 1 } }", "2020-01-01", '""', "nan", '"\\u0000"', '"8K"'):
                    self.write("x.toml", "\n".join(lines[:i] + [lines[i].split("=")[0] + "= " + value] + lines[i + 1:]))
                    try:
                        sweep_plan.read("x.toml")
                        answers["read"] += 1
                    except HeddleError:
                        answers["refused"] += 1
        self.assertGreater(min(answers.values()), 10)

    def test_places_that_cannot_be_written(self):
        self.write("x.toml", self.program("p", "launch 1"))
        self.assertRegex(self.heddle("sweep", "x.toml", "--db", "no/folder/x.db", status=2),
                         "^heddle: error: .*no/folder/x.db")
        self.assertFalse(os.path.exists("no"))
        many = "".join("[axis.a%d]\noption = '-x%d'\nvalues = %s\n" % (i, i, list(range(100))) for i in range(4))
        self.refused(
            self.program("p", "launch 1") + many, "these are 100000000 combinations; a sweep has at most 100000")

    def test_configurations(self):
        said = self.refused(
            self.program("p", "launch 1") + "[axis.l1]\ngood = {}\nbad = { '-gpgpu_n_cluster' = 4 }",
            "p, l1 = bad: Heddle refuses the configuration", "gpgpu_n_clusters")
        self.assertEqual(said.count("refuses"), 1)


if __name__ == "__main__":
    unittest.main()
