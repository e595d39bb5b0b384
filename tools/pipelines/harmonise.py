"""Brings the features of several treebanks of one language to the usage of some of them.

Treebanks of one language differ in how they mark the same words (Italian MarkIT gives "che" no
PronType and "si" a gender, VIT makes "siano" indicative). A word whose features the reference
treebanks never give to that form and part of speech takes those that they give it most often.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tools.pipelines.treebank import Sentence, Word

LEAST = 4  # occurrences in the reference, from which on it is believed
RARE = 0.04  # a share of a form's features in the reference below which they count as a slip
CLASS_SHARE = 0.97  # of a class of words that goes without gender, where it is then taken away

Usage = Mapping[tuple[str, str], Counter[str]]


def usage(sentences: Iterable[Sentence]) -> Usage:
    """(form in lower case, part of speech) -> how often it has which features."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word in sentence.words:
            found[word.form.lower(), word.upos][word.feats] += 1
    return found


def harmonise(
    parts: Mapping[str, Sequence[Sentence]], reference: Sequence[str]
) -> dict[str, list[Sentence]]:
    """The treebanks with the features of all but the `reference` parts adapted to those."""
    chosen = [s for name in reference for s in parts.get(name, ())]
    known = usage(chosen)
    bare = genderless(chosen)
    adapted = {}
    for name, sentences in parts.items():
        adapted[name] = [
            s
            if name in reference
            else replace(s, words=tuple(_word(w, known, bare) for w in s.words))
            for s in sentences
        ]
    return adapted


def genderless(sentences: Iterable[Sentence]) -> frozenset[str]:
    """Last letters of lemmas of adjectives that go without gender ("grande")."""
    with_gender, total = Counter[str](), Counter[str]()
    for sentence in sentences:
        for word in sentence.words:
            if word.upos == "ADJ" and word.lemma and word.form.lower()[-1:] in "ei":
                total[word.lemma[-1]] += 1
                with_gender[word.lemma[-1]] += "Gender=" in word.feats
    return frozenset(
        end for end, n in total.items() if n > 100 and 1 - with_gender[end] / n >= CLASS_SHARE
    )


def _word(word: Word, known: Usage, bare: frozenset[str]) -> Word:
    theirs = known.get((word.form.lower(), word.upos))
    if theirs is not None and theirs.total() >= LEAST:
        if theirs[word.feats] >= max(1, RARE * theirs.total()):
            return word
        return replace(word, feats=theirs.most_common(1)[0][0])
    if word.upos == "ADJ" and word.lemma[-1:] in bare and "Gender=" in word.feats:
        kept = [f for f in word.feats.split("|") if not f.startswith("Gender=")]
        return replace(word, feats="|".join(kept))
    return word
