"""Hypothesis strategies for documents as the field's formats can carry them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corpora.generated import ODD, draw_span

LETTERS = st.characters(codec="utf-8", exclude_characters="\t\n\r\0", exclude_categories=["Cs"])
phrases = st.one_of(
    st.sampled_from([form for form in ODD if "\0" not in form]),
    st.text(LETTERS, min_size=1, max_size=6),
)
"""Text without tabs and line ends: blanks may stand in it, also at its ends."""
words = phrases.map(lambda text: "".join(text.split()) or "word")
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
    values = st.none() | words.filter(lambda text: text not in "-_*")
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
    values = st.none() | words.filter(lambda text: text not in ("_", "") and "|" not in text)
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
