"""A page as a browser has it, for tests: Debian's chromium, without a window."""

import os
import re
import shutil
import subprocess


def found():
    """Whether there is a browser to test with."""
    return shutil.which("chromium") is not None


def _run(folder, path, *words):
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           "--enable-logging=stderr",
                           "--user-data-dir=" + os.path.join(folder, "chromium"), "--virtual-time-budget=4000", *words,
                           "file://" + os.path.abspath(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120,
                          encoding="utf-8", errors="replace")


def opened(folder, path):
    """The document after its scripts have run, and what the console said."""
    done = _run(folder, path, "--dump-dom")
    return done.stdout, re.findall(r"CONSOLE\S* (.*)", done.stderr)


def screenshot(folder, path, out, width, height):
    """A picture of the top of the page."""
    _run(folder, path, "--screenshot=" + os.path.abspath(out), "--window-size=%d,%d" % (width, height))
