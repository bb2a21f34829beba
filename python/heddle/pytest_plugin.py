"""pytest --heddle: a project's tests on the simulated GPU.

Programs reach Heddle through a library that is loaded before all others, so pytest is started again under heddle run, once,
before any conftest.py is read. Processes that it starts, such as those of xdist, run there too."""

import os
import sys

import pytest

from . import places

STARTED = "HEDDLE_PYTEST"  # the process that was started again; exec keeps its number


def pytest_addoption(parser):
    group = parser.getgroup("heddle", "simulated GPU")
    group.addoption("--heddle", action="store_true", help="run on the simulated GPU, functionally unless told otherwise")
    group.addoption("--heddle-config", metavar="CONFIG", action="append", default=[],
                    help="the GPU: a name such as SM80_A100, a gpgpusim.config or its folder; implies --heddle")
    group.addoption("--heddle-mode", choices=["functional", "timing"],
                    help="results only (the default), or cycle by cycle; implies --heddle")
    parser.addini("heddle", "run on the simulated GPU, as --heddle does", type="bool", default=False)


def pytest_configure(config):
    config.addinivalue_line("markers", "heddle: only on the simulated GPU; skipped without pytest --heddle")


def again(options):
    """The words that start this process again on the simulated GPU."""
    words = getattr(sys, "orig_argv", None)
    if words:
        words = [sys.executable] + words[1:]
    else:  # before Python 3.10
        words = [sys.executable, "-m", "pytest"] + sys.argv[1:]
    heddle = [places.command(), "run", "--python", sys.executable, "--mode", options.heddle_mode or "functional"]
    if "-stats_file" not in os.environ.get("HEDDLE_OPTIONS", ""):  # what tests print is theirs
        heddle += ["-stats_file", os.devnull]
    for config in options.heddle_config:
        heddle += ["-c", config]
    return heddle + ["--"] + words


# Outside of pytest's own wrapper, which puts files in the place of standard output.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    options = early_config.known_args_namespace
    choices = options.heddle_config or options.heddle_mode
    wanted = options.heddle or choices or early_config.getini("heddle")
    started = os.environ.get(STARTED) == str(os.getpid())
    # A worker of xdist was started by a process that is there already, and talks to it over its standard input.
    there = places.active() and (not choices or started or "PYTEST_XDIST_WORKER" in os.environ)
    if wanted and not there:
        if started:
            raise pytest.UsageError("--heddle: this Python was started on Heddle and does not reach it; is it linked statically?")
        try:
            words = again(options)
            os.environ[STARTED] = str(os.getpid())
            sys.stdout.flush()
            sys.stderr.flush()
            os.execv(words[0], words)
        except (places.HeddleError, OSError) as e:
            raise pytest.UsageError("--heddle: %s" % e)
    yield


def pytest_report_header(config):
    if not places.active():
        return None
    try:
        g = places.gpu()
    except places.HeddleError as e:
        return "heddle: no GPU: %s" % e
    how = places.mode()
    return "heddle: simulated GPU: %s, compute capability %s, %s MiB%s" % (
        g["name"], g["compute_cap"], g["memory.total"], ", %s mode" % how if how else "")


def pytest_collection_modifyitems(config, items):
    if places.active():
        return
    for item in items:
        if item.get_closest_marker("heddle"):
            item.add_marker(pytest.mark.skip(reason="needs the simulated GPU: pytest --heddle"))


@pytest.fixture(scope="session")
def heddle_gpu():
    """The simulated GPU as a dict: name, compute_cap, memory.total. Skips the test without one."""
    if not places.active():
        pytest.skip("needs the simulated GPU: pytest --heddle")
    return places.gpu()
