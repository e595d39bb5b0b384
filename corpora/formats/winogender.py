"""Winogender: sentences with an occupation, another participant and a pronoun of each gender.

1. The table of sentences has the header `sentid sentence`, separated by a tab. The templates have
   `occupation(0) other-participant(1) answer sentence`.
2. A sentid is `occupation.participant.answer.gender.txt`: `chef.guest.1.female.txt`. The answer is
   0 for the occupation and 1 for the participant, the gender male, female or neutral.
3. The candidates are occupation and participant, in this order, as they stand in the sentence with
   their article: `The chef` and `the guest`, or `someone`. They replace the pronoun as they are;
   a bare `chef` would not. Each stands in the sentence once, or the line is an error.
4. The target is the one word of the sentence that is a pronoun of the sentid's gender (`he his him
   himself`, `she her hers herself`, `they their them theirs themselves`); none or two are an error.
5. A template makes six sentences: participant and then `someone`, each male, female, neutral.
   `someone` takes no article, and after `they` a `was` becomes `were`. `$NOM_PRONOUN`,
   `$POSS_PRONOUN`, `$ACC_PRONOUN` stand for the pronoun, `$OCCUPATION` and `$PARTICIPANT` for the
   two; each template has one pronoun and both of these. So read, the released templates are the
   released sentences, and occupations of one's own make sentences of one's own.
6. The id is the sentid. The writer writes what rules 2 to 4 would read as the same candidates,
   target and label, and refuses the rest. Templates are read only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from corefmill.corpora.errors import naming
from corefmill.corpora.formats import tsv
from corefmill.corpora.formats.candidates import masked_example
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.records import MaskedExample, Span

SENTENCES = ("sentid", "sentence")
TEMPLATES = ("occupation(0)", "other-participant(1)", "answer", "sentence")

_PRONOUNS = {
    "male": ("he", "his", "him", "himself"),
    "female": ("she", "her", "her", "hers", "herself"),
    "neutral": ("they", "their", "them", "theirs", "themselves"),
}
_PLACES = ("$NOM_PRONOUN", "$POSS_PRONOUN", "$ACC_PRONOUN")
_ARTICLES = r"(?:(?:the|an?) )?"


def read(path: Path, lang: str = "en") -> Located:
    """Streams the sentences with their lines; raises `DataError` where a rule is broken."""
    return tsv.examples(path, lambda cells: _example(cells[0], cells[1], lang), SENTENCES)


def _example(sentid: str, sentence: str, lang: str) -> MaskedExample:
    match = re.fullmatch(
        r"([^.]{1,200})\.([^.]{1,200})\.([01])\.(male|female|neutral)\.txt", sentid
    )
    if match is None:
        raise ValueError(f"sentid {sentid[:60]!r} is not occupation.participant.answer.gender.txt")
    occupation, participant, answer, gender = match.groups()
    pronoun = rf"\b(?:{'|'.join(_PRONOUNS[gender])})\b"
    target = _only(pronoun, sentence, f"{gender} pronoun")
    # The candidates as rule 3 has them, with their articles.
    spans = [
        _only(rf"\b{_ARTICLES}{re.escape(person)}\b", sentence, person)
        for person in (occupation, participant)
    ]
    candidates = [sentence[start:end] for start, end in spans]
    mentions = [(number, *span) for number, span in enumerate(spans)]
    return masked_example(
        sentid, lang, sentence, target, candidates, int(answer), mentions=mentions
    )


def _only(pattern: str, sentence: str, what: str) -> Span:
    found = [match.span() for match in re.finditer(pattern, sentence, re.IGNORECASE)]
    if len(found) != 1:
        raise ValueError(f"{what} stands {len(found)} times in the sentence, not once")
    return found[0]


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes the sentences and returns their number; raises `DataError` by rule 6."""
    return tsv.write(path, SENTENCES, examples, _rows)


def _rows(example: MaskedExample) -> Iterator[list[str]]:
    again = _example(example.id, example.text, example.lang)
    for field in ("candidates", "target", "label"):
        if getattr(again, field) != getattr(example, field):
            raise ValueError(f"its id and text say another {field}")
    yield [example.id, example.text]


def read_templates(path: Path, lang: str = "en") -> Located:
    """Streams the six sentences of each template (rule 5), each with the template's line."""
    rows = tsv.read(path, TEMPLATES)
    next(rows)
    for number, (occupation, other, answer, template) in rows:
        for participant in (other, "someone"):
            for gender in _PRONOUNS:
                sentid = f"{occupation}.{participant}.{answer}.{gender}.txt"
                with naming(path, number):
                    sentence = _filled(template, occupation, participant, gender)
                    yield number, _example(sentid, sentence, lang)


def _filled(template: str, occupation: str, participant: str, gender: str) -> str:
    for place in ("$OCCUPATION", "$PARTICIPANT"):
        if template.count(place) != 1:
            raise ValueError(f"{place} stands {template.count(place)} times, not once")
    if sum(template.count(place) for place in _PLACES) != 1:
        raise ValueError(f"the template has not one pronoun of {' '.join(_PLACES)}")
    sentence = template
    for place, pronoun in zip(_PLACES, _PRONOUNS[gender], strict=False):
        sentence = sentence.replace(place, pronoun)
    if gender == "neutral":
        sentence = sentence.replace("they was ", "they were ")
    sentence = sentence.replace("$OCCUPATION", occupation)
    if participant == "someone":
        sentence = re.sub(r"\b(?:The|An?) \$PARTICIPANT", "Someone", sentence)
        sentence = re.sub(r"\b(?:the|an?) \$PARTICIPANT", "someone", sentence)
    return sentence.replace("$PARTICIPANT", participant)


FORMAT = Format(
    name="winogender",
    schema="masked-example/1",
    summary="Winogender's sentences, with the candidates in their ids",
    suffix=".tsv",
    read=read,
    write=write,
    suits=lambda name, head: head.startswith("\t".join(SENTENCES)),
    by_line=True,
)

MADE_FROM_TEMPLATES = Format(
    name="winogender-templates",
    schema="masked-example/1",
    summary="Winogender's templates, each read as its six sentences",
    suffix=".tsv",
    read=read_templates,
    write=None,
    suits=lambda name, head: head.startswith("\t".join(TEMPLATES)),
)
