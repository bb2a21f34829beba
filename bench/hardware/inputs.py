"""Input files made anew, in the shape that a program's own input has: the sizes and the structure, with other numbers.

Every file is made of a seed, so it has the same bytes on every machine."""

import array
import math
import os
import random


class Wrong(Exception):
    """What is wrong in the description of an input."""


def grid(f, wanted: dict) -> None:
    """rows x columns numbers, one a line: temperatures and powers of a chip."""
    low, high = wanted["range"]
    numbers = random.Random(wanted.get("seed", 1))
    for _ in range(wanted["rows"] * wanted["columns"]):
        f.write(f"{numbers.uniform(low, high):.6f}\n")


def graph(f, wanted: dict) -> None:
    """A graph of `nodes` nodes. Each has as many edges to random nodes as is drawn from `edges`, and all can be gone both
    ways. In the file are first edge and degree of each, the source, and the edges with a weight of 1 to 10."""
    nodes, (low, high) = wanted["nodes"], wanted["edges"]
    numbers = random.Random(wanted.get("seed", 1))
    near: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for node, edges in enumerate(near):
        for _ in range(numbers.randint(low, high)):
            other, weight = numbers.randrange(nodes), numbers.randint(1, 10)
            edges.append((other, weight))
            near[other].append((node, weight))
    f.write(f"{nodes}\n")
    first = 0
    for edges in near:
        f.write(f"{first} {len(edges)}\n")
        first += len(edges)
    f.write(f"\n0\n\n{first}\n")
    for edges in near:
        f.writelines(f"{other} {weight}\n" for other, weight in edges)


def system(f, wanted: dict) -> None:
    """A system of `size` equations as Gaussian elimination wants it: size, matrix with a strong diagonal, right side, solution."""
    size = wanted["size"]
    numbers = random.Random(wanted.get("seed", 1))
    f.write(f"{size}\n\n")
    for i in range(size):
        f.write("\t".join(f"{numbers.uniform(-1, 1) + (size if i == j else 0):.4f}" for j in range(size)) + "\n")
    for _ in range(2):
        f.write("\n" + "\t".join(f"{numbers.uniform(-1, 1):.4f}" for _ in range(size)) + "\n")


def places(f, wanted: dict) -> None:
    """`count` records of storms, 48 characters and a line's end each, with latitude and longitude in columns 28 and 33."""
    numbers = random.Random(wanted.get("seed", 1))
    for _ in range(wanted["count"]):
        when = f"{numbers.randint(1950, 2004)} {numbers.randint(1, 12):2d} {numbers.randint(1, 28):2d} {numbers.choice((0, 6, 12, 18)):2d}"
        where = f"{numbers.uniform(7, 70):5.1f}{numbers.uniform(0, 358):5.1f}"
        f.write(f"{when} {numbers.randint(1, 27):2d} {'STORM':<10} {where} {numbers.randint(10, 165):4d} {numbers.randint(0, 999):4d}\n")


def matrix(f, wanted: dict) -> None:
    """A matrix as text: rows and columns, then its numbers."""
    numbers = random.Random(wanted.get("seed", 1))
    f.write(f"{wanted['rows']} {wanted['columns']} ")
    for _ in range(wanted["rows"] * wanted["columns"]):
        f.write(f"{numbers.uniform(0, 1):.4f} ")


def raw(f, wanted: dict) -> None:
    """`count` bytes of an image."""
    f.write(random.Random(wanted.get("seed", 1)).randbytes(wanted["count"]))


def symbols(f, wanted: dict) -> None:
    """`count` bytes whose entropy is `entropy` bits each. Every value is less likely than the one before it, by the same factor."""
    entropy = wanted["entropy"]
    if not 0 < entropy < 6:
        raise ValueError("an entropy between 0 and 6 bits is wanted")
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        bits = -math.log2(1 - share) - share / (1 - share) * math.log2(share)
        low, high = (share, high) if bits < entropy else (low, share)
    numbers = random.Random(wanted.get("seed", 1))
    f.write(bytes(min(255, int(math.log(1 - numbers.random()) / math.log(share))) for _ in range(wanted["count"])))


def mesh(f, wanted: dict) -> None:
    """`count` elements of a flow around a body: of each its area and four neighbours, counted from 1, each with the normal between
    them. Neighbours have numbers near by, as in a mesh that was numbered to be so; where there is none is -1 or -2, the wing
    and the far end."""
    count = wanted["count"]
    width = round(math.sqrt(count))
    numbers = random.Random(wanted.get("seed", 1))
    f.write(f"{count}\n")
    for i in range(count):
        f.write(f"{numbers.uniform(0.01, 1):.6f}")
        for step in (-width, -1, 1, width):
            other = i + step
            near = other + 1 if 0 <= other < count else numbers.choice((-1, -2))
            f.write(f" {near}" + "".join(f" {numbers.uniform(-1, 1):.6f}" for _ in range(3)))
        f.write("\n")


def floats(f, wanted: dict) -> None:
    """`count` numbers of single precision between 0 and 1."""
    numbers = random.Random(wanted.get("seed", 1))
    f.write(array.array("f", (numbers.random() for _ in range(wanted["count"]))).tobytes())


def text(f, wanted: dict) -> None:
    """The text itself: lists of files and the like."""
    f.write(wanted["text"])


KINDS = {"grid": grid, "graph": graph, "system": system, "places": places, "matrix": matrix, "raw": raw, "symbols": symbols,
         "mesh": mesh, "floats": floats, "text": text}
BINARY = {"raw", "symbols", "floats"}


def make(wanted: dict, folder: str) -> None:
    """Makes the input `wanted["file"]` of kind `wanted["make"]` in a folder. Wrong where the description is no good."""
    kind, name = wanted.get("make"), wanted.get("file")
    if kind not in KINDS:
        raise Wrong(f"no inputs are made by '{kind}'; known are {', '.join(KINDS)}")
    if not isinstance(name, str) or os.path.isabs(name) or ".." in name.split("/"):
        raise Wrong(f"'{name}' is no file below the folder of the run")
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "wb") if kind in BINARY else open(path, "w", encoding="ascii") as f:
            KINDS[kind](f, wanted)
    except (KeyError, TypeError, ValueError) as e:
        raise Wrong(f"{name} of kind {kind}: {e!r}") from None
