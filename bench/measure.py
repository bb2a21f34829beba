"""Running programs and measuring them, for bench/run and bench/peers."""
import contextlib, math, os, re, signal, subprocess, tempfile, threading


def start(cmd, out, processor=None, errors=subprocess.DEVNULL, **how):
    """Starts a command with its output in a file, on one processor if that is given. how: env, cwd; errors: where its standard
    error goes."""
    pin = (lambda: os.sched_setaffinity(0, {processor})) if processor is not None else None
    return subprocess.Popen(cmd, stdout=out, stderr=errors, stdin=subprocess.DEVNULL, preexec_fn=pin,
                            start_new_session=True, **how)


def end(p, out):
    """Output, exit status, peak memory in MB and processor seconds of a run that was started and of what it started."""
    _, status, usage = os.wait4(p.pid, 0)
    out.seek(0)
    return out.read(), status, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def run(cmd, processor=None, limit=None, **how):
    """The same of a command from its start to its end. After `limit` seconds it is killed with all that it started: the
    status is then None."""
    late, ended = threading.Event(), threading.Event()
    p = None

    def kill():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(p.pid, signal.SIGKILL)

    def too_late():
        if ended.is_set():
            return
        late.set()
        kill()
    timer = threading.Timer(limit, too_late) if limit else None
    with tempfile.TemporaryFile('w+', errors='replace') as out:
        try:
            p = start(cmd, out, processor, **how)
            if timer:
                timer.start()
            text, status, mb, seconds = end(p, out)
            ended.set()
        except KeyboardInterrupt:
            if p:
                kill()
                p.wait()
            raise
        finally:
            if timer:
                timer.cancel()
    return text, None if late.is_set() else status, mb, seconds


def last(text, name):
    """The last whole number that a statistic of this name has in a run's output; 0: it has none."""
    found = re.findall(r'^%s\s*=\s*(\d+)' % re.escape(name), text, re.M)
    return int(found[-1]) if found else 0


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2
