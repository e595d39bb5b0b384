"""The measures of the CoNLL 2018 shared task (Zeman et al. 2018): words aligned, then compared.

Words outside multiword tokens match where they cover the same characters (white space aside);
inside stretches that hold a multiword token on either side they are aligned by the longest common
subsequence of their lower-case forms. Every score is an F1 over the words of both sides.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_UNIVERSAL = """
    PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm
    Mood Tense Aspect Voice Evident Polarity Person Polite
"""
UNIVERSAL = frozenset(_UNIVERSAL.split())
"""The features that UFeats compares; all others are left out on both sides."""


@dataclass(frozen=True)
class Word:
    """A word of either side; `start`, `end` are those of its written token, white space aside."""

    start: int
    end: int
    multiword: bool
    form: str
    lemma: str
    upos: str
    feats: str
    head: int  # index among the words of its side; -1 for a root
    deprel: str


Pairs = list[tuple[int, int]]
Counts = tuple[int, int, int]  # right, found, gold


def align(gold: Sequence[Word], found: Sequence[Word]) -> Pairs:
    """Indices of matching words."""
    pairs: Pairs = []
    g = f = 0
    while g < len(gold) and f < len(found):
        if gold[g].multiword or found[f].multiword:
            g_end, f_end = _stretch(gold, found, g, f)
            pairs += _common(gold, found, (g, g_end), (f, f_end))
            g, f = g_end, f_end
        elif (gold[g].start, gold[g].end) == (found[f].start, found[f].end):
            pairs.append((g, f))
            g, f = g + 1, f + 1
        elif gold[g].start <= found[f].start:
            g += 1
        else:
            f += 1
    return pairs


def _stretch(gold: Sequence[Word], found: Sequence[Word], g: int, f: int) -> tuple[int, int]:
    """Past the last word of the stretch that the multiword token at hand belongs to."""
    end = gold[g].end if gold[g].multiword else found[f].end
    if not gold[g].multiword:
        while g < len(gold) and gold[g].end <= found[f].start:
            g += 1
    elif not found[f].multiword:
        while f < len(found) and found[f].end <= gold[g].start:
            f += 1
    while True:
        if g < len(gold) and gold[g].start < end:
            end = max(end, gold[g].end) if gold[g].multiword else end
            g += 1
        elif f < len(found) and found[f].start < end:
            end = max(end, found[f].end) if found[f].multiword else end
            f += 1
        else:
            return g, f


def _common(
    gold: Sequence[Word], found: Sequence[Word], gs: tuple[int, int], fs: tuple[int, int]
) -> Pairs:
    """The longest common subsequence of forms, by the usual table."""
    g, f = gold[slice(*gs)], found[slice(*fs)]
    best = [[0] * (len(f) + 1) for _ in range(len(g) + 1)]
    for i in reversed(range(len(g))):
        for j in reversed(range(len(f))):
            same = g[i].form.lower() == f[j].form.lower()
            step = 1 + best[i + 1][j + 1] if same else 0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], step)
    pairs: Pairs = []
    i = j = 0
    while i < len(g) and j < len(f):
        if g[i].form.lower() == f[j].form.lower():
            pairs.append((gs[0] + i, fs[0] + j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def features(word: Word) -> frozenset[str]:
    """The universal features of a word."""
    return frozenset(f for f in word.feats.split("|") if f.split("=")[0] in UNIVERSAL)


def bare(deprel: str) -> str:
    """A relation without its subtype, a root in lower case."""
    return deprel.split(":")[0].lower()


class Tally:
    """Sums right, found and gold over documents, for every measure."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.gold: Counter[str] = Counter()

    def add(self, gold: Sequence[Word], found: Sequence[Word]) -> None:
        """One document: all words of both sides, heads as indices within the document."""
        pairs = align(gold, found)
        partner = {f: g for g, f in pairs}
        for measure in ("words", "UPOS", "UFeats", "lemmas", "UAS", "LAS"):
            self.gold[measure] += len(gold)
            self.found[measure] += len(found)
        self.right["words"] += len(pairs)
        by_relation: tuple[tuple[str, Callable[[Word], bool]], ...] = (
            ("nsubj of pronouns", lambda w: bare(w.deprel) == "nsubj" and w.upos == "PRON"),
            ("nsubj", lambda w: bare(w.deprel) == "nsubj"),
            ("det:poss", lambda w: w.deprel == "det:poss"),
            ("det", lambda w: w.deprel == "det"),
            ("aux", lambda w: bare(w.deprel) == "aux"),
        )
        for name, is_it in by_relation:
            self.gold[name] += sum(map(is_it, gold))
            self.found[name] += sum(map(is_it, found))
        for name in ("Gender", "Number", "Person"):
            self.gold[name] += sum(f"{name}=" in w.feats for w in gold)
            self.found[name] += sum(f"{name}=" in w.feats for w in found)
        for g, f in pairs:
            a, b = gold[g], found[f]
            head = partner.get(b.head, -2) if b.head >= 0 else -1
            attached = head == a.head
            self.right["UPOS"] += a.upos == b.upos
            self.right["UFeats"] += features(a) == features(b)
            self.right["lemmas"] += a.lemma == b.lemma or a.lemma == "_"
            self.right["UAS"] += attached
            self.right["LAS"] += attached and bare(a.deprel) == bare(b.deprel)
            for name, is_it in by_relation:
                self.right[name] += attached and is_it(a) and is_it(b)
            for name in ("Gender", "Number", "Person"):
                value = {x for x in a.feats.split("|") if x.startswith(f"{name}=")}
                self.right[name] += bool(value) and value <= set(b.feats.split("|"))

    def counts(self, measure: str) -> Counts:
        """Right, found and gold of a measure."""
        return self.right[measure], self.found[measure], self.gold[measure]

    def f1(self) -> dict[str, float]:
        """F1 of every measure."""
        return {m: 2 * self.right[m] / max(1, self.found[m] + self.gold[m]) for m in self.gold}
