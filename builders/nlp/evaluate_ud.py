"""Scores of tokens, tags and trees by the rules of the CoNLL 2018 shared task (Zeman et al. 2018).

Gold and system words are aligned on the characters of the text, white space aside:
1. Outside multiword tokens, two words match if they cover the same characters.
2. A range that a multiword token of either side covers is taken whole, with all words inside;
   there, the longest common subsequence of lower-case forms matches.
Each score is an F1: right over all words (tokens, sentences) of the system, and of the gold
standard. UFeats are compared over the universal features only, LAS without subtypes ("nsubj:pass"
is nsubj), and a lemma that the gold standard leaves open ("_") is right whatever it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from corefmill.builders.nlp.counts import NONE, MatchCounts
from corefmill.builders.nlp.ud_words import Side, Word

UNIVERSAL = frozenset(
    (
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy"),
        *("Number", "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice"),
        *("Evident", "Polarity", "Person", "Polite"),
    )
)
METRICS = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
_Counts = TypeVar("_Counts", MatchCounts, MatchCounts | None)
_NEEDS = {
    "UPOS": "upos",
    "XPOS": "xpos",
    "UFeats": "feats",
    "Lemmas": "lemma",
    "UAS": "head",
    "LAS": "head",
}


@dataclass(slots=True)
class Scores:
    """Counts by metric, by relation (subtypes apart) and by feature; None: the system has none.

    A relation counts as right with the same head and the same subtype. "nsubj PRON" is the
    relation on pronouns alone.
    """

    metrics: dict[str, MatchCounts | None]
    relations: dict[str, MatchCounts]
    features: dict[str, MatchCounts]


def evaluate(texts: Iterable[tuple[Side, Side]]) -> Scores:
    """The scores over several texts, each given as its gold and its system side.

    What the system says nothing of in any text has no score.
    """
    whole = Scores({}, {}, {})
    lacks: frozenset[str] | None = None
    for gold, system in texts:
        part = score(gold, system)
        _add(whole.metrics, part.metrics)
        _add(whole.relations, part.relations)
        _add(whole.features, part.features)
        if system.words:
            lacks = system.lacks if lacks is None else lacks & system.lacks
    for metric, column in _NEEDS.items():
        if lacks and column in lacks:
            whole.metrics[metric] = None
    return Scores(
        {metric: whole.metrics.get(metric, NONE) for metric in METRICS},
        {} if lacks and "head" in lacks else dict(sorted(whole.relations.items())),
        {} if lacks and "feats" in lacks else dict(sorted(whole.features.items())),
    )


def _add(into: MutableMapping[str, _Counts], new: Mapping[str, _Counts]) -> None:
    for key, counts in new.items():
        before = into.get(key)
        into[key] = counts if before is None or counts is None else before.plus(counts)


def score(gold: Side, system: Side) -> Scores:
    """The scores of one text, of which both sides have the same characters."""
    pairs = list(aligned(gold.words, system.words))
    twin = {s: g for g, s in pairs}

    def same_head(g: int, s: int) -> bool:
        above, head = system.words[s].head, gold.words[g].head
        if above is None or head is None:
            return above is head
        return twin.get(above) == head

    both = [(gold.words[g], system.words[s]) for g, s in pairs]
    under = [(gold.words[g], system.words[s]) for g, s in pairs if same_head(g, s)]
    right = {
        "Words": len(pairs),
        "UPOS": sum(a.upos == b.upos for a, b in both),
        "XPOS": sum(a.xpos == b.xpos for a, b in both),
        "UFeats": sum(_universal(a) == _universal(b) for a, b in both),
        "Lemmas": sum(a.lemma in ("", b.lemma) for a, b in both),
        "UAS": len(under),
        "LAS": sum(_bare(a.deprel) == _bare(b.deprel) for a, b in under),
    }
    return Scores(
        {
            "Tokens": _spans(gold.tokens, system.tokens),
            "Sentences": _spans(gold.sentences, system.sentences),
            **{
                metric: MatchCounts(count, len(system.words), len(gold.words))
                for metric, count in right.items()
            },
        },
        _compared(_relations, gold.words, system.words, under),
        _compared(_features, gold.words, system.words, both),
    )


def aligned(gold: Sequence[Word], system: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Which words are the same, as indices into both sides, in order."""
    g = s = 0
    while g < len(gold) and s < len(system):
        ours, theirs = gold[g], system[s]
        if not (ours.multiword or theirs.multiword):
            if ours.span == theirs.span:
                yield g, s
                g, s = g + 1, s + 1
            elif ours.start <= theirs.start:
                g += 1
            else:
                s += 1
        # A word that began before the multiword token is outside its range.
        elif not ours.multiword and ours.start < theirs.start:
            g += 1
        elif not theirs.multiword and theirs.start < ours.start:
            s += 1
        else:
            g_end, s_end = _range_end(gold, system, g, s)
            yield from _common(gold, system, range(g, g_end), range(s, s_end))
            g, s = g_end, s_end


