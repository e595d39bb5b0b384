"""Clusters as CoNLL files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Span = tuple[int, int]
Entities = Sequence[Sequence[Span]]


def conll(documents: Mapping[str, Entities], tokens: int = 12) -> str:
    """Documents of `tokens` words in five columns; NAME|2 is part 2 of NAME."""
    return "".join(_document(name, entities, tokens) for name, entities in documents.items())


def _document(name: str, entities: Entities, tokens: int) -> str:
    cells: list[list[str]] = [[] for _ in range(tokens)]
    for number, entity in enumerate(entities):
        for start, end in entity:
            if end == start + 1:
                cells[start].append(f"({number})")
            else:
                cells[start].append(f"({number}")
                cells[end - 1].append(f"{number})")
    name, _, part = name.partition("|")
    lines = [f"#begin document ({name}); part {int(part or 0):03}"]
    for number, cell in enumerate(cells):
        lines.append("\t".join((name, "0", str(number), "word", "|".join(cell) or "-")))
    return "\n".join([*lines, "", "#end document", ""])


def letters(drawn: str) -> list[list[Span]]:
    """`a bc` as mentions of one token each; capitals come after small letters."""
    return [[(n, n + 1) for n in map(_place, word)] for word in drawn.split()]


def _place(letter: str) -> int:
    return ord(letter) - ord("0")
