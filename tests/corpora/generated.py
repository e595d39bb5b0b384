"""Hypothesis strategies for records: of every kind, and documents as formats can carry them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Sentence,
    Source,
    Span,
    Token,
)

# White space of all sorts; some of it Python's `splitlines` takes for the end of a line.
GAPS = (*" \n\t\r\v\f\x1c\x85\u00a0\u2028\u3000", "  ", "\r\n")
# A pair outside the BMP, a combining accent, a joiner, right-to-left, vowel signs, a control.
ODD = (
    *("𝒜da", "👩\u200d🚀", "Jose\u0301", "שלום", "नमस्ते"),
    *("\x00", "\x7f", "[", "#", "_", "(0)", "\\", '"'),
)

strings = st.text(st.characters(codec="utf-8"), max_size=8)
words = st.one_of(
    st.sampled_from(ODD),
    strings.map(lambda text: "".join(text.split())).filter(bool),
)
metas = st.dictionaries(
    strings.filter(lambda key: key != "tokens"),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | strings,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=2,
)
places = st.just((None, None)) | st.tuples(st.integers(0, 1 << 40), st.integers(1, 1 << 20)).map(
    lambda place: (place[0], sum(place))
)
sources = st.builds(
    lambda title, page, paragraph, place: Source(title, page, paragraph, *place),
    strings,
    st.integers(0, 1 << 40),
    st.none() | st.integers(0, 1000),
    places,
)


@st.composite
def masked_examples(draw: st.DrawFn) -> MaskedExample:
    """Examples that every form can carry, but for their candidates; a word is a token."""
    parts = ["A" + draw(words), *draw(st.lists(words, min_size=2, max_size=9))]
    text, tokens = "", []
    for part in parts:
        tokens.append((len(text), len(text) + len(part)))
        text += part + draw(st.sampled_from(GAPS))
    cuts = draw(st.sets(st.integers(1, len(parts) - 1), max_size=2))
    borders = [0, *sorted(cuts), len(parts)]
    sentences = [(tokens[first][0], tokens[last - 1][1]) for first, last in pairwise(borders)]
    candidates = draw(st.lists(strings, min_size=2, max_size=4, unique=True))
    label = draw(st.none() | st.integers(0, len(candidates) - 1))
    own = len(candidates) if label is None else label
    target, *mentions = draw(_bracketed(sentences, tokens, own, len(candidates)))
    meta = draw(metas)
    if draw(st.booleans()):
        meta["tokens"] = [list(token) for token in tokens]
    return MaskedExample(
        id=draw(strings),
        lang=draw(strings),
        text=text,
        sentences=tuple(sentences),
        target=target[1:],
        candidates=tuple(candidates),
        mentions=tuple(mentions),
        label=label,
        source=draw(sources),
        meta=meta,
    )


@st.composite
def _bracketed(
    draw: st.DrawFn, sentences: Sequence[Span], tokens: Sequence[Span], own: int, candidates: int
) -> list[tuple[int, int, int]]:
    """Mentions (cluster, start, end) that brackets can carry, the target's first."""
    chosen: list[tuple[int, int, int]] = []
    for number in range(draw(st.integers(1, 6))):
        start, end = draw(st.sampled_from(sentences))
        inside = [token for token in tokens if start <= token[0] < end]
        one, other = draw(st.sampled_from(inside)), draw(st.sampled_from(inside))
        left, right = min(one[0], other[0]), max(one[1], other[1])
        cluster = draw(st.integers(0, candidates - 1)) if number else own
        if any(
            (left, right) == (s, e)
            or (c == cluster and (left < s < right < e or s < left < e < right))
            for c, s, e in chosen
        ):
            continue
        chosen.append((cluster, left, right))
    return chosen


NAMES = ("Anna", "Zoë", "Jose\u0301", "𝒜da", "Jean-Luc Picard", "O'Neil", "李明", "שרה", "Ann (II)")


@st.composite
def named_examples(draw: st.DrawFn) -> MaskedExample:
    """Examples with a right answer, and candidates that the five-line form can carry."""
    candidates = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    label = draw(st.integers(0, len(candidates) - 1))
    return replace(draw(masked_examples()), candidates=tuple(candidates), mentions=(), label=label)


def draw_span(draw: st.DrawFn, length: int) -> Span:
    start = draw(st.integers(0, length - 1))
    return start, draw(st.integers(start + 1, length))


