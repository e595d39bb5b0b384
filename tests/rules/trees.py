"""Utterances for tests, from words written as form/lemma/kind/head/relation.

`~` after the form: no blank follows. A kind is one of `KINDS`, with gender, number, person and
tense behind a dot, as the letters of `LETTERS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corefmill.corpora.records import Span, Token
from corefmill.rules import documents as surfaces
from corefmill.rules.rule import KeyedMention, Utterance, Written

KINDS = """
the:DET:Definite=Def|PronType=Art un:DET:Definite=Ind|PronType=Art art:DET:PronType=Art
def:DET:Definite=Def ind:DET:Definite=Ind det:DET: own:DET:Poss=Yes|PronType=Prs
poss:DET:Poss=Yes this:DET:PronType=Dem it:PRON:PronType=Dem who:PRON:PronType=Prs
clitic:PRON:Clitic=Yes|PronType=Prs cl:PRON:Clitic=Yes rel:PRON:PronType=Rel pron:PRON:
noun:NOUN: adj:ADJ: name:PROPN: v:VERB:Mood=Ind|VerbForm=Fin sub:VERB:Mood=Sub|VerbForm=Fin
imp:VERB:Mood=Imp|VerbForm=Fin part:VERB:VerbForm=Part inf:VERB:VerbForm=Inf verb:VERB:
aux:AUX:Mood=Ind|VerbForm=Fin auxsub:AUX:Mood=Sub|VerbForm=Fin been:AUX:VerbForm=Part
ger:AUX:VerbForm=Ger prep:ADP: that:SCONJ: and:CCONJ: adv:ADV: not:ADV:PronType=Neg
num:NUM:NumType=Card punct:PUNCT:"""
LETTERS = """
m:Gender=Masc f:Gender=Fem s:Number=Sing p:Number=Plur 1:Person=1 2:Person=2 3:Person=3
r:Tense=Pres i:Tense=Imp"""
_KINDS = {name: rest for name, *rest in (kind.split(":") for kind in KINDS.split())}
_FEATURES = dict(letter.split(":") for letter in LETTERS.split())


def cases(words: str, table: str) -> list[tuple[str, str]]:
    """Pairs of words and the text that rules make of them, one for each row of a table.

    Rows are separated by `; ` and have `|` between their cells: those that fill the {} of the
    words, and the text.
    """
    rows = (row.split("|") for row in table.split("; "))
    return [(words.format(*cells), text) for *cells, text in rows]


def utterance(
    words: str, mentions: Iterable[tuple[str, int, int]] = (), **written: str
) -> Utterance:
    """`written` gives the form of a written token by its words, `w2_3="del"` for the words 2 and 3,
    counted from 1."""
    tokens = []
    for word in words.split():
        form, lemma, kind, head, deprel = word.split("/")
        name, _, letters = kind.partition(".")
        upos, feats = _KINDS[name]
        shown = [*feats.split("|"), *(_FEATURES[letter] for letter in letters)]
        tokens.append(
            Token(
                form.removesuffix("~"),
                lemma=lemma,
                upos=upos,
                feats="|".join(sorted(filter(None, shown))) or None,
                head=int(head),
                deprel=deprel,
                space_after=not form.endswith("~"),
            )
        )
    ranges = []
    for place, form in written.items():
        first, last = map(int, place[1:].split("_"))
        ranges.append(Written(first - 1, last, form))
    return Utterance(
        tuple(tokens), tuple(KeyedMention(*mention) for mention in mentions), tuple(ranges)
    )


@dataclass(frozen=True, slots=True)
class Surface:
    """An utterance as written: its text, its tokens' characters, and each word's token."""

    text: str
    tokens: tuple[Span, ...]
    token_of: tuple[int, ...]

    def characters(self, start: int, end: int) -> Span:
        """The characters of the written tokens that hold any of the words [start, end)."""
        return self.tokens[self.token_of[start]][0], self.tokens[self.token_of[end - 1]][1]


def surface(utterance: Utterance) -> Surface:
    """The utterance as written; `Surface.text` is `corefmill.rules.rule.text` of it."""
    starts = {written.start: written for written in utterance.written}
    text = ""
    spans: list[Span] = []
    owner: list[int] = []
    at = 0
    while at < len(utterance.tokens):
        held = starts.get(at)
        end = held.end if held else at + 1
        form = held.form if held else utterance.tokens[at].form
        owner += [len(spans)] * (end - at)
        spans.append((len(text), len(text) + len(form)))
        text += form + " " * utterance.tokens[end - 1].space_after
        at = end
    return Surface(text.removesuffix(" "), tuple(spans), tuple(owner))


def from_text(
    text: str,
    words: Sequence[Token],
    spans: Sequence[Span],
    mentions: Iterable[tuple[str, int, int]] = (),
) -> Utterance:
    """The utterance of a text; mentions are (key, start, end) in characters."""
    utterance, pieces = surfaces.from_text(text, words, spans)
    return replace(utterance, mentions=tuple(surfaces.mention(*one, pieces) for one in mentions))
