"""tests/part: which of the tests a part of them is."""

import os
import subprocess
import unittest

PART = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "part")
NAMES = ["name_%d" % i for i in range(200)]


def part(which, names=NAMES):
    env = {**os.environ, "PART": which}
    done = subprocess.run([PART], input="".join(n + "\n" for n in names), env=env, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.split(), done.stderr


class Parts(unittest.TestCase):
    def test_each_name_is_in_one_part(self):
        parts = [part("%d/3" % k)[1] for k in range(3)]
        self.assertEqual(sorted(sum(parts, [])), sorted(NAMES))
        self.assertTrue(all(30 < len(p) < 100 for p in parts), [len(p) for p in parts])

    def test_the_others_do_not_matter(self):
        self.assertEqual(part("1/3", NAMES[50:60])[1], [n for n in part("1/3")[1] if n in NAMES[50:60]])

    def test_without_a_part_there_are_all(self):
        self.assertEqual(part("")[1], NAMES)

    def test_a_part_that_is_none(self):
        for which in "3/3", "1", "a/2", "1/0":
            status, out, err = part(which)
            self.assertEqual((status, out), (2, []))
            self.assertIn("expected K/N", err)


if __name__ == "__main__":
    unittest.main()
