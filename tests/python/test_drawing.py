"""Charts: each number that is given stands in a mark, the same call gives the same bytes, charts can share a page."""

import os
import re
import sys
import unittest
import xml.etree.ElementTree as ET

if sys.version_info < (3, 11):
    print("charts need Python 3.11")
    sys.exit(77)

import common
from heddle import drawing
from heddle.places import HeddleError

try:
    drawing.need_matplotlib()
except HeddleError as e:
    print(e)
    sys.exit(77)

DRAWN = {
    "bars": lambda n: drawing.bars(n, ["a", "b<&>"], [1, 2.5], unit="x"),
    "groups": lambda n: drawing.bars(n, ["a", "b"], {"one": [1, None], "two": [3, 4]}, baseline=1),
    "stacked": lambda n: drawing.stacked(n, ["a", "b"], {"one": [1, 0], "two": [3, 4]}),
    "lines": lambda n: drawing.lines(n, [1, 2, 4], {"one": [1, None, 0.25], "two": [3, 4, 5]}, dots=True, log_x=True),
    "areas": lambda n: drawing.areas(n, [0, 10, 20], {"one": [1, 2], "two": [3, 4.5]}),
    "scatter": lambda n: drawing.scatter(n, [(0.5, 10, "$k_1$"), (4, 80, "k2")], log=True,
                                         limits=[("roof", [(0.1, 5), (10, 500)])]),
    "heat": lambda n: drawing.heat_map(n, [[1, 2, 3], [4, None, 0]]),
}
VALUES = {"bars": [1, 2.5], "groups": [1, 3, 4], "stacked": [1, 3, 4], "lines": [1, 0.25, 3, 4, 5], "areas": [],
          "scatter": [10, 80], "heat": [1, 2, 3, 4, None, 0]}


def marks(svg):
    return [e for e in ET.fromstring(svg).iter() if e.get("class") == "mark"]


class Drawing(unittest.TestCase):
    def test_values(self):
        for kind, draw in DRAWN.items():
            with self.subTest(kind):
                found = [m.get("data-value") for m in marks(draw("chart")) if m.get("data-value") is not None]
                self.assertEqual(sorted(found), sorted("" if v is None else repr(v) for v in VALUES[kind]))
                for m in marks(draw("chart")):
                    self.assertTrue(m.find("{%s}title" % drawing.SVG).text)

    def test_series(self):
        one, two = [m for m in marks(DRAWN["lines"]("c")) if m.get("data-values")]
        self.assertEqual((one.get("data-x"), one.get("data-values")), ("1 2 4", "1 - 0.25"))
        self.assertEqual(two.get("data-values"), "3 4 5")
        one, two = marks(DRAWN["areas"]("c"))
        self.assertEqual((one.get("data-x"), one.get("data-values"), two.get("data-values")),
                         ("0 10 20", "1 2", "3 4.5"))

    def test_same_bytes(self):
        for draw in DRAWN.values():
            self.assertEqual(draw("chart"), draw("chart"))

    def test_one_page(self):
        page = "".join(draw(kind + "-1") + draw(kind + "-2") for kind, draw in DRAWN.items())
        ids = re.findall(r'\bid="([^"]*)"', page)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(set(re.findall(r'(?:url\(|href=")#([^")]+)', page)) - set(ids), set())
        for bad in ("<style", "<metadata", "mathdefault", "/home", common.TREE):
            self.assertNotIn(bad, page)

    def test_width_of_bars(self):
        """The picture says what the number says."""
        a, b = (m.find("{%s}path" % drawing.SVG).get("d") for m in marks(drawing.bars("c", ["a", "b"], [1, 2])))
        wide = [max(x) - min(x) for x in ([float(w) for w in d.replace("z", "").split()[1::3]] for d in (a, b))]
        self.assertAlmostEqual(wide[1] / wide[0], 2, places=2)

    def test_numbers(self):
        said = [drawing.number(v) for v in (None, float("nan"), 0, 26756, 2.0, 0.43125, 12345.67)]
        self.assertEqual(said, ["–", "–", "0", "26,756", "2", "0.4313", "12,345.7"])

    def test_bad_name(self):
        self.assertRaises(ValueError, drawing.bars, "a b", [], [])


class Missing(common.InFolder):
    def test_says_what_to_install(self):
        """Where neither Python has matplotlib."""
        self.write("matplotlib.py", "raise ImportError\n")
        said = self.python("-c",
                           "import os; from heddle import drawing\nos.environ['HEDDLE_DRAWS_IN'] = str(os.getpid())\ntry: drawing.need_matplotlib()\nexcept Exception as e: print(e)",
                           env={"PYTHONPATH": self.folder + os.pathsep + common.TREE + "/python"})
        self.assertIn("install Debian's python3-matplotlib", said)


if __name__ == "__main__":
    unittest.main()
