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


def _write_graph(f, near: list[list[tuple[int, int]]], source: int) -> None:
    """First edge and degree of each node, the source, and the edges, each with its weight."""
    f.write(f"{len(near)}\n")
    first = 0
    for edges in near:
        f.write(f"{first} {len(edges)}\n")
        first += len(edges)
    f.write(f"\n{source}\n\n{first}\n")
    for edges in near:
        f.writelines(f"{other} {weight}\n" for other, weight in edges)


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
    _write_graph(f, near, 0)


def roads(f, wanted: dict) -> None:
    """A road map of `nodes` crossings and `arcs` ways along a road, two for each road, all of weight 1. The
    crossings lie on a square grid. Roads are some of its sides and some diagonals, at most one in each square, so
    that none meet but at crossings, and all crossings can be reached. A crossing has up to 8 roads, and numbers
    near by are near on the map at all scales, as in the maps of the 9th DIMACS challenge; that of New York has
    264,346 crossings and 733,846 arcs. `source` is the crossing to begin at."""
    nodes, wanted_roads, source = wanted["nodes"], wanted["arcs"] // 2, wanted["source"]
    numbers = random.Random(wanted.get("seed", 1))
    width = math.isqrt(nodes - 1) + 1
    # The bits of both coordinates in turn, which is the order of quarters of quarters.
    order = sorted(range(nodes), key=lambda i: int(f"{i % width:b}", 4) + 2 * int(f"{i // width:b}", 4))
    number = [0] * nodes
    for n, place in enumerate(order):
        number[place] = n
    possible = []
    for place in range(nodes):
        across, down = (place + 1) % width and place + 1 < nodes, place + width < nodes
        possible += [(place, place + 1)] if across else []
        possible += [(place, place + width)] if down else []
        if across and place + width + 1 < nodes:
            slash = numbers.random() < 0.5
            possible.append((place + 1, place + width) if slash else (place, place + width + 1))
    numbers.shuffle(possible)
    if wanted["arcs"] % 2 or not (nodes - 1 <= wanted_roads <= len(possible) and 0 <= source < nodes):
        most = 2 * len(possible)
        raise ValueError(f"{nodes} crossings have {2 * nodes - 2} to {most} arcs, two for each road, and a source among them")
    # First a tree of them, by Kruskal's algorithm, then more.
    parent, tree, more = list(range(nodes)), [], []
    for a, b in possible:
        roots = []
        for end in (a, b):
            while parent[end] != end:
                parent[end] = end = parent[parent[end]]
            roots.append(end)
        (tree if roots[0] != roots[1] else more).append((a, b))
        parent[roots[0]] = roots[1]
    near: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for a, b in tree + more[:wanted_roads - len(tree)]:
        near[number[a]].append((number[b], 1))
        near[number[b]].append((number[a], 1))
    _write_graph(f, [sorted(edges) for edges in near], source)


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


def frame(f, wanted: dict) -> None:
    """A picture of `width` x `height` points, as numbers of 16 bits: both, then each point's brightness, 0 to 255."""
    width, height = wanted["width"], wanted["height"]
    if not (0 < width < 65536 and 0 < height < 65536):
        raise ValueError("a width and a height from 1 to 65,535 are wanted")
    numbers = random.Random(wanted.get("seed", 1))
    f.write(array.array("H", [width, height, *numbers.randbytes(width * height)]).tobytes())


