"""Answers questions about a reading log kept in a CSV file."""

import argparse
import csv
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Book:
    title: str
    author: str
    pages: int
    finished: date | None
    rating: int | None


def read(lines):
    """Returns the books of a CSV file given as an iterable of its lines."""
    books = []
    for number, row in enumerate(csv.DictReader(lines), start=2):
        try:
            books.append(
                Book(
                    title=row["title"],
                    author=row["author"],
                    pages=int(row["pages"]),
                    finished=date.fromisoformat(row["finished"]) if row["finished"] else None,
                    rating=int(row["rating"]) if row["rating"] else None,
                )
            )
        except (KeyError, ValueError) as error:
            raise SystemExit(f"line {number}: {error}") from error
    return books


def finished(books, year=None):
    """Returns the finished books, oldest first, of one year or of all."""
    done = [book for book in books if book.finished and year in (None, book.finished.year)]
    return sorted(done, key=lambda book: book.finished)


def stats(books):
    """Returns {year: (books, pages, mean rating)} of the finished books."""
    years = {}
    for book in finished(books):
        years.setdefault(book.finished.year, []).append(book)
    return {
        year: (len(group), sum(book.pages for book in group), mean_rating(group))
        for year, group in years.items()
    }


def mean_rating(books):
    """Returns the mean of the ratings, where a book without one counts as 0."""
    return sum(book.rating or 0 for book in books) / len(books)


def main():
    parser = argparse.ArgumentParser(prog="shelf", description=__doc__)
    parser.add_argument("file")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list").add_argument("--year", type=int)
    commands.add_parser("stats")
    options = parser.parse_args()

    with open(options.file, newline="", encoding="utf-8") as lines:
        books = read(lines)
    if options.command == "list":
        for book in finished(books, options.year):
            print(f"{book.finished}  {book.title} ({book.author})")
    else:
        for year, (count, pages, rating) in stats(books).items():
            print(f"{year}  {count} books  {pages} pages  mean rating {rating:.1f}")


if __name__ == "__main__":
    main()
