import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import shelf

LOG = """\
title,author,pages,finished,rating
Second,B,200,2023-06-02,3
First,A,100,2022-03-12,5
Unfinished,C,300,,
""".splitlines()


class Shelf(unittest.TestCase):
    def test_finished_books_come_oldest_first(self):
        self.assertEqual([book.title for book in shelf.finished(shelf.read(LOG))], ["First", "Second"])

    def test_a_year_selects_its_books(self):
        self.assertEqual([book.title for book in shelf.finished(shelf.read(LOG), 2023)], ["Second"])

    def test_stats_are_per_year(self):
        self.assertEqual(shelf.stats(shelf.read(LOG)), {2022: (1, 100, 5.0), 2023: (1, 200, 3.0)})

    def test_a_bad_line_is_named(self):
        with self.assertRaisesRegex(SystemExit, "line 2: "):
            shelf.read(["title,author,pages,finished,rating", "T,A,many,,"])


if __name__ == "__main__":
    unittest.main()
