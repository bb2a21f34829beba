"""One run of a sweep: starts it, holds it to its limits, and leaves a file with all that came of it.

    python -m heddle.sweep_job FOLDER/KEY.job               what `heddle sweep --print-jobs` prints
    python -m heddle.sweep_job --list FILE NUMBER           the job of that line, from 0: a task of a Slurm array
    python -m heddle.sweep_job --parent PID FOLDER/KEY.job  ends with that process, which started it

The result, FOLDER/KEY.result, appears whole or not at all: gzip of a line of JSON with the outcome, then one for
each kernel, as -stats_json writes it. Whoever sweeps takes it into the database. A job that has a result is not run
again."""

import ctypes
import fcntl
import gzip
import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import time

from .places import HeddleError, command
from .sweep_plan import IGNORED

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LOG_HEAD, LOG_TAIL = 16 << 10, 48 << 10  # bytes of a program's output that are kept
LOOK = 0.2  # seconds between two looks at the memory of a run that has a limit


def prctl(what, value):
    ctypes.CDLL(None, use_errno=True).prctl(what, ctypes.c_ulong(value), 0, 0, 0)


def descendants():
    """The numbers of all processes below this one."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, "rb") as f:
                    parent = int(f.read().rsplit(b")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(name))
    found, left = [], [os.getpid()]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += below
    return found


def end_descendants():
    """Ends every process below this one, those among them that left their group too, and waits for all but the
    first."""
    for _ in range(100):
        alive = descendants()
        if not alive:
            return
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return


def memory():
    """Bytes of memory that the processes below this one take."""
    pages = 0
    for pid in descendants():
        try:
            with open("/proc/%d/statm" % pid) as f:
                pages += int(f.read().split()[1])
        except (OSError, IndexError):
            pass
    return pages * os.sysconf("SC_PAGE_SIZE")


class Log:
    """What a program prints: its beginning and its end."""
    def __init__(self):
        self.head, self.tail, self.dropped = b"", b"", 0

    def add(self, data):
        room = LOG_HEAD - len(self.head)
        self.head += data[:room]
        self.tail += data[room:] if room > 0 else data
        if len(self.tail) > 2 * LOG_TAIL:
            self.dropped += len(self.tail) - LOG_TAIL
            self.tail = self.tail[-LOG_TAIL:]

    def text(self):
        gap = b"\n[... %d bytes left out ...]\n" % self.dropped if self.dropped else b""
        return (self.head + gap + self.tail).decode("utf-8", "replace")


def span(seconds):
    """A time as a person writes it: 90 is 1m30s."""
    seconds = round(seconds, 1) if seconds < 60 else round(seconds)
    if seconds < 60:
        return "%gs" % seconds
    if seconds < 3600:
        return "%dm%02ds" % divmod(seconds, 60)
    return "%dh%02dm" % divmod(seconds // 60, 60)


def size(number):
    """A size as a person writes it."""
    for unit in "", "K", "M", "G":
        if number < 1024:
            break
        number /= 1024
    else:
        unit = "T"
    return "%.3g%sB" % (number, unit)


def watch(child, job, log, began):
    """Reads what the program prints until it has ended or has reached a limit. What limit that was; None: it has
    ended."""
    stop = began + job["time_limit"] if job["time_limit"] else None
    with selectors.DefaultSelector() as events:
        events.register(child.stdout, selectors.EVENT_READ)
        ended = os.pidfd_open(child.pid)
        events.register(ended, selectors.EVENT_READ)
        try:
            while True:
                wait = LOOK if job["memory_limit"] else None
                if stop:
                    wait = min(wait or stop, max(0, stop - time.monotonic()))
                for key, _ in events.select(wait):
                    if key.fd == ended:
                        return None
                    data = os.read(key.fd, 1 << 16)
                    log.add(data)
                    if not data:
                        events.unregister(child.stdout)
                if stop and time.monotonic() >= stop:
                    return "the time limit of %s was reached" % span(job["time_limit"])
                if job["memory_limit"] and memory() > job["memory_limit"]:
                    return "the memory limit of %s was reached" % size(job["memory_limit"])
        finally:
            os.close(ended)


def drain(child, log):
    """What is left in the pipe of a program that has ended."""
    os.set_blocking(child.stdout.fileno(), False)
    try:
        while True:
            data = os.read(child.stdout.fileno(), 1 << 16)
            if not data:
                break
            log.add(data)
    except BlockingIOError:
        pass


def kernels_of(path):
    """The objects of the kernels in a -stats_json file, one after the other: such a file may not fit in memory as
    objects."""
    with gzip.open(path, "rt", encoding="utf-8", errors="surrogateescape") as f:
        text = f.read()
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        kernel, at = decoder.raw_decode(text, at)
        yield kernel
        at = text.find("{", at)


def reason(log):
    """The line of a program's output that tells best why it failed."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for pattern in r"heddle\S*: error|: error: ", r"(?i)\b(error|fail|assert|abort|exception)":
        found = [line for line in lines if re.search(pattern, line)]
        if found:
            return found[-1][:500]
    return lines[-1][:500] if lines else ""


def message_of(status, limit, ended, count, log):
    """Why a run failed, or "" for one that did what it was told."""
    if limit:
        return limit
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = "signal %d" % -status
        return ": ".join(filter(None, ["ended by %s" % name, reason(log)]))
    if status:
        return ": ".join(filter(None, ["exit status %d" % status, reason(log)]))
    if not count:
        return "the program ended without having run a kernel"
    if ended is None or not ended.startswith(("complete", "limit")):
        return "the run ended as '%s'" % (ended or "killed")
    return ""


