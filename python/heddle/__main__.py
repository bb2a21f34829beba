"""python -m heddle COMMAND, and the command heddle of the package."""

import os
import sys

from .places import HeddleError, command, root

USAGE = """usage: python -m heddle run [OPTIONS] SCRIPT.py [ARG...]
       python -m heddle run [OPTIONS] -- -m MODULE [ARG...]
       python -m heddle COMMAND ...

run starts a Python script, or a program, on the simulated GPU. It computes results only (--mode functional); with
--mode timing it also counts cycles, which takes far longer. Options are those of 'heddle run --help', for instance:
  -c CONFIG             the GPU: a name such as SM80_A100, a gpgpusim.config or its folder; without, an H100
  -stats_json FILE      statistics of each kernel, for heddle.stats
  -stats_file FILE      the same as text, instead of standard output

Other commands are those of heddle: 'python -m heddle smi' shows the GPU, 'python -m heddle help' lists them.
"""


def start(words):
    """Becomes the command heddle with these words. Returns a status only if that cannot be done."""
    try:
        path = command()
        os.environ.setdefault("HEDDLE_PYTHON", sys.executable)  # for commands that are Python themselves
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(path, ["heddle"] + words)
    except (HeddleError, OSError) as e:
        print("heddle: error: %s" % e, file=sys.stderr)
        return 1


def main():
    """python -m heddle"""
    words = sys.argv[1:]
    if words in ([], ["run"]):
        print(USAGE, end="", file=sys.stderr)
        return 2
    if words in (["-h"], ["--help"], ["run", "-h"], ["run", "--help"]):
        print(USAGE, end="")
        return 0
    if words[0] == "run":  # scripts are run by the Python that runs this
        words = ["run", "--python", sys.executable] + words[1:]
    return start(words)


def heddle():
    """The command heddle: as it is, without Python's defaults."""
    return start(sys.argv[1:])


def heddlecc():
    """The command heddlecc: compiles CUDA with clang."""
    try:
        path = os.path.join(root(), "toolkit", "heddlecc")
        os.execv(path, [path] + sys.argv[1:])
    except (HeddleError, OSError) as e:
        print("heddlecc: %s" % e, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
