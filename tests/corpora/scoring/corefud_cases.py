"""Small pairs of CorefUD with the scores that corefud-scorer 1.2 (udapi 0.5.2) gives them.

A sentence is a line of nodes: a word with its brackets, or an empty node as `-parents-brackets`,
such as `-2:nsubj-(e1--1)`. EXPECTED has recall and precision by metric.
"""

from __future__ import annotations

from collections.abc import Sequence

Scores = dict[str, tuple[float, float]]

CASES: dict[str, tuple[str, str, str]] = {
    # name: (match/zeros/singletons, key, response)
    "same head, less words": (
        "head/dependent/keep",
        "a(e1--2 be1) c(e2--1) d(e1--1)",
        "a b(e1--1) c(e2--1) d(e1--1)",
    ),
    "exact spans": (
        "exact/dependent/keep",
        "a(e1--2 be1) c(e2--1) d(e1--1)",
        "a b(e1--1) c(e2--1) d(e1--1)",
    ),
    "a part with the head": (
        "partial/dependent/keep",
        "a(e1--2 b ce1) d(e1--1) e(e2--2 fe2)",
        "a b(e1--2 ce1) d(e1--1) e(e2--1) f",
    ),
    "the nearest of two with a head": (
        "head/dependent/keep",
        "a(e1--2(e2--2 be2) c de1) e(e1--1) f(e2--1)",
        "a b(e1--1 ce1) d e(e1--1) f(e2--1)",
    ),
    "two that are as near": (
        "head/dependent/keep",
        "a b(e1--1(e2--1 ce1) de2) e(e1--1) f(e2--1)",
        "a(e1--2 b c d ee1) f(e1--1)",
    ),
    "discontinuous": (
        "head/linear/keep",
        "a(e1[1/2]--3) b(e2--1) c(e1[2/2]--3 de1[2/2]) e(e1--1) f",
        "a(e1--3 b c de1) e(e1--1) f(e2--1)",
    ),
    "discontinuous in part": (
        "partial/linear/keep",
        "a(e1[1/2]--1) b(e2--1) c(e1[2/2]--1) d(e1--1)",
        "a(e1--1) b(e2--1) c d(e1--1)",
    ),
    "nested in one entity": (
        "head/dependent/drop",
        "a(e1--4 b(e1--1 ce1) de1) e(e1--1) f(e2--1)",
        "a(e1--1 be1) c d(e1--1) e(e1--1) f(e1--1)",
    ),
    "a zero elsewhere": (
        "head/dependent/drop",
        "a(e1--1) b -2:nsubj-(e1--1) c(e2--1) d(e2--1) e",
        "a(e1--1) b c(e2--1) d -2:nsubj-(e1--1) e(e2--1)",
    ),
    "a zero elsewhere by place": (
        "head/linear/drop",
        "a(e1--1) b -2:nsubj-(e1--1) c(e2--1) d(e2--1) e",
        "a(e1--1) b c(e2--1) d -2:nsubj-(e1--1) e(e2--1)",
    ),
    "the relation before the place": (
        "head/dependent/keep",
        "a(e1--1) b -2:nsubj-(e1--1) -2:obj-(e2--1) c(e2--1)",
        "a(e1--1) b -2:obj-(e1--1) -2:nsubj-(e2--1) c(e2--1)",
    ),
    "places that change hands": (
        "exact/dependent/keep",
        "a(e1--1) b -1:x-(e1--1) -2:x-(e2--1) c(e2--1)",
        "a(e1--1) b -3:y-(e2--1) -1:x-(e1--1) -2:x-(e1--1) c(e2--1)",
    ),
    "zeros left out": (
        "exact/none/keep",
        "a(e1--1) b -2:nsubj-(e1--1) c(e1--1) d",
        "a(e1--1) b -2:nsubj-(e2--1) c(e2--1) d(e1--1)",
    ),
    "a zero as head of more": (
        "partial/dependent/keep",
        "a b(e1--2 -2:x- ce1) d(e1--1)",
        "a b(e1--1 -2:x-e1) c d(e1--1)",
    ),
    "twice on either side": (
        "exact/linear/keep",
        "a(e1--1)(e2--1) b(e1--1) c(e2--1) d",
        "a(e1--1)(e2--1) b(e2--1) c(e1--1) d(e1--1)",
    ),
    "zeros with a wrong antecedent": (
        "head/dependent/keep",
        "a(e1--1) b -2:nsubj-(e1--1)\nc(e1--1) d -2:nsubj-(e1--1) -1:obj-(e1--1)",
        "a(e2--1) b -2:nsubj-(e1--1)\nc(e1--1) d -2:nsubj-(e1--1) -2:iobj-(e1--1)",
    ),
}


