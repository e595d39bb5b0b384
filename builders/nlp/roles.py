"""Find the role of a span in its sentence (subject, object, possessor) by a parse."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache

from corefmill.builders.nlp.backend import Analysis, Backend
from corefmill.corpora.files import disk
from corefmill.corpora.record_meta import OBJECTS, REFLEXIVE, SUBJECT, SpanSyntax, Step
from corefmill.corpora.records import Span

_LONGEST = 12
"""Longest path in words; roots of nested clauses are nearer."""
_REFLEX = "Reflex=Yes"


def find_roles(
    pipeline: Backend, texts: Iterable[tuple[str, Sequence[Span]]]
) -> Iterator[list[SpanSyntax | None]]:
    """Find the syntactic role of each span of each text, its sentence, and the path to the root.

    All coordinated names ("Ann and Eve") have the role of the first, a reflexive pronoun as object
    has `REFLEXIVE`. A span without words, or in a text without a parse, has None.
    """
    waiting: list[Sequence[Span]] = []  # spans of texts that the pipeline reads ahead

    def read() -> Iterator[str]:
        for text, spans in texts:
            waiting.append(spans)
            yield text

    for analysis in pipeline.full(read()):
        # A word with a subject heads a clause.
        having = {
            head
            for label, head in zip(analysis.deprel, analysis.head, strict=True)
            if _map_relation(label.lower()) == SUBJECT
        }
        yield [_find_role(analysis, span, having) for span in waiting.pop(0)]


def _find_role(analysis: Analysis, span: Span, having: Container[int]) -> SpanSyntax | None:
    """Find the role of one span; `having` are the words with a subject."""
    start, end = span
    inside = [i for i, (a, b) in enumerate(analysis.words) if a < end and start < b]
    if not inside or not analysis.deprel:
        return None
    head = next((i for i in inside if analysis.head[i] not in inside), inside[0])
    at = analysis.words[head][0]
    sentence = sum(first <= at for first, _ in analysis.sentences)
    role = _find_role_name(analysis, head)
    if role in OBJECTS and analysis.feats and _REFLEX in analysis.feats[head].split("|"):
        role = REFLEXIVE
    return SpanSyntax(role, sentence, _trace_path(analysis, head, having))


def _trace_path(analysis: Analysis, word: int, having: Container[int]) -> tuple[Step, ...]:
    """Collect the steps from a word up to its root, at most `_LONGEST`."""
    steps: list[Step] = []
    while len(steps) < _LONGEST:
        upos = analysis.upos[word] if analysis.upos else ""
        steps.append(Step(word, analysis.deprel[word].lower(), upos, word in having))
        if analysis.head[word] == word:
            break
        word = analysis.head[word]
    return tuple(steps)


def _find_role_name(analysis: Analysis, word: int) -> str:
    """Find the role of a word, of the first one for a coordinated word."""
    table = disk.read_package_table(__file__, "roles")
    for _ in analysis.head:  # no longer than the text, should heads go in a circle
        label = analysis.deprel[word].lower()
        if label.partition(":")[0] not in table["beside"] or analysis.head[word] == word:
            break
        word = analysis.head[word]
    return _map_relation(label)


@cache
def _map_relation(label: str) -> str:
    """Map a dependency relation to a role, with or without its subtype; others stay, without it."""
    plain = label.partition(":")[0]
    for role, labels in disk.read_package_table(__file__, "roles")["roles"].items():
        if label in labels or plain in labels:
            return str(role)
    return plain


def find_persons(pipeline: Backend, texts: Iterable[str]) -> Iterator[Sequence[str]]:
    """Find the names of persons in each text, for GAP's evaluation with found candidates."""
    for analysis in pipeline.names(texts):
        yield [
            analysis.text[one.start : one.end] for one in analysis.entities if one.label == "PERSON"
        ]


def find_nouns(pipeline: Backend, texts: Iterable[str]) -> Iterator[Sequence[str]]:
    """Find the longest runs of nouns and proper nouns in each text, as candidates of WNLI."""
    for analysis in pipeline.full(texts):
        runs: list[list[int]] = []
        for index, tag in enumerate(analysis.upos):
            if tag not in ("NOUN", "PROPN"):
                continue
            if runs and runs[-1][-1] == index - 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        spans = [(analysis.words[run[0]][0], analysis.words[run[-1]][1]) for run in runs]
        yield [analysis.text[start:end] for start, end in spans]
