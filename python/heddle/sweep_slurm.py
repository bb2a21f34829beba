"""A sweep on a Slurm cluster: array jobs whose tasks leave results in the folder beside the database, which nodes must see.

What was submitted stands in that folder, so that a sweep that is started again waits for tasks of the one before, and submits no
run twice. A task that ends without a result is a run that failed, with the state that Slurm gives it."""

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import uuid

from .places import HeddleError

POLL = 2  # seconds
LATE = 10  # seconds that a result may take to be seen here after its task has ended
MARGIN = 120  # seconds that Slurm waits longer than the run's own limit


def ask(words, fails=True):
    """What a command of Slurm prints; None, or HeddleError, if it fails."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode == 0:
        return done.stdout
    if fails:
        raise HeddleError("%s: %s" % (words[0], done.stderr.strip() or "status %d" % done.returncode))
    return None


class Arrays:
    """The array jobs that are under way. `arrays` are {"name", "job", "keys"}: task n of the job is the run of key n."""

    def __init__(self, sweep):
        self.sweep, self.path = sweep, sweep.spool.path("slurm.json")
        self.arrays = []
        if os.path.exists(self.path):
            with open(self.path) as f:
                self.arrays = json.load(f)
        for a in self.arrays:
            if a["job"] is None:  # the sweep was killed while it submitted this one
                found = ask(["squeue", "--noheader", "--name", a["name"], "--format=%A"]).split()
                a["job"] = found[0] if found else None
        self.arrays = [a for a in self.arrays if a["job"]]
        self.save()

    def save(self):
        with open(self.path + ".new", "w") as f:
            json.dump(self.arrays, f)
        os.replace(self.path + ".new", self.path)

    def submit(self, points, arguments):
        """One array job of these points, which have the same limits."""
        spool, job = self.sweep.spool, points[0].job
        name = "heddle-" + uuid.uuid4().hex[:12]
        jobs = spool.path(name + ".list")
        with open(jobs, "w") as f:
            f.write("".join(spool.write_job(p.job) + "\n" for p in points))
        with open(spool.path(name + ".sh"), "w") as f:
            package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            f.write("#!/bin/sh\nexport PYTHONPATH=%s\nexec %s -m heddle.sweep_job --list %s \"$SLURM_ARRAY_TASK_ID\"\n"
                    % (shlex.quote(package), shlex.quote(sys.executable), shlex.quote(jobs)))
        array = {"name": name, "job": None, "keys": [p.key for p in points]}
        self.arrays.append(array)
        self.save()
        words = ["sbatch", "--parsable", "--job-name=" + name, "--cpus-per-task=1", "--output=" + spool.path("slurm-%A_%a.out"),
                 "--array=0-%d%s" % (len(points) - 1, "%%%d" % arguments.jobs if arguments.jobs else "")]
        if job["time_limit"]:
            words.append("--time=%d" % math.ceil((job["time_limit"] + MARGIN) / 60))
        if job["memory_limit"]:
            words.append("--mem=%dK" % math.ceil(job["memory_limit"] / 1024))
        try:
            array["job"] = ask(words + arguments.slurm_option + [spool.path(name + ".sh")]).strip().split(";")[0]
        except HeddleError:
            self.arrays.remove(array)
            self.save()
            raise
        self.save()

    def states(self):
        """The states of tasks that Slurm still has, by key; None if it does not answer."""
        names = {}
        for a in self.arrays:
            said = ask(["squeue", "--noheader", "--array", "--jobs", a["job"], "--format=%K %T"], fails=False)
            if said is None and self.gone(a):
                continue
            if said is None:
                return None
            for line in said.splitlines():
                task, state = line.split()
                if task.isdigit():
                    names[a["keys"][int(task)]] = state
        return names

    def gone(self, array):
        """Whether Slurm answers, but does not know the job any more."""
        return ask(["scontrol", "ping"], fails=False) is not None and ask(["squeue", "--noheader"], fails=False) is not None

    def why(self, key):
        """What Slurm says of a task that has ended."""
        for a in self.arrays:
            if key in a["keys"]:
                task = "%s_%d" % (a["job"], a["keys"].index(key))
                said = ask(["scontrol", "show", "job", "--oneliner", task], fails=False) or ""
                state, code = (re.search(r"\b%s=(\S+)" % n, said) for n in ("JobState", "ExitCode"))
                return "the Slurm job %s ended without a result%s%s" % (
                    task, ": " + state.group(1) if state else "", ", exit code " + code.group(1) if code else "")
        return "the Slurm job ended without a result"

    def forget(self, key):
        for a in self.arrays:
            if key in a["keys"] and all(k in self.sweep.ended for k in a["keys"]):
                self.arrays.remove(a)
                self.save()
                return

    def cancel(self):
        for a in self.arrays:
            ask(["scancel", a["job"]], fails=False)
        self.arrays = []
        self.save()


def largest_array():
    said = re.search(r"^MaxArraySize\s*=\s*(\d+)", ask(["scontrol", "show", "config"]), re.M)
    return max(1, int(said.group(1)) - 1 if said else 1000)


def submit_rest(sweep, arrays, arguments):
    """Submits what is neither done nor under way."""
    under_way = {k for a in arrays.arrays for k in a["keys"]}
    groups = {}
    for p in sweep.left():
        if p.key not in under_way:
            groups.setdefault((p.job["time_limit"], p.job["memory_limit"]), []).append(p)
    most = largest_array()
    for points in groups.values():
        for at in range(0, len(points), most):
            arrays.submit(points[at:at + most], arguments)


def run(sweep, arguments, progress):
    """Runs what is left on the cluster, and waits for it."""
    for program in "sbatch", "squeue", "scontrol", "scancel":
        if not shutil.which(program):
            raise HeddleError("--slurm needs Slurm's commands, and there is no '%s'" % program)
    arrays = Arrays(sweep)
    silent = False
    missing = {}  # key: since when its task is gone
    try:
        submit_rest(sweep, arrays, arguments)
        while sweep.left():
            states = arrays.states()
            if (states is None) != silent:
                silent = not silent
                progress.say("heddle: note: Slurm does not answer; its jobs go on" if silent else "heddle: note: Slurm answers again")
            left = sweep.left()
            for p in left:
                if os.path.exists(sweep.spool.result(p.key)):
                    sweep.finish(p.key, progress)
                    arrays.forget(p.key)
                elif states is not None and p.key not in states:
                    if time.monotonic() - missing.setdefault(p.key, time.monotonic()) > LATE:
                        sweep.finish(p.key, progress, arrays.why(p.key))
                        arrays.forget(p.key)
            running = sum(1 for s in (states or {}).values() if s == "RUNNING")
            progress.slots = max(1, running)
            progress.show(running, [(p.job["program"], 0) for p in sweep.left()], sweep.failed())
            if sweep.left():
                time.sleep(POLL)
    except KeyboardInterrupt:
        arrays.cancel()
        for p in sweep.left():
            if os.path.exists(sweep.spool.result(p.key)):
                sweep.finish(p.key, progress)
        raise