def checkpoint_path(job, folder):
    return os.path.join(folder, job["checkpoint"]["name"] + ".checkpoint")


def start(job, statistics):
    words = [command(), job["kind"]] + job["configuration"] + ["-stats_file", os.devnull, "-stats_json", statistics]
    if "checkpoint" in job:
        words += ["-resume_option", "1", "-checkpoint_file", checkpoint_path(job, os.path.dirname(statistics))]
    words += ["-trace"] + job["words"] if job["kind"] == "trace" else ["--"] + job["words"]
    return start_words(job, words)


def start_words(job, words):
    environment = {k: v for k, v in os.environ.items() if k not in IGNORED}
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the command heddle has put it there
    path = [p for p in environment.pop("PYTHONPATH", "").split(":") if p and p != ours]
    if path:
        environment["PYTHONPATH"] = ":".join(path)
    environment.update(job["environment"])
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            cwd=job["directory"], env=environment,
                            preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL))


def make_checkpoint(job, folder, began):
    """Lets the program write its checkpoint, without time, unless a run before has done it. Why there is none, or "".
    Others that need it wait."""
    path, wanted = checkpoint_path(job, folder), job["checkpoint"]
    lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = ["-gpgpu_ptx_sim_mode", "1", "-threads", "1", "-stats_file", os.devnull, "-checkpoint_option", "1",
                   "-checkpoint_kernel", str(wanted["kernel"]), "-checkpoint_file", path]
        # Where other kernels still run when that one ends, the checkpoint comes later.
        for limit in ["-kernel_limit", str(wanted["kernel"])], []:
            if os.path.exists(path):
                return ""
            log = Log()
            child = start_words(job, [command(), "run"] + wanted["configuration"] + options + limit + ["--"] + job["words"])
            why = watch(child, job, log, began)
            if why:
                child.kill()
            status = child.wait()
            end_descendants()
            drain(child, log)
            if why:
                break
        if os.path.exists(path):
            return ""
        return "no checkpoint: " + (why or reason(log.text()) or "exit status %d" % status)
    finally:
        os.close(lock)


def run(path):
    """Runs the job in a file and leaves its result beside it."""
    with open(path) as f:
        job = json.load(f)
    base = os.path.splitext(path)[0]
    result, statistics = base + ".result", base + ".stats.json.gz"
    # Somebody else may have been given the same job. Whoever comes second waits, and finds the result.
    lock = os.open(base + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    fcntl.flock(lock, fcntl.LOCK_EX)
    if os.path.exists(result) or not os.path.exists(path):
        return
    for end in ".stats.json.gz", ".kernels", ".new":  # of a run that was cut off
        if os.path.exists(base + end):
            os.unlink(base + end)
    log, began, started = Log(), time.monotonic(), time.time()
    status, limit, cpu, most = None, None, 0.0, 0
    child = None
    try:
        limit = make_checkpoint(job, os.path.dirname(base), began) if "checkpoint" in job else None
        if not limit:
            child = start(job, statistics)
    except OSError as e:
        limit = "it cannot be started: %s" % e
    if child:
        limit = watch(child, job, log, began)
        if limit:
            child.kill()
        _, code, usage = os.wait4(child.pid, 0)
        status = child.returncode = os.waitstatus_to_exitcode(code)
        end_descendants()
        drain(child, log)
        cpu, most = usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10
    seconds = time.monotonic() - began
    ended, count, packed = None, 0, base + ".kernels"
    with gzip.open(packed, "wt", 6, encoding="utf-8", errors="surrogateescape") as out:
        try:
            for kernel in kernels_of(statistics) if os.path.exists(statistics) else ():
                ended, count = kernel.get("heddle_run"), count + 1
                out.write(json.dumps(kernel, separators=(",", ":")) + "\n")
        except (OSError, EOFError, ValueError) as e:
            limit = limit or "its statistics cannot be read: %s" % e
    text = log.text()
    message = message_of(status, limit, ended, count, text)
    head = {
        "key": job["key"], "failed": bool(message), "message": message, "ended": ended, "exit_status": status,
        "kernels": count, "host": socket.gethostname(), "started": started, "seconds": seconds, "cpu_seconds": cpu,
        "memory": most, "log": text
    }
    with open(base + ".new", "wb") as out, open(packed, "rb") as kernels:
        out.write(gzip.compress((json.dumps(head) + "\n").encode()))
        while data := kernels.read(1 << 20):
            out.write(data)
        out.flush()
        os.fsync(out.fileno())
    os.replace(base + ".new", result)
    for left in statistics, packed:
        if os.path.exists(left):
            os.unlink(left)


def ended_from_outside(number, frame):
    end_descendants()
    os._exit(128 + number)


def main(words=None):
    words = sys.argv[1:] if words is None else words
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(number, ended_from_outside)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    if words[:1] == ["--parent"]:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(words[1]):  # it has ended already
            return 1
        words = words[2:]
    try:
        if words[:1] == ["--list"]:
            with open(words[1]) as f:
                words = [f.read().splitlines()[int(words[2])]]
        if len(words) != 1 or words[0].startswith("-"):
            print("usage: python -m heddle.sweep_job FOLDER/KEY.job; heddle sweep writes such files", file=sys.stderr)
            return 2
        run(words[0])
    except (OSError, ValueError, IndexError, HeddleError) as e:
        print("heddle: error: %s: %s" % (" ".join(words), e), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