_spans = st.composite(draw_span)


@st.composite
def event_mentions(draw: st.DrawFn) -> EventMention:
    text = draw(strings.filter(bool))
    start, end = draw(_spans(len(text)))
    texts = ("id", "lang", "cluster", "cluster_title", "event_type", "infobox")
    some: dict[str, Any] = {name: draw(strings) for name in texts}
    some |= {name: draw(st.none() | strings) for name in ("lemma", "pos", "ner")}
    return EventMention(
        **some,
        text=text,
        start=start,
        end=end,
        source=draw(sources),
        head=draw(st.none() | _spans(len(text))),
        parts=tuple(draw(st.lists(_spans(len(text)), max_size=2))),
        meta=draw(metas),
    )


_tokens = st.builds(
    Token,
    form=strings,
    lemma=st.none() | strings,
    feats=st.none() | strings,
    head=st.none() | st.integers(0, 1),
    ner=st.none() | strings,
    space_after=st.booleans(),
)
_sentences = st.builds(
    Sentence, st.lists(_tokens, min_size=1, max_size=4).map(tuple), st.none() | strings
)


@st.composite
def _mentions(draw: st.DrawFn, sentences: Sequence[Sentence]) -> Mention:
    number = draw(st.integers(0, len(sentences) - 1))
    length = len(sentences[number].tokens)
    if draw(st.booleans()):
        place = draw(st.integers(0, length))
        return Mention(number, place, place, zero=True)
    start, end = draw(_spans(length))
    return Mention(number, start, end, tuple(draw(st.lists(_spans(length), max_size=2))))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    sentences = tuple(draw(st.lists(_sentences, min_size=1, max_size=3)))
    cluster = st.lists(_mentions(sentences), max_size=3).map(tuple)
    text, offsets = None, None
    if draw(st.booleans()):
        text = " ".join(token.form or "x" for one in sentences for token in one.tokens) + "\n x"
        ends = iter(range(len(text)))
        offsets = tuple(tuple((at := next(ends), at + 1) for _ in one.tokens) for one in sentences)
    return Document(
        text=text,
        offsets=offsets,
        doc_id=draw(strings),
        part=draw(st.integers(0, 9)),
        lang=draw(strings),
        sentences=sentences,
        clusters=tuple(draw(st.lists(cluster, max_size=2))),
        meta=draw(metas),
    )


_PIECES = (b"\xff", b"\0", b"\r", b"\n", b"\xef\xbb\xbf", b"\xed\xa0\x80")


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """The bytes cut, with pieces lost, doubled or put in that no reader likes."""
    content = whole
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(content)))
        further = draw(st.integers(place, min(len(content), place + 200)))
        content = draw(
            st.sampled_from(
                [
                    content[:place],
                    content[:place] + content[further:],
                    content[:further] + content[place:],
                    *(content[:place] + piece + content[place:] for piece in _PIECES),
                    content.replace(b"\n", b"\r\n"),
                    content[:place] + b"x" * (1 << 20) + content[place:],
                ]
            )
        )
    return content


LETTERS = st.characters(codec="utf-8", exclude_characters="\t\n\r\0", exclude_categories=["Cs"])
phrases = st.one_of(
    st.sampled_from([form for form in ODD if "\0" not in form]),
    st.text(LETTERS, min_size=1, max_size=6),
)
"""Text without tabs and line ends: blanks may stand in it, also at its ends."""
solid = phrases.map(lambda text: "".join(text.split()) or "word")
"""Text without white space."""


@st.composite
def clusters(draw: st.DrawFn, lengths: Sequence[int]) -> tuple[tuple[Mention, ...], ...]:
    """Clusters in order of their first mention, no span named twice.

    Mentions of one cluster do not cross. `lengths` are those of the sentences.
    """
    chosen: dict[int, list[Mention]] = {}
    taken: set[tuple[int, int, int]] = set()
    for _ in range(draw(st.integers(0, 8)) if lengths else 0):
        number = draw(st.integers(0, len(lengths) - 1))
        start, end = draw_span(draw, lengths[number])
        cluster = chosen.setdefault(draw(st.integers(0, 3)), [])
        if (number, start, end) in taken:
            continue
        if any(
            m.sentence == number
            and (m.start < start < m.end < end or start < m.start < end < m.end)
            for m in cluster
        ):
            continue
        taken.add((number, start, end))
        cluster.append(Mention(number, start, end))
    found = [
        tuple(sorted(cluster, key=lambda m: (m.sentence, m.start, m.end)))
        for cluster in chosen.values()
        if cluster
    ]
    return tuple(sorted(found, key=_first))