def conllu(case: str, form: str = "") -> str:
    """The document that a case's lines are; `form` is added to every word."""
    lines = ["# newdoc id = a", "# global.Entity = eid-etype-head-other"]
    for number, sentence in enumerate(case.split("\n"), 1):
        lines.append(f"# sent_id = {number}")
        word = empty = 0
        for node in sentence.split():
            deps, cell = "_", node[1:]
            if node[0] == "-":
                deps, _, cell = cell.partition("-")
                empty += 1
            else:
                word, empty = word + 1, 0
            name = f"{word}.{empty}" if empty else str(word)
            columns = [name, node[0] + form, *"____", "_" if empty else "0", "_", deps]
            lines.append("\t".join((*columns, f"Entity={cell}" if cell else "_")))
        lines.append("")
    return "\n".join((*lines, ""))


METRICS: Sequence[str] = ("muc", "bcub", "ceafe", "ceafm", "lea", "blanc", "mor", "zero")


EXPECTED: dict[str, Scores] = {
    "same head, less words": {
        "muc": (1, 1),
        "bcub": (1, 1),
        "ceafe": (1, 1),
        "ceafm": (1, 1),
        "lea": (1, 1),
        "blanc": (1, 1),
        "mor": (3 / 4, 1),
        "zero": (0, 0),
    },
    "exact spans": {
        "muc": (0, 0),
        "bcub": (1 / 2, 1 / 2),
        "ceafe": (3 / 4, 3 / 4),
        "ceafm": (2 / 3, 2 / 3),
        "lea": (1 / 3, 1 / 3),
        "blanc": (1 / 4, 1 / 4),
        "mor": (3 / 4, 1),
        "zero": (0, 0),
    },
    "a part with the head": {
        "muc": (1, 1),
        "bcub": (2 / 3, 2 / 3),
        "ceafe": (1 / 2, 1 / 2),
        "ceafm": (2 / 3, 2 / 3),
        "lea": (2 / 3, 2 / 3),
        "blanc": (1 / 2, 1 / 2),
        "mor": (2 / 3, 1),
        "zero": (0, 0),
    },
    "the nearest of two with a head": {
        "muc": (0, 0),
        "bcub": (3 / 8, 2 / 3),
        "ceafe": (7 / 12, 7 / 12),
        "ceafm": (1 / 2, 2 / 3),
        "lea": (0, 0),
        "blanc": (1 / 8, 1 / 4),
        "mor": (1 / 2, 1),
        "zero": (0, 0),
    },
    "two that are as near": {
        "muc": (0, 0),
        "bcub": (1 / 4, 1 / 2),
        "ceafe": (1 / 4, 1 / 2),
        "ceafm": (1 / 4, 1 / 2),
        "lea": (0, 0),
        "blanc": (0, 0),
        "mor": (4 / 7, 2 / 3),
        "zero": (0, 0),
    },
    "discontinuous": {
        "muc": (0, 0),
        "bcub": (1 / 6, 1 / 6),
        "ceafe": (1 / 4, 1 / 4),
        "ceafm": (1 / 3, 1 / 3),
        "lea": (0, 0),
        "blanc": (0, 0),
        "mor": (4 / 5, 2 / 3),
        "zero": (0, 0),
    },
    "discontinuous in part": {
        "muc": (1, 1),
        "bcub": (1, 1),
        "ceafe": (1, 1),
        "ceafm": (1, 1),
        "lea": (1, 1),
        "blanc": (1, 1),
        "mor": (3 / 4, 1),
        "zero": (0, 0),
    },
    "nested in one entity": {
        "muc": (1 / 2, 1 / 3),
        "bcub": (4 / 9, 1 / 4),
        "ceafe": (4 / 7, 4 / 7),
        "ceafm": (2 / 3, 1 / 2),
        "lea": (1 / 3, 1 / 6),
        "blanc": (1 / 3, 1 / 6),
        "mor": (3 / 7, 3 / 5),
        "zero": (0, 0),
    },
    "a zero elsewhere": {
        "muc": (1 / 2, 1 / 2),
        "bcub": (5 / 8, 5 / 8),
        "ceafe": (3 / 4, 3 / 4),
        "ceafm": (3 / 4, 3 / 4),
        "lea": (1 / 2, 1 / 2),
        "blanc": (1 / 2, 1 / 2),
        "mor": (1 / 2, 1 / 2),
        "zero": (1, 1),
    },
    "a zero elsewhere by place": {
        "muc": (0, 0),
        "bcub": (1 / 4, 1 / 4),
        "ceafe": (1 / 2, 1 / 2),
        "ceafm": (1 / 2, 1 / 2),
        "lea": (0, 0),
        "blanc": (1 / 8, 1 / 8),
        "mor": (1 / 2, 1 / 2),
        "zero": (0, 0),
    },
    "the relation before the place": {
        "muc": (0, 0),
        "bcub": (1 / 2, 1 / 2),
        "ceafe": (1 / 2, 1 / 2),
        "ceafm": (1 / 2, 1 / 2),
        "lea": (0, 0),
        "blanc": (1 / 4, 1 / 4),
        "mor": (1, 1),
        "zero": (1, 1),
    },
    "places that change hands": {
        "muc": (1, 2 / 3),
        "bcub": (1, 11 / 15),
        "ceafe": (9 / 10, 9 / 10),
        "ceafm": (1, 4 / 5),
        "lea": (1, 3 / 5),
        "blanc": (1, 7 / 12),
        "mor": (1, 4 / 5),
        "zero": (0, 0),
    },
    "zeros left out": {
        "muc": (0, 0),
        "bcub": (1 / 2, 1 / 2),
        "ceafe": (2 / 3, 1 / 3),
        "ceafm": (1 / 2, 1 / 3),
        "lea": (0, 0),
        "blanc": (0, 0),
        "mor": (1, 2 / 3),
        "zero": (0, 0),
    },
    "a zero as head of more": {
        "muc": (1, 1),
        "bcub": (1, 1),
        "ceafe": (1, 1),
        "ceafm": (1, 1),
        "lea": (1, 1),
        "blanc": (1, 1),
        "mor": (3 / 4, 1),
        "zero": (0, 0),
    },
    "twice on either side": {
        "muc": (1 / 2, 1 / 3),
        "bcub": (3 / 4, 7 / 15),
        "ceafe": (9 / 10, 9 / 10),
        "ceafm": (1, 4 / 5),
        "lea": (1 / 2, 1 / 5),
        "blanc": (1 / 2, 7 / 24),
        "mor": (1, 4 / 5),
        "zero": (0, 0),
    },
    "zeros with a wrong antecedent": {
        "muc": (3 / 4, 1),
        "bcub": (17 / 25, 1),
        "ceafe": (8 / 9, 4 / 9),
        "ceafm": (4 / 5, 4 / 5),
        "lea": (3 / 5, 4 / 5),
        "blanc": (3 / 10, 1 / 2),
        "mor": (1, 1),
        "zero": (2 / 3, 1),
    },
}
