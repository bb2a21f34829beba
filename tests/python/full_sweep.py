"""heddle sweep: what becomes of sweeps and of runs that fail, hang, or are killed. Takes a minute."""

import os
import shutil
import signal
import sqlite3
import subprocess
import unittest

from sweeping import AXES, HEAD, HEDDLE, Sweeping, alive, content, kill


class Ends(Sweeping):
    """Whatever ends a sweep, no run that has ended is lost, and none is half there."""
    def sweep(self, folder, sleep="0.3"):
        os.makedirs(folder)
        shutil.copy("program.py", folder)
        os.chdir(folder)
        self.write(
            "a.toml", HEAD + self.program("one", "launch 8 sleep %s" % sleep) +
            self.program("two", "launch 16 sleep %s launch 2" % sleep) +
            self.program("bad", "launch 2 say wrong exit 3") + AXES)

    def test_killed_and_resumed(self):
        self.sweep("whole")
        self.assertIn("12 of 12 runs done, 4 failed", self.heddle("sweep", "a.toml", status=1))
        whole = content("a.db")
        self.assertEqual(len(whole["runs"]), 12)
        os.chdir("..")
        self.sweep("cut")
        for least in 2, 5, 8:
            s = self.start_sweep("a.toml", "-j", "2")
            self.wait_for(lambda: self.done("a.db") >= least)
            kill(s)
            self.wait_for(lambda: not alive(os.path.join(self.folder, "cut")))  # nothing goes on without it
        self.assertLess(self.done("a.db"), 12)
        before, done = len(self.ran()), self.done("a.db")
        self.heddle("sweep", "a.toml", status=1)
        self.assertLessEqual(len(self.ran()) - before, 12 - done)
        self.assertEqual(content("a.db"), whole)
        self.assertFalse(os.path.exists("a.db.jobs"))

    def test_stopped(self):
        for number in signal.SIGINT, signal.SIGTERM:
            self.sweep("stopped-%d" % number, "20")
            s = self.start_sweep("a.toml", "-j", "2")
            self.wait_for(lambda: len(self.ran()) >= 2)
            said = kill(s, number)
            self.assertEqual(s.returncode, 130, said)
            self.assertIn("stopped with 0 of 12 runs done; the same command goes on", said)
            self.assertNotIn("Traceback", said)
            self.assertEqual(alive("sleep 20"), [])
            os.chdir("..")

    def test_what_runs_a_program_is_killed(self):
        """As by a host that has no memory left: the program goes too, and the run has failed."""
        self.write("a.toml", HEAD.split("\n")[0] + "\n" + self.program("one", "launch 1 sleep 66"))
        s = self.start_sweep("a.toml")
        self.wait_for(lambda: self.ran())
        for pid in alive("heddle.sweep_job"):
            with open("/proc/%d/cmdline" % pid) as f:
                if self.folder in f.read():
                    os.kill(pid, signal.SIGKILL)
        said = s.communicate(timeout=30)[0]
        self.assertEqual(s.returncode, 1, said)
        self.assertIn("failed: what ran it ended with status -9", said)
        self.assertEqual(alive("sleep\00066"), [])

    def test_two_at_once(self):
        self.sweep("two", "5")
        s = self.start_sweep("a.toml", "-j", "2")
        self.wait_for(lambda: len(self.ran()) >= 2)
        said = self.heddle("sweep", "a.toml", status=2)
        self.assertRegex(said, r"a.db: another sweep works on it \(process %d on .*\); wait for its end" % s.pid)
        kill(s)

    def test_failures_are_rows(self):
        limit = "time_limit = 1\nmemory_limit = '300M'\n"
        programs = [("exits", "launch 1 say heddle:_error:_it exit 3"), ("aborts", "launch 1 abort"),
                    ("none", "say quiet"), ("hangs", "launch 1 child 77 sleep 77"), ("fine", "launch 1")]
        self.write(
            "a.toml", limit + HEAD.split("\n")[0] + "\n" +"".join(self.program(n, w) for n, w in programs) +
            self.program("eats", "launch 1 hold 400").replace("[[program]]", "[[program]]\ntime_limit = '30s'"))
        said = self.heddle("sweep", "a.toml", status=1)
        self.assertIn("6 of 6 runs done, 5 failed; heddle results a.db shows them", said)
        failed = self.heddle("results", "a.db", "--failed")
        for line in r"exits +\S+ +exit status 3: heddle:_error:_it", "aborts .*ended by SIGABRT", \
                "none .*the program ended without having run a kernel", "hangs .*the time limit of 1s was reached", \
                "eats .*the memory limit of 300MB was reached":
            self.assertRegex(failed, line)
        self.assertNotIn("fine", failed)
        self.assertEqual(alive("sleep\00077"), [])
        # What failed is not run again unless that is asked for.
        before = len(self.ran())
        self.heddle("sweep", "a.toml", status=1)
        self.assertEqual(len(self.ran()), before)
        self.heddle("sweep", "a.toml", "--retry", status=1)
        self.assertEqual(len(self.ran()), before + 5)
        self.assertIn("heddle:_error:_it", self.heddle("results", "a.db", "--run", "1"))

    def test_jobs_elsewhere(self):
        self.sweep("jobs", "0")
        jobs = [line for line in self.heddle("sweep", "a.toml", "--print-jobs").splitlines()]
        self.assertEqual(len(jobs), 12)
        self.assertEqual(self.ran(), [])
        for line in jobs[:5]:
            self.run_command(["sh", "-c", line])
        self.assertIn("5 of 12 runs done", self.heddle("sweep", "a.toml", "--collect", status=1))
        self.run_command(["sh", "-c", jobs[5]])
        with open(os.path.join("a.db.jobs", "0" * 32 + ".result"), "w") as f:  # nobody's
            f.write("x")
        self.heddle("sweep", "a.toml", status=1)
        self.assertEqual(len(self.ran()), 12)

    def test_the_same_job_given_twice(self):
        """As by two who print jobs: the second one waits for the first."""
        self.sweep("twice", "1")
        jobs = self.heddle("sweep", "a.toml", "--print-jobs").splitlines()
        children = [subprocess.Popen(["sh", "-c", jobs[0]]) for _ in range(3)]
        self.assertEqual([c.wait(60) for c in children], [0] * 3)
        self.assertEqual(len(self.ran()), 1)
        self.assertIn("1 of 12 runs done", self.heddle("sweep", "a.toml", "--collect", status=1))

    @unittest.skipUnless(shutil.which("parallel"), "no GNU parallel")
    def test_gnu_parallel(self):
        self.sweep("parallel", "0")
        self.run_command(["sh", "-c", "%s sweep a.toml --print-jobs | parallel -j 2" % HEDDLE])
        self.assertIn("12 of 12 runs done, 4 failed", self.heddle("sweep", "a.toml", "--collect", status=1))
        self.assertEqual(len(self.ran()), 12)

    def test_results_that_are_cut_off(self):
        """A full disk may leave such a file; the run counts as not run."""
        self.sweep("cut", "0")
        job = self.heddle("sweep", "a.toml", "--print-jobs").splitlines()[0]
        self.run_command(["sh", "-c", job])
        result = next(n for n in os.listdir("a.db.jobs") if n.endswith(".result"))
        with open(os.path.join("a.db.jobs", result), "r+b") as f:
            f.truncate(os.path.getsize(f.name) - 100)
        said = self.heddle("sweep", "a.toml", status=1)
        self.assertRegex(said, "note: the result of one, .* is damaged and counts for nothing")
        self.assertEqual(len(self.ran()), 13)

    def test_damaged_database(self):
        self.sweep("damaged", "0")
        self.heddle("sweep", "a.toml", status=1)
        with open("a.db", "rb") as f:
            good = f.read()
        for what, data in ("no database",
                           b"hello" * 1000), ("damaged", good[:5000] + os.urandom(20000) + good[25000:]), ("cut",
                                                                                                           good[:9000]):
            with open("a.db", "wb") as f:
                f.write(data)
            for words in ("sweep", "a.toml"), ("results", "a.db"), ("results", "a.db", "--export", "1"):
                said = self.heddle(*words, status=2)
                self.assertIn("a.db: damaged, or no database of a sweep", said, what)
                self.assertNotIn("Traceback", said)
            with open("a.db", "rb") as f:
                self.assertEqual(f.read(), data)
        os.unlink("a.db")
        sqlite3.connect("a.db").execute("CREATE TABLE x(y)").connection.close()
        self.assertIn("a database, but not one that heddle sweep made", self.heddle("sweep", "a.toml", status=2))
        self.assertIn("there is no such file", self.heddle("results", "b.db", status=2))


if __name__ == "__main__":
    unittest.main()
