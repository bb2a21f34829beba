"""heddle sweep: runs every combination of programs, inputs and configurations that a TOML file describes."""

import argparse
import os
import selectors
import shlex
import signal
import sqlite3
import subprocess
import sys
import time

from .places import HeddleError, command
from .sweep_job import span

try:
    from . import sweep_plan, sweep_slurm
    from .sweep_store import Spool, Store
except ModuleNotFoundError as e:
    if e.name != "tomllib":
        raise
    sys.exit("heddle: error: heddle sweep needs Python 3.11 or newer, for tomllib; HEDDLE_PYTHON names another Python")

EPILOG = """A sweep that was stopped, by Ctrl-C or by anything else, goes on when it is started again: runs that have ended are in the
database and are not run again, also if they failed (--retry runs those). What has changed since, such as the program, an input, an
option or Heddle itself, is run again. docs/studies.md is a morning with it, docs/sweeps.md has every key of the file."""


def parser():
    p = argparse.ArgumentParser(prog="heddle sweep", description=__doc__, epilog=EPILOG,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file", metavar="FILE.toml", nargs="?")
    p.add_argument("--jobs", "-j", type=int, metavar="N", help="runs at a time (default: as many as this process has processors)")
    p.add_argument("--db", metavar="FILE.db", help="the database (default: FILE.db, or what the file says)")
    p.add_argument("--list", action="store_true", help="only tell which runs there are, and which are done")
    p.add_argument("--retry", action="store_true", help="run those again that failed")
    p.add_argument("--collect", action="store_true", help="only take in results of jobs that were run elsewhere")
    p.add_argument("--print-jobs", action="store_true",
                   help="print a command for each run that is left, one a line, for GNU parallel; the next heddle sweep takes the results in")
    p.add_argument("--slurm", action="store_true", help="run on a Slurm cluster, as array jobs")
    p.add_argument("--slurm-option", action="append", default=[], metavar="OPTION", help="for sbatch, such as --partition=long; may be repeated")
    p.add_argument("--job", metavar="FILE", help=argparse.SUPPRESS)  # what --print-jobs prints
    return p


class Progress:
    """How far a sweep is: a line that is written over on a terminal, else a line for each run that ends."""

    def __init__(self, total, done, slots, guesses):
        self.total, self.done, self.slots = total, done, slots
        self.guesses = guesses  # seconds by program, from runs before
        self.began, self.width = time.monotonic(), 0
        self.terminal = sys.stderr.isatty()
        self.seconds = {}  # program: [seconds of runs that have ended]

    def left(self, waiting):
        """Seconds until the end, or None where no program has come to an end yet. `waiting` are (program, seconds so far)."""
        means = {p: sum(s) / len(s) for p, s in self.seconds.items()}
        known = {**self.guesses, **means}
        if not known:
            return None
        typical = sum(known.values()) / len(known)
        return sum(max(0.0, known.get(program, typical) - so_far) for program, so_far in waiting) / max(1, self.slots)

    def ended(self, point, failed, head_seconds, message):
        self.done += 1
        self.seconds.setdefault(point.job["program"], []).append(head_seconds)
        line = "[%d/%d] %s: %s" % (self.done, self.total, sweep_plan.place(point.labels),
                                   "failed: " + message if failed else span(head_seconds))
        if not self.terminal:
            print(line, file=sys.stderr, flush=True)
        elif failed:
            self.say(line)

    def say(self, line):
        self.clear()
        print(line, file=sys.stderr, flush=True)

    def clear(self):
        if self.terminal and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            self.width = 0

    def show(self, running, waiting, failed):
        if not self.terminal:
            return
        left = self.left(waiting)
        line = "%d of %d done%s, %d running, %s so far%s" % (
            self.done, self.total, ", %d failed" % failed if failed else "", running, span(round(time.monotonic() - self.began)),
            ", about %s left" % span(round(left)) if left is not None else "")
        line = line[:os.get_terminal_size(sys.stderr.fileno()).columns - 1]
        sys.stderr.write("\r" + line + " " * (self.width - len(line)))
        sys.stderr.flush()
        self.width = len(line)


class Sweep:
    """A plan, its database, and what is left to run. Points with the same key are one run."""

    def __init__(self, plan, store, spool, retry):
        self.plan, self.store, self.spool = plan, store, spool
        self.points = {}
        for p in plan.points:
            self.points.setdefault(p.key, p)
        store.set_plan(plan)
        for key in self.points:  # of a sweep that was killed, of jobs that ran elsewhere
            self.take_in(key)
        if retry:
            store.forget([k for k, failed in store.ended().items() if failed and k in self.points])
        self.ended = {k: f for k, f in store.ended().items() if k in self.points}

    def take_in(self, key):
        """Whether a result of the job lay there and is now in the database."""
        path = self.spool.result(key)
        if not os.path.exists(path):
            return False
        if key in self.store.ended():
            os.unlink(path)
            return False
        return self.store.take_in(self.points[key].job, path)

    def left(self):
        return [p for k, p in self.points.items() if k not in self.ended]

    def finish(self, key, progress, why=""):
        """Notes that a job has come to its end; one that left no result has failed, for that reason."""
        point = self.points[key]
        if not self.take_in(key):
            self.store.add(point.job, {"failed": True, "message": why, "ended": None, "exit_status": None, "host": os.uname().nodename,
                                       "started": time.time(), "seconds": 0.0, "cpu_seconds": 0.0, "memory": 0, "log": ""})
        failed, message, seconds = self.store.db.execute("SELECT failed, message, seconds FROM run WHERE key = ?", (key,)).fetchone()
        self.ended[key] = bool(failed)
        progress.ended(point, failed, seconds, message)

    def failed(self):
        return sum(self.ended.values())


def run_here(sweep, slots, progress):
    """Runs what is left on this machine, so many at a time. All of it ends with this process, whatever ends that."""
    waiting = sweep.left()[::-1]
    running = {}  # number of a process: (process, its file for events, key, beginning)
    events = selectors.DefaultSelector()
    try:
        while waiting or running:
            while waiting and len(running) < slots:
                point = waiting.pop()
                words = [sys.executable, "-m", "heddle.sweep_job", "--parent", str(os.getpid()), sweep.spool.write_job(point.job)]
                child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                         start_new_session=True, text=True, errors="replace")
                running[child.pid] = (child, os.pidfd_open(child.pid), point.key, time.monotonic())
                events.register(running[child.pid][1], selectors.EVENT_READ, child.pid)
            now = time.monotonic()
            progress.show(len(running), [(p.job["program"], 0) for p in waiting]
                          + [(sweep.points[key].job["program"], now - since) for _, _, key, since in running.values()], sweep.failed())
            for event, _ in events.select(1):
                child, handle, key, _ = running.pop(event.data)
                events.unregister(handle)
                os.close(handle)
                said = child.communicate()[1].strip()
                sweep.finish(key, progress, said or "what ran it ended with status %d" % child.returncode)
    finally:
        for child, _, _, _ in running.values():
            child.terminate()
        for child, _, _, _ in running.values():
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)


