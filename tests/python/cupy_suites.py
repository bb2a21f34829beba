"""CuPy's own test suites, from the folder tests/ of its source archive: a plug-in for pytest that makes a table of them.

    CUPY_SUITES=cupy-14.2.0/tests python -m heddle run -stats_file /dev/null tests/python/accept_cupy.py

CUPY_SUITES_NAMES    folders and files below cupy_tests/, default core_tests math_tests sorting_tests
CUPY_SUITES_EVERY    one of so many cases, drawn from a fixed seed; default all
CUPY_SUITES_SECONDS  no further case is begun after that time
CUPY_SUITES_LOG      a file for one line of JSON per case. Cases that it already has are not run again: a run can go on where another ended

With a sample or a limit the order is a random one, from the same seed, so that what was run is a sample of the whole. Cases marked slow
or for several GPUs are left out, as by CuPy's own continuous integration."""

import collections
import json
import os
import random
import subprocess
import sys
import time

SEED = 12
# What failures end in whose cause is a library of NVIDIA that cannot run here.
CLOSED = {"cuFFT": "CuFFTError", "cuSOLVER": "CUSOLVERError", "cuSPARSE": "CuSparseError", "cuRAND": "CURANDError"}


def run(folder):
    """Runs the suites. The exit status of pytest, but 0 where nothing failed but for want of a library of NVIDIA."""
    names = os.environ.get("CUPY_SUITES_NAMES", "core_tests math_tests sorting_tests").split()
    here = os.path.dirname(os.path.abspath(__file__))
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([here] + [p for p in [os.environ.get("PYTHONPATH")] if p]))
    words = [sys.executable, "-m", "pytest", "-p", "cupy_suites", "-p", "no:cacheprovider", "-q", "--tb=short", "-m", "not slow and not multi_gpu"]
    return subprocess.call(words + [os.path.join("cupy_tests", n) for n in names], cwd=folder, env=environment)


class Cases:
    """What pytest reports, case by case: its methods named pytest_ are hooks."""

    def __init__(self):
        self.start = time.time()
        self.limit = float(os.environ.get("CUPY_SUITES_SECONDS", "inf"))
        self.every = int(os.environ.get("CUPY_SUITES_EVERY", "1"))
        self.log = os.environ.get("CUPY_SUITES_LOG")
        self.selected = 0
        self.over = False
        self.running = {}
        self.done = []
        if self.log and os.path.exists(self.log):
            with open(self.log) as f:
                self.done = [json.loads(line) for line in f]
        self.file = open(self.log, "a", 1) if self.log else None

    def pytest_collection_modifyitems(self, items):
        draw = random.Random(SEED)
        if self.every > 1:
            items[:] = [i for i in items if not draw.randrange(self.every)]
        if self.every > 1 or self.limit < float("inf"):
            draw.shuffle(items)
        self.selected = len(items)
        names = {c["id"] for c in self.done}
        items[:] = [i for i in items if i.nodeid not in names]

    def pytest_runtest_teardown(self, item, nextitem):
        if nextitem and time.time() - self.start > self.limit:
            self.over = True
            item.session.shouldstop = "the time is over"

    def pytest_runtest_logreport(self, report):
        c = self.running.setdefault(report.nodeid, {"id": report.nodeid, "outcome": "passed", "why": "", "seconds": 0.0})
        c["seconds"] += report.duration
        if report.failed:
            c["outcome"] = "failed"
            c["why"] = str(report.longrepr)[-4000:]
        elif report.skipped and c["outcome"] == "passed":
            c["outcome"] = "expected to fail" if hasattr(report, "wasxfail") else "skipped"
            c["why"] = str(report.longrepr)[-300:]
        if report.when == "teardown":
            self.done.append(self.running.pop(report.nodeid))
            if self.file:
                self.file.write(json.dumps(c) + "\n")

    def pytest_sessionfinish(self, session, exitstatus):
        """Failures for want of a library of NVIDIA are listed and no fault."""
        explained = all(cause(c["why"]).startswith("needs ") for c in self.done if c["outcome"] == "failed")
        if self.done and explained and (exitstatus == 1 or self.over):
            session.exitstatus = 0

    def pytest_terminal_summary(self, terminalreporter):
        for line in self.table():
            terminalreporter.write_line(line)

    def table(self):
        rows = collections.defaultdict(collections.Counter)
        causes = collections.Counter()
        for c in self.done:
            name = c["id"].split("cupy_tests/")[1].split("/")[0]
            for row in (rows[name], rows["all"]):
                row[c["outcome"]] += 1
                row["seconds"] += c["seconds"]
            if c["outcome"] == "failed":
                causes[cause(c["why"])] += 1
        yield "%-16s %8s %8s %8s %18s %9s" % ("suite", "passed", "failed", "skipped", "expected to fail", "seconds")
        for name in sorted(rows, key=lambda n: (n == "all", n)):
            r = rows[name]
            yield "%-16s %8d %8d %8d %18d %9.0f" % (name, r["passed"], r["failed"], r["skipped"], r["expected to fail"], r["seconds"])
        yield "run: %d of %d cases" % (len(self.done), self.selected)
        for text, n in causes.most_common():
            yield "%6d failed: %s" % (n, text)


def cause(text):
    """The library that cannot run, or the line that names the error."""
    for name, error in CLOSED.items():
        if error in text:
            return "needs " + name
    lines = [line[1:].strip() for line in text.split("\n") if line.startswith("E ") and line[1:].strip()]
    return lines[-1][:120] if lines else text.strip().split("\n")[-1][:120]


def pytest_configure(config):
    config.pluginmanager.register(Cases())
