"""Whether a word that looks like a pronoun for one person is one: "sie" is she or they."""

from __future__ import annotations

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.reference_words import ReferenceWords

_NOBODY = ("expl", "case", "fixed", "mark", "cc")
"""The relations of "il" in "il faut", "il y a dix ans", and of "nim" that is "before"."""
_FINITE = "VerbForm=Fin"
_VERBS = ("cop", "aux")


def means_one(read: Analysis, index: int, words: ReferenceWords, *, opens: bool) -> bool:
    """Whether a word that may be a pronoun for one person is one, by its tag and its number.

    `index` is the word's; `opens` says whether it begins a sentence, where a capital says nothing.
    """
    form = read.form(index)
    if not words.is_ambiguous(form):
        return True
    if not read.upos or read.upos[index] not in ("PRON", "DET"):
        return False
    if read.deprel and read.deprel[index].split(":")[0] in _NOBODY:
        return False
    feats = set(read.feats[index].split("|")) if read.feats else set()
    owns = "Poss=Yes" in feats
    if form.lower() not in words.also_plural:
        return owns or "Number=Plur" not in feats
    if owns:  # its number is that of what is owned
        return "Number[psor]=Sing" in feats
    if "Person=2" in feats or (form[0].isupper() and not opens):
        return False  # a capital makes it the polite "you": "Sie"
    # No "they" of these languages looks like one in the dative.
    own = feats & {"Number=Sing", "Case=Dat"}
    number = _number_of_verb(read, index)
    return bool(own) if number is None else number == "Sing"


def _number_of_verb(read: Analysis, index: int) -> str | None:
    """The number of the finite verb of which a word is the subject, None where none is told."""
    if not read.deprel or not read.deprel[index].startswith("nsubj"):
        return None
    head = read.head[index]
    helping = [i for i, above in enumerate(read.head) if above == head and i != head]
    verbs = [head, *(i for i in helping if read.deprel[i].split(":")[0] in _VERBS)]
    told = [set(read.feats[i].split("|")) for i in verbs] if read.feats else []
    numbers = (
        feat.removeprefix("Number=")
        for feats in told
        if _FINITE in feats
        for feat in sorted(feats)
        if feat.startswith("Number=")
    )
    return next(numbers, None)