def _range_end(gold: Sequence[Word], system: Sequence[Word], g: int, s: int) -> tuple[int, int]:
    """Where the range that a multiword token at `g` or `s` opens ends, on both sides.

    Words are taken in the order in which they begin; a further multiword token that begins inside
    lengthens the range.
    """
    end = gold[g].end if gold[g].multiword else system[s].end

    def inside(words: Sequence[Word], at: int) -> bool:
        if at == len(words):
            return False
        return words[at].start < end if words[at].multiword else words[at].end <= end

    while inside(gold, g) or inside(system, s):
        ours = s == len(system) or (g < len(gold) and gold[g].start <= system[s].start)
        word = gold[g] if ours else system[s]
        if word.multiword:
            end = max(end, word.end)
        g, s = (g + 1, s) if ours else (g, s + 1)
    return g, s


def _common(
    gold: Sequence[Word], system: Sequence[Word], of_gold: range, of_system: range
) -> Iterator[tuple[int, int]]:
    """The longest common subsequence of forms within two ranges."""
    ours = [gold[g].form.lower() for g in of_gold]
    theirs = [system[s].form.lower() for s in of_system]
    # longest[i][j]: of ours[i:] and theirs[j:]
    longest = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(theirs))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if ours[i] == theirs[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            yield of_gold[i], of_system[j]
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1


def _spans(gold: Iterable[tuple[int, int]], system: Iterable[tuple[int, int]]) -> MatchCounts:
    ours, theirs = Counter(gold), Counter(system)
    return MatchCounts((ours & theirs).total(), theirs.total(), ours.total())


def _bare(relation: str) -> str:
    return relation.partition(":")[0]


def _features(word: Word) -> dict[str, str]:
    pairs = (feature.partition("=") for feature in word.feats.split("|") if "=" in feature)
    return {name: value for name, _, value in pairs}


def _universal(word: Word) -> dict[str, str]:
    return {name: value for name, value in _features(word).items() if name in UNIVERSAL}


def _relations(word: Word) -> dict[str, str]:
    """The word's relation, and that of a pronoun once more by itself."""
    names = [word.deprel, f"{word.deprel} PRON"] if word.upos == "PRON" else [word.deprel]
    return dict.fromkeys(names, "")


def _compared(
    keys: Callable[[Word], Mapping[str, str]],
    gold: Iterable[Word],
    system: Iterable[Word],
    both: Iterable[tuple[Word, Word]],
) -> dict[str, MatchCounts]:
    """By key: how many words of each side have it, and how many pairs with the same value."""
    ours, theirs = (Counter(key for word in side for key in keys(word)) for side in (gold, system))
    right = Counter[str]()
    for a, b in both:
        mine, other = keys(a), keys(b)
        right.update(key for key in mine if mine[key] == other.get(key))
    return {key: MatchCounts(right[key], theirs[key], ours[key]) for key in ours | theirs}
