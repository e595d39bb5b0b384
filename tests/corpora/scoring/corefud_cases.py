"""Small pairs of CorefUD with the scores that corefud-scorer 1.2 (udapi 0.5.2) gives them.

A case is a name with the setting (match/zeros/singletons), the key, the response, and recall and
precision by metric, in the order of METRICS. Sentences stand between ` / `; nodes are a word with
its brackets, or an empty node as `-parents-brackets`, such as `-2:nsubj-(e1--1)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

METRICS: Sequence[str] = ("muc", "bcub", "ceafe", "ceafm", "lea", "blanc", "mor", "zero")

_TABLE = """\
same head, less words: head/dependent/keep
a(e1--2 be1) c(e2--1) d(e1--1)
a b(e1--1) c(e2--1) d(e1--1)
1 1, 1 1, 1 1, 1 1, 1 1, 1 1, 3/4 1, 0 0
exact spans: exact/dependent/keep
a(e1--2 be1) c(e2--1) d(e1--1)
a b(e1--1) c(e2--1) d(e1--1)
0 0, 1/2 1/2, 3/4 3/4, 2/3 2/3, 1/3 1/3, 1/4 1/4, 3/4 1, 0 0
a part with the head: partial/dependent/keep
a(e1--2 b ce1) d(e1--1) e(e2--2 fe2)
a b(e1--2 ce1) d(e1--1) e(e2--1) f
1 1, 2/3 2/3, 1/2 1/2, 2/3 2/3, 2/3 2/3, 1/2 1/2, 2/3 1, 0 0
the nearest of two with a head: head/dependent/keep
a(e1--2(e2--2 be2) c de1) e(e1--1) f(e2--1)
a b(e1--1 ce1) d e(e1--1) f(e2--1)
0 0, 3/8 2/3, 7/12 7/12, 1/2 2/3, 0 0, 1/8 1/4, 1/2 1, 0 0
two that are as near: head/dependent/keep
a b(e1--1(e2--1 ce1) de2) e(e1--1) f(e2--1)
a(e1--2 b c d ee1) f(e1--1)
0 0, 1/4 1/2, 1/4 1/2, 1/4 1/2, 0 0, 0 0, 4/7 2/3, 0 0
discontinuous: head/linear/keep
a(e1[1/2]--3) b(e2--1) c(e1[2/2]--3 de1[2/2]) e(e1--1) f
a(e1--3 b c de1) e(e1--1) f(e2--1)
0 0, 1/6 1/6, 1/4 1/4, 1/3 1/3, 0 0, 0 0, 4/5 2/3, 0 0
discontinuous in part: partial/linear/keep
a(e1[1/2]--1) b(e2--1) c(e1[2/2]--1) d(e1--1)
a(e1--1) b(e2--1) c d(e1--1)
1 1, 1 1, 1 1, 1 1, 1 1, 1 1, 3/4 1, 0 0
nested in one entity: head/dependent/drop
a(e1--4 b(e1--1 ce1) de1) e(e1--1) f(e2--1)
a(e1--1 be1) c d(e1--1) e(e1--1) f(e1--1)
1/2 1/3, 4/9 1/4, 4/7 4/7, 2/3 1/2, 1/3 1/6, 1/3 1/6, 3/7 3/5, 0 0
a zero elsewhere: head/dependent/drop
a(e1--1) b -2:nsubj-(e1--1) c(e2--1) d(e2--1) e
a(e1--1) b c(e2--1) d -2:nsubj-(e1--1) e(e2--1)
1/2 1/2, 5/8 5/8, 3/4 3/4, 3/4 3/4, 1/2 1/2, 1/2 1/2, 1/2 1/2, 1 1
a zero elsewhere by place: head/linear/drop
a(e1--1) b -2:nsubj-(e1--1) c(e2--1) d(e2--1) e
a(e1--1) b c(e2--1) d -2:nsubj-(e1--1) e(e2--1)
0 0, 1/4 1/4, 1/2 1/2, 1/2 1/2, 0 0, 1/8 1/8, 1/2 1/2, 0 0
the relation before the place: head/dependent/keep
a(e1--1) b -2:nsubj-(e1--1) -2:obj-(e2--1) c(e2--1)
a(e1--1) b -2:obj-(e1--1) -2:nsubj-(e2--1) c(e2--1)
0 0, 1/2 1/2, 1/2 1/2, 1/2 1/2, 0 0, 1/4 1/4, 1 1, 1 1
places that change hands: exact/dependent/keep
a(e1--1) b -1:x-(e1--1) -2:x-(e2--1) c(e2--1)
a(e1--1) b -3:y-(e2--1) -1:x-(e1--1) -2:x-(e1--1) c(e2--1)
1 2/3, 1 11/15, 9/10 9/10, 1 4/5, 1 3/5, 1 7/12, 1 4/5, 0 0
zeros left out: exact/none/keep
a(e1--1) b -2:nsubj-(e1--1) c(e1--1) d
a(e1--1) b -2:nsubj-(e2--1) c(e2--1) d(e1--1)
0 0, 1/2 1/2, 2/3 1/3, 1/2 1/3, 0 0, 0 0, 1 2/3, 0 0
a zero as head of more: partial/dependent/keep
a b(e1--2 -2:x- ce1) d(e1--1)
a b(e1--1 -2:x-e1) c d(e1--1)
1 1, 1 1, 1 1, 1 1, 1 1, 1 1, 3/4 1, 0 0
twice on either side: exact/linear/keep
a(e1--1)(e2--1) b(e1--1) c(e2--1) d
a(e1--1)(e2--1) b(e2--1) c(e1--1) d(e1--1)
1/2 1/3, 3/4 7/15, 9/10 9/10, 1 4/5, 1/2 1/5, 1/2 7/24, 1 4/5, 0 0
zeros with a wrong antecedent: head/dependent/keep
a(e1--1) b -2:nsubj-(e1--1) / c(e1--1) d -2:nsubj-(e1--1) -1:obj-(e1--1)
a(e2--1) b -2:nsubj-(e1--1) / c(e1--1) d -2:nsubj-(e1--1) -2:iobj-(e1--1)
3/4 1, 17/25 1, 8/9 4/9, 4/5 4/5, 3/5 4/5, 3/10 1/2, 1 1, 2/3 1
"""


def _scores(row: str) -> dict[str, tuple[float, float]]:
    pairs = [[float(Fraction(share)) for share in pair.split()] for pair in row.split(", ")]
    return {name: (pair[0], pair[1]) for name, pair in zip(METRICS, pairs, strict=True)}


_LINES = _TABLE.splitlines()
_ROWS = [_LINES[at : at + 4] for at in range(0, len(_LINES), 4)]
_TITLES = [head.split(": ") for head, *_ in _ROWS]
CASES = {
    name: (setting, key.replace(" / ", "\n"), response.replace(" / ", "\n"))
    for (name, setting), (_, key, response, _) in zip(_TITLES, _ROWS, strict=True)
}
EXPECTED = {name: _scores(row[-1]) for (name, _), row in zip(_TITLES, _ROWS, strict=True)}


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
