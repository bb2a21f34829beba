"""Where Heddle's files lie, and whether this process runs on it."""

import os
import subprocess


class HeddleError(Exception):
    """What is wrong and what to do, in one line."""


def root():
    """The folder with bin/, lib/ and configs/: the package itself, or the source tree that it lies in, which is built by make.

    Raises HeddleError if the files of the package are missing."""
    here = os.path.dirname(os.path.abspath(__file__))
    tree = os.path.dirname(os.path.dirname(here))
    for folder in (here, tree):
        if os.path.isfile(os.path.join(folder, "lib", "libcudasim.so")) and os.path.isfile(os.path.join(folder, "bin", "heddle")):
            return folder
    if os.path.isfile(os.path.join(tree, "Makefile")):
        raise HeddleError("%s is not built; run make there" % tree)
    raise HeddleError("the package in %s is not whole; install it again (pip install --force-reinstall)" % here)


def command():
    """The path of the command heddle. Raises HeddleError if there is none that can be started."""
    path = os.path.join(root(), "bin", "heddle")
    if not os.access(path, os.X_OK):
        raise HeddleError("%s cannot be executed; install the package with pip, which keeps the modes of files" % path)
    return path


def active():
    """Whether the CUDA calls of this process go to Heddle."""
    try:
        with open("/proc/self/maps") as maps:
            return any(line.rstrip().endswith("/libcudasim.so") for line in maps)
    except OSError:
        return False


def mode():
    """'functional' or 'timing', as heddle run was told; None where the configuration decides."""
    return {"1": "functional", "0": "timing"}.get(os.environ.get("PTX_SIM_MODE_FUNC"))


def gpu():
    """The simulated GPU of this process's configuration: a dict with name, compute_cap and memory.total (MiB), as text.

    Raises HeddleError if the configuration makes none."""
    fields = ["name", "compute_cap", "memory.total"]
    ask = [command(), "smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits"]
    done = subprocess.run(ask, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    values = done.stdout.strip().rsplit(", ", len(fields) - 1)
    if done.returncode or len(values) != len(fields):
        raise HeddleError(done.stderr.strip() or "heddle smi failed")
    return dict(zip(fields, values))


def version():
    """The version of this package; of a source tree, that in base/version.c."""
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        from ._version import version as made
        return made
    except ImportError:
        pass
    import re
    try:
        with open(os.path.join(here, "..", "..", "base", "version.c")) as f:
            return re.search(r'heddle_version\[\] = "([^"]+)"', f.read()).group(1)
    except (OSError, AttributeError):
        return "unknown"
