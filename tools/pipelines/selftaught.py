"""A novel's persons by a pipeline's own reading, made consistent within the book.

A small pipeline errs on single sentences; over a book it is mostly right about a name. What most
readings of a word say is taken for all of them.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc, Token

from tools.pipelines import pipeline, raw
from tools.pipelines.clean import Words, trim
from tools.pipelines.sources import Sample, Span

LEAST = 3  # readings of a word, from which on they are believed
MOST = 0.6  # the share of them that must agree
SURE = 2  # places that show a word as a person's, from which on it is one
COMMON = 0.1  # of a word's uses in small letters, from which on it is no name


def book(
    nlp: Language,
    paragraphs: Sequence[str],
    words: Words,
    beside: bool = True,
    genitives: bool = False,
) -> list[Sample]:
    """The paragraphs with their persons; what the readings disagree on is unknown.

    `beside`: whether honorifics and verbs of saying beside a word tell that it is a person's.
    `genitives`: whether a known name with "s" behind it is one too, where the person ends.
    """
    with nlp.select_pipes(enable=list(pipeline.HOT)):
        docs = list(nlp.pipe(paragraphs, batch_size=64))
    kinds = _kinds(docs, words, beside)
    return [_sample(doc, kinds, words, genitives) for doc in docs]


def _kinds(docs: Sequence[Doc], words: Words, beside: bool) -> dict[str, str]:
    """Capitalised word -> the label ("" for none) that most readings give it inside a sentence."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    sure = Counter[str]()
    low = Counter(token.text for doc in docs for token in doc if token.text.islower())
    for doc in docs:
        for token in doc:
            if _capital(token) and not token.is_sent_start:
                votes[token.text][token.ent_type_] += 1
                sure[token.text] += _shown(token, words)
    kinds = {}
    for word, counted in votes.items():
        label, most = counted.most_common(1)[0]
        uses = counted.total()
        if uses >= LEAST and most >= MOST * uses:
            kinds[word] = label
        if beside and sure[word] >= SURE and counted["LOC"] < most:
            kinds[word] = "PER"
        if low[word.lower()] > COMMON * uses or word in words.never_names or word in words.titles:
            kinds[word] = ""
    return kinds


def _shown(token: Token, words: Words) -> bool:
    """Whether the words beside a name show a person: an honorific before it, a verb of saying."""
    before = token.nbor(-1) if token.i else None
    after = token.nbor(1) if token.i + 1 < len(token.doc) else None
    return (
        before is not None and (before.text in words.titles or before.text in words.speech_verbs)
    ) or (after is not None and after.text in words.speech_verbs)


def _capital(token: Token) -> bool:
    return len(token.text) > 1 and token.text[0].isupper() and token.text[1:].islower()


def _sample(doc: Doc, kinds: dict[str, str], words: Words, genitives: bool = False) -> Sample:
    """Runs of persons' words are persons, other names and what is rare are unknown."""
    spans: list[Span] = []
    unknown: list[tuple[int, int]] = []
    taken = set[int]()
    for start, end in _runs(doc, kinds, genitives):
        span = trim(doc.text, (doc[start].idx, doc[end - 1].idx + len(doc[end - 1]), "PER"), words)
        if span is not None:
            spans.append(span)
            taken |= set(range(start, end))
    for token in doc:
        if token.i in taken:
            continue
        agreed = kinds.get(token.text) == "" and not token.ent_type_
        if token.ent_type_ or (_capital(token) and not agreed and not token.is_sent_start):
            unknown.append((token.idx, token.idx + len(token)))
    return raw.with_starts(Sample(doc.text, tuple(spans), tuple(unknown)), words)


def _runs(doc: Doc, kinds: dict[str, str], genitives: bool) -> list[tuple[int, int]]:
    """Words of persons with at most a blank between, widened to the person read there."""
    runs: list[tuple[int, int]] = []
    for token in doc:
        genitive = genitives and token.text[-1] == "s" and kinds.get(token.text[:-1]) == "PER"
        if kinds.get(token.text) != "PER" and not genitive:
            continue
        start, end = token.i, token.i + 1
        for ent in doc.ents:
            if ent.label_ == "PER" and ent.start <= token.i < ent.end:
                start, end = ent.start, end if genitive else ent.end
        if runs and start <= runs[-1][1] and doc[runs[-1][1] - 1].whitespace_:
            runs[-1] = runs[-1][0], max(end, runs[-1][1])
        elif not runs or start >= runs[-1][1]:
            runs.append((start, end))
    return runs