def _first(cluster: Sequence[Mention]) -> tuple[int, int, bool, int]:
    """Where the cluster's first bracket stands; a mention of one word goes before longer ones."""
    return min((m.sentence, m.start, m.end - m.start > 1, -m.end) for m in cluster)


@st.composite
def conll_documents(draw: st.DrawFn) -> Document:
    """Documents that tab-separated CoNLL-2012 can carry, in its order."""
    values = st.none() | solid.filter(lambda text: text not in "-_*")
    sentences = []
    for _ in range(draw(st.integers(0, 3))):
        size = draw(st.integers(1, 5))
        tags = draw(st.lists(st.sampled_from([None, "PER", "ORG"]), min_size=size, max_size=size))
        tokens = [
            Token(
                draw(phrases),
                lemma=draw(values),
                xpos=draw(values),
                ner=tag and f"{draw(st.sampled_from('BI')) if tag == before else 'B'}-{tag}",
            )
            for tag, before in zip(tags, [None, *tags], strict=False)
        ]
        sentences.append(Sentence(tuple(tokens), draw(values)))
    return Document(
        doc_id=draw(phrases),
        part=draw(st.integers(0, 1000)),
        lang="xx",
        sentences=tuple(sentences),
        clusters=draw(clusters([len(sentence.tokens) for sentence in sentences])),
    )


@st.composite
def corefud_documents(draw: st.DrawFn) -> Document:
    """Documents that CoNLL-U with `Entity` can carry, in its order: zero and split mentions too."""
    values = st.none() | solid.filter(lambda text: text not in ("_", "") and "|" not in text)
    forms = phrases.filter(lambda text: "  " not in text and text != "_")
    sentences = []
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 5))
        parsed = draw(st.booleans())
        heads = st.integers(0, size) if parsed else st.none()
        columns = dict.fromkeys(("lemma", "upos", "xpos", "feats", "deprel", "ner"), values)
        token = st.builds(Token, forms, head=heads, space_after=st.booleans(), **columns)
        tokens = draw(st.lists(token, min_size=size, max_size=size))
        sentences.append(Sentence(tuple(tokens), draw(st.none() | forms)))
    lengths = [len(sentence.tokens) for sentence in sentences]
    chosen = [list(cluster) for cluster in draw(clusters(lengths))]
    for _ in range(draw(st.integers(0, 3))):
        number = draw(st.integers(0, len(lengths) - 1))
        mention = draw(_zero_or_split(number, lengths[number]))
        if mention not in [m for cluster in chosen for m in cluster] or mention.zero:
            joins = bool(chosen) and mention.zero and draw(st.booleans())
            chosen[-1:] = [chosen[-1] + [mention]] if joins else [*chosen[-1:], [mention]]
    ordered = sorted((sorted(c, key=_in_text) for c in chosen), key=lambda c: min(map(_opens, c)))
    return Document(
        doc_id=draw(phrases),
        part=draw(st.integers(0, 3)),
        lang="xx",
        sentences=tuple(sentences),
        clusters=tuple(map(tuple, ordered)),
    )


@st.composite
def _zero_or_split(draw: st.DrawFn, number: int, length: int) -> Mention:
    if length < 3 or draw(st.booleans()):
        place = draw(st.integers(0, length))
        return Mention(number, place, place, zero=True)
    start, gap, end = sorted(draw(st.lists(st.integers(0, length - 1), min_size=3, max_size=3)))
    if not start < gap < end:
        return Mention(number, length, length, zero=True)
    return Mention(number, start, end + 1, ((start, gap), (end, end + 1)))


def _in_text(mention: Mention) -> tuple[int, int, int]:
    return mention.sentence, mention.start, mention.end


def _opens(mention: Mention) -> tuple[int, int, bool, int]:
    """Where a mention's bracket stands in CorefUD; longer mentions go first."""
    end = mention.parts[0][1] if mention.parts else mention.end
    return mention.sentence, mention.start, not mention.zero, -end