def water(f, wanted: dict) -> None:
    """`molecules` of water in a cube whose sides are `side` angstroms long and whose middle is the origin, as a PQR
    file: an atom of oxygen and two of hydrogen each, with the lengths, the angle and the charges of TIP3P. Each
    molecule is turned at random, and lies about the middle of a place of its own on a grid, so that it keeps its
    distance; some places stay empty. Parboil's program prints what it reads: its small box has 5,943 atoms, 40
    angstroms each way."""
    molecules, side = wanted["molecules"], wanted["side"]
    numbers = random.Random(wanted.get("seed", 1))
    places = math.ceil(molecules ** (1 / 3)) if molecules > 0 else 0
    if not 0 < places * 2.5 <= side:
        raise ValueError("one molecule or more is wanted, and 2.5 angstroms for each in each direction")
    step = side / places
    for n, place in enumerate(sorted(numbers.sample(range(places ** 3), molecules))):
        at = [(place // places ** k % places + numbers.uniform(0.2, 0.8)) * step - side / 2 for k in range(3)]
        while True:
            a, b = ([numbers.gauss(0, 1) for _ in range(3)] for _ in range(2))
            a = [x / math.hypot(*a) for x in a]
            along = sum(x * y for x, y in zip(a, b))
            b = [y - along * x for x, y in zip(a, b)]
            b = [y / math.hypot(*b) for y in b]
            angle = math.radians(104.52)
            arms = [a, [math.cos(angle) * x + math.sin(angle) * y for x, y in zip(a, b)]]
            atoms = [at, *[[x + 0.9572 * y for x, y in zip(at, arm)] for arm in arms]]
            if all(abs(x) <= side / 2 for atom in atoms for x in atom):
                break
        for k, (name, charge, (x, y, z)) in enumerate(zip(("OH2", "H1", "H2"), (-0.834, 0.417, 0.417), atoms), 1):
            f.write(f"ATOM {3 * n + k:6d} {name:<4} TIP3 {n + 1:5d}")
            f.write(f" {x:8.3f} {y:8.3f} {z:8.3f} {charge:6.3f} 1.000\n")


def elements(f, wanted: dict) -> None:
    """The matrix of finite elements of degree `degree` on a square of `size` x `size` of them, a power of two, with
    no unknowns on its border, as MatrixMarket text of a symmetric matrix. Unknowns of one element have an entry for
    each other. Those at the elements' corners come first, then those on their sides, then those inside, each group
    in the order in which quartering the square makes the elements. It is Dubcova3 of the SuiteSparse collection but
    for the numbers and perhaps the order of a group: 128 x 128 elements of degree 3 have its (3 * 128 - 1)^2 =
    146,689 rows and (126 * 16 + 2 * 9 - 127)^2 = 3,636,649 entries (6 of which are zero there), and the first
    81,153 unknowns, which the notes on it set apart, are those that are not inside."""
    size, degree = wanted["size"], wanted["degree"]
    if size < 2 or size & (size - 1) or degree < 1:
        raise ValueError("the size is wanted as a power of two, and a degree of 1 or more")
    numbers = random.Random(wanted.get("seed", 1))
    cells = [(0, 0)]
    while len(cells) < size * size:
        cells = [(2 * x + i, 2 * y + j) for x, y in cells for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    end, local = size * degree, range(degree + 1)
    row: dict[tuple[int, int], int] = {}
    for borders in (2, 1, 0):
        mine = [(i, j) for i in local for j in local if (i % degree == 0) + (j % degree == 0) == borders]
        for x, y in cells:
            for i, j in mine:
                point = x * degree + i, y * degree + j
                if 0 < point[0] < end and 0 < point[1] < end:
                    row.setdefault(point, len(row) + 1)
    # The neighbours of a coordinate: those of its element, or of both where it is on a border.
    reach = [range(max(1, (x - 1) // degree * degree), min(end, (x // degree + 1) * degree + 1))
             for x in range(end)]
    f.write("%%MatrixMarket matrix coordinate real symmetric\n")
    entries = (sum(len(r) for r in reach[1:]) ** 2 + len(row)) // 2
    f.write(f"{len(row)} {len(row)} {entries}\n")
    for (x, y), column in row.items():
        below = [row[u, v] for u in reach[x] for v in reach[y] if row[u, v] >= column]
        f.writelines(f"{other} {column} {numbers.uniform(-1, 1):.4f}\n" for other in sorted(below))


def text(f, wanted: dict) -> None:
    """The text itself: lists of files and the like."""
    f.write(wanted["text"])


KINDS = {"grid": grid, "graph": graph, "roads": roads, "system": system, "places": places, "matrix": matrix, "raw": raw,
         "symbols": symbols, "mesh": mesh, "floats": floats, "frame": frame, "water": water, "elements": elements, "text": text}
BINARY = {"raw", "symbols", "floats", "frame"}


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
