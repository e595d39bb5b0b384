"""The cases of the reference scorer's own tests, as sets, with all counts.

A letter is a mention, a word an entity: `a bc def` is {a} {b c} {d e f}. Counts are recall's
numerator and denominator, then precision's; of BLANC first those of coreference links, then those
of the others. Its suite gives shares for some of these. The counts here are our own; scorer 8.01
gives the same on every case.
"""

from __future__ import annotations

import re

METRICS = ("muc", "bcub", "ceafe", "ceafm", "blanc")

# name: key > response: the counts of METRICS in turn
_TABLE = """
# The response is the key, lacks mentions, adds some, or both.
A1: a bc def > a bc def: 3 3 3 3, 6 6 6 6, 3 3 3 3, 6 6 6 6, 4 4 4 4 11 11 11 11
A3: a bc def > a bcx defy z: 3 3 3 5, 6 6 55/12 9, 93/35 3 93/35 4, 6 6 6 9, 4 4 4 9 11 11 11 27
# B is another mention than b, which overlaps it.
A5: a bc def > a bcxB dy z: 1 3 1 4, 10/3 6 5/2 8, 31/15 3 31/15 4, 4 6 4 8, 1 4 1 7 5 11 5 21
# b stands twice or more in the response.
A7: a bc def > a bcxb dy z: 1 3 1 3, 10/3 6 17/6 7, 11/5 3 11/5 4, 4 6 4 7, 1 4 1 4 5 11 5 17
A9: a bc def > a bcx dy bbbbbbbbbbz:
    1 3 1 3, 10/3 6 17/6 7, 11/5 3 11/5 4, 4 6 4 7, 1 4 1 4 5 11 5 17
# Singletons only, or one entity; of the key's mentions, then of others too.
A10: a bc def > a b c d e f: 0 3 0 0, 3 6 6 6, 13/6 3 13/6 6, 3 6 3 6, 0 4 0 0 11 11 11 15
A11: a bc def > abcdef: 3 3 3 5, 6 6 7/3 6, 2/3 3 2/3 1, 3 6 3 6, 4 4 4 15 0 11 0 0
A13: a bc def > axycdez: 1 3 1 6, 17/6 6 6/7 7, 2/5 3 2/5 1, 2 6 2 7, 1 4 1 21 0 11 0 0
# A link of the response that the key says is none.
B1: ab cde > bcx de: 1 3 1 3, 13/6 5 8/3 5, 6/5 2 6/5 2, 3 5 3 5, 1 4 1 4 2 6 2 6
# From the paper on B3: a small entity or a large one is merged with another.
D1: 12345 67 89ABC > 12345 6789ABC:
    9 9 9 10, 12 12 64/7 12, 11/6 3 11/6 2, 10 12 10 12, 21 21 21 31 35 45 35 35
E1: 12345 67 89ABC > 1234589ABC 67:
    9 9 9 10, 12 12 7 12, 5/3 3 5/3 2, 7 12 7 12, 21 21 21 46 20 45 20 20
# From the paper on MUC.
F1: ABCD > AB CD: 2 3 2 2, 2 4 4 4, 2/3 1 2/3 2, 2 4 2 4, 2 6 2 2 0 0 0 4
G1: AB CD > ABCD: 2 2 2 3, 4 4 2 4, 2/3 2 2/3 1, 2 4 2 4, 2 2 2 6 0 4 0 0
K1: BCDEGHJ > ABC DEF GHI: 3 6 3 6, 12/7 7 4 9, 2/5 1 2/5 3, 2 7 2 9, 3 21 3 9 0 0 0 27
L1: ABC DEFG > AB CD FGH: 2 5 2 4, 35/12 7 13/3 7, 48/35 2 48/35 3, 4 7 4 7, 2 9 2 5 8 12 8 16
# A key without non-coreference links.
M1: abcdef > abcdef: 5 5 5 5, 6 6 6 6, 1 1 1 1, 6 6 6 6, 15 15 15 15 0 0 0 0
M3: abcdef > ab cde f: 3 5 3 3, 7/3 6 6 6, 2/3 1 2/3 3, 3 6 3 6, 4 15 4 4 0 0 0 11
M6: abcdef > ab cxy z: 1 5 1 3, 5/6 6 7/3 6, 1/2 1 1/2 3, 2 6 2 6, 1 15 1 4 0 0 0 11
# A key without coreference links.
N1: a b c d e f > a b c d e f: 0 0 0 0, 6 6 6 6, 6 6 6 6, 6 6 6 6, 0 0 0 0 15 15 15 15
N3: a b c d e f > ab cde f: 0 0 0 3, 6 6 3 6, 13/6 6 13/6 3, 3 6 3 6, 0 0 0 4 11 15 11 11
N6: a b c d e f > ab cxy z: 0 0 0 3, 3 6 4/3 6, 7/6 6 7/6 3, 2 6 2 6, 0 0 0 4 2 15 2 11
"""

CASES: dict[str, tuple[str, str, list[str]]] = {
    name: (key, response, counts.split(", "))
    for name, key, response, counts in re.findall(r"(?m)^(\w+): (.*) > (.*):\s+(.*)$", _TABLE)
}