def print_jobs(sweep):
    for point in sweep.left():
        print(shlex.join([command(), "sweep", "--job", sweep.spool.write_job(point.job)]))


def list_points(sweep):
    for p in sweep.plan.points:
        state = {None: "to be run", False: "done", True: "failed"}[sweep.ended.get(p.key)]
        print("%4d  %-9s  %s" % (p.number, state, sweep_plan.place(p.labels)))


def stopped(number, frame):
    raise KeyboardInterrupt


def work(sweep, arguments):
    """What the command was started for. Its status."""
    total, left = len(sweep.points), sweep.left()
    done = total - len(left)
    if arguments.list:
        list_points(sweep)
        return 0
    if arguments.print_jobs:
        print_jobs(sweep)
        return 0
    note = ", %d of them failed" % sweep.failed() if sweep.failed() else ""
    same = len(sweep.plan.points) - total
    print("%s: %d runs, %d done already%s%s" % (sweep.plan.path, total, done, note,
                                                "; %d more combinations are the same as others" % same if same else ""), file=sys.stderr)
    slots = arguments.jobs or len(os.sched_getaffinity(0))
    progress = Progress(total, done, slots, sweep.store.seconds())
    try:
        if left and not arguments.collect:
            if arguments.slurm:
                sweep_slurm.run(sweep, arguments, progress)
            else:
                run_here(sweep, slots, progress)
    except KeyboardInterrupt:
        progress.clear()
        print("stopped with %d of %d runs done; the same command goes on" % (progress.done, total), file=sys.stderr)
        return 130
    finally:
        progress.clear()
    left, failed = len(sweep.left()), sweep.failed()
    print("%d of %d runs done%s; heddle results %s shows them" % (total - left, total, ", %d failed" % failed if failed else "",
                                                                  shlex.quote(sweep.store.path)), file=sys.stderr)
    if failed:
        print("heddle results %s --failed tells why; heddle sweep --retry runs them again" % shlex.quote(sweep.store.path), file=sys.stderr)
    return 1 if failed or left else 0


def main(words=None):
    """0 when every run is done, 1 if some failed or are left, 2 for what is wrong in the file, 130 when stopped."""
    arguments = parser().parse_args(words)
    if arguments.job:
        from . import sweep_job
        return sweep_job.main([arguments.job])
    if not arguments.file:
        parser().error("the file of the sweep is missing")
    if arguments.jobs is not None and arguments.jobs < 1:
        parser().error("--jobs needs a number from 1")
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, stopped)
    try:
        ignored = [n for n in sweep_plan.IGNORED if os.environ.get(n)]
        if ignored:
            print("heddle: note: %s: not for sweeps, which are what their file says" % ", ".join(ignored), file=sys.stderr)
        plan = sweep_plan.read(arguments.file, arguments.db)
        spool = Spool(plan.database)
        keep = True
        try:
            store = Store(plan.database, create=True)
            sweep = Sweep(plan, store, spool, arguments.retry)
            status = work(sweep, arguments)
            keep = bool(sweep.left())
            store.db.close()
            return status
        finally:
            spool.close(keep)
    except HeddleError as e:
        print("heddle: error: %s" % e, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as e:
        print("heddle: error: %s: %s" % (e.filename or "a run cannot be started", e.strerror), file=sys.stderr)
        return 2
    except sqlite3.Error as e:
        print("heddle: error: %s: %s; what has ended is kept, and the same command goes on" % (plan.database, e), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
