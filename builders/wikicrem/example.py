"""Makes examples of a chosen draft, as the paper has them or with all candidates at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.table import plain
from corefmill.builders.wikicrem.confidence import confidence
from corefmill.corpora.formats.five_line import surface
from corefmill.corpora.records import MaskedExample, Source, Span

MakeExamples = Callable[[DraftContext, str], Iterator[MaskedExample]]
"""Makes the examples of a draft in a language; none where no form can hold its names."""


def clean(view: DraftContext, lang: str) -> Iterator[MaskedExample]:
    """One record: candidates in order of first mention, and what they link to in the article.

    Candidates stand as the view's `shown_names` has them. An elided word before the mask is written
    in full, else it would show how the name begins: "qu'[MASK]" is "que [MASK]". None for a name
    with a comma, which the five-line form cannot hold, or for names that would look the same.
    """
    shown = view.shown_names
    if any("," in name for name in shown.values()) or len(set(shown.values())) < len(shown):
        return
    first = {name.text: name.start for name in reversed(view.draft.names)}
    candidates = sorted(view.candidates, key=first.__getitem__)
    meta: dict[str, Any] = {"rule": view.draft.rule}
    if (sure := confidence(view)) is not None:
        meta["confidence"] = round(sure, 3)
    if links := _links(view, shown):
        meta["links"] = links
    meta["tokens"] = _tokens(view)
    label = candidates.index(view.draft.target.text)
    key = f"{view.article.key}-{view.paragraph.index}-{view.draft.target.start}"
    record = _record(view, key, lang, candidates, label, meta, shown)
    elided = view.elided_before
    yield _in_full(record, elided) if plain(elided) in view.table.elided_e else record


def paper(view: DraftContext, lang: str) -> Iterator[MaskedExample]:
    """A record for each wrong candidate, the right one first (paper, section 3).

    Names that the published form cannot tell apart, since it drops what is not ASCII, or cannot
    hold, since commas separate its candidates, give none.
    """
    answer = view.draft.target.text
    meta = {
        "rule": view.draft.rule,
        "tokens": _tokens(view),
    }
    for index, other in enumerate(view.draft.others):
        shown = {surface(name, ascii_only=True) for name in (answer, other)}
        if len(shown) < 2 or "" in shown or any("," in name for name in shown):
            continue
        key = f"{view.article.key}-{view.paragraph.index}-{view.draft.span[0]}"
        key += f"-{view.draft.target.start}-{index}"
        names = {answer: answer, other: other}
        yield _record(view, key, lang, [answer, other], 0, meta, names)


def _record(
    view: DraftContext,
    key: str,
    lang: str,
    candidates: Sequence[str],
    label: int,
    meta: dict[str, Any],
    shown: Mapping[str, str],
) -> MaskedExample:
    shift, _ = view.draft.span
    target = view.draft.target
    mentions = [
        (candidates.index(name.text), start - shift, end - shift)
        for name in view.draft.names
        for start, end in [name.mention]
        if name.text in candidates and name != target
    ]
    return MaskedExample(
        id=key,
        lang=lang,
        text=view.passage,
        sentences=tuple((start - shift, end - shift) for start, end in view.draft.sentences),
        target=(target.start - shift, target.end - shift),
        candidates=tuple(shown[name] for name in candidates),
        mentions=tuple(mentions),
        label=label,
        source=Source(
            view.article.title,
            view.article.page_id,
            view.paragraph.index,
            *view.paragraph.place(*view.draft.span),
        ),
        meta=meta | view.persons.gender(target.text).as_meta(),
    )


def _in_full(record: MaskedExample, elided: str) -> MaskedExample:
    """The record with its "e" given back to the word before the mask, and a blank behind; `meta`
    says how the text has it."""
    mask, _ = record.target

    def moved(span: Span) -> Span:
        start, end = span
        return start + (start >= mask), end + (end > mask)

    mentions = [(who, *moved((start, end))) for who, start, end in record.mentions]
    word = mask - len(elided), mask
    # A pipeline may have cut it from its apostrophe.
    tokens = (
        word if word[0] <= start < mask else (start, end) for start, end in record.meta["tokens"]
    )
    return replace(
        record,
        text=f"{record.text[: mask - 1]}e {record.text[mask:]}",
        sentences=tuple(map(moved, record.sentences)),
        target=moved(record.target),
        mentions=tuple(mentions),
        meta=record.meta | {"tokens": [*dict.fromkeys(map(moved, tokens))], "elided": elided},
    )


def _tokens(view: DraftContext) -> list[Span]:
    """The passage's tokens, counted from its start."""
    shift, _ = view.draft.span
    return [(start - shift, end - shift) for start, end in view.tokens]


def _links(view: DraftContext, shown: Mapping[str, str]) -> dict[str, str]:
    """Which article each candidate links to: in the passage, else anywhere in the article."""
    links: dict[str, str] = {}
    for candidate in view.candidates:
        here = (
            link.target
            for link in view.paragraph.links
            if any(
                link.start <= name.start and name.end <= link.end
                for name in view.mentions(candidate)
            )
        )
        target = next(here, None) or view.usage.anchors.get(candidate)
        if target and (title := view.article.title_of(target)):
            links[shown[candidate]] = title
    return links
