"""Heddle: a simulated NVIDIA GPU for CUDA programs and Python packages.

    python -m heddle run script.py     a script on the simulated GPU
    pytest --heddle                    a project's tests on it
    heddle.stats.read("stats.json")    the statistics of a run as a table
"""

from .places import HeddleError, active, command, gpu, mode, root, version

__version__ = version()
__all__ = ["HeddleError", "active", "command", "gpu", "mode", "root"]
