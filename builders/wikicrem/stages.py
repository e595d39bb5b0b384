"""Run the method as a list of stages: the paper's section 3, and clean mode's filters.

A stage that needs the pipeline gathers the whole unit, since pipelines are fast in batches only.

Most repeated words of an article do not name persons, but its subject, places, bodies or things. So
clean mode reads a few paragraphs at first, then twice as many, and so on. It stops looking for a
repeated word that the recogniser has read several times and never taken for a person's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.builders.nlp import WIKI, Analysis, Backend, load_wiki_pipeline
from corefmill.builders.persons import table
from corefmill.builders.persons.drafts import DraftContext, draft_by_paper, draft_nearest
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.name_filters import ViewFilter
from corefmill.builders.persons.names import extend_to_article, list_recognised
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prefilter import (
    Key,
    RecurringNames,
    cut_at_borders,
    find_windows,
    join_spans,
)
from corefmill.builders.persons.spread import relabel_surnames, spread_names
from corefmill.builders.persons.table import plain
from corefmill.builders.persons.usage import Usage
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wiki.article import Article, Passage, Redirect, prose
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.builders.wikicrem.confidence import doubtful, estimate_confidence, other_gender
from corefmill.builders.wikicrem.filters import ON_NAMES, SURFACE, SYNTAX
from corefmill.builders.wikicrem.options import WikicremOptions
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats.five_line import surface
from corefmill.corpora.records import MaskedExample, Source, Span

MakeExamples = Callable[[DraftContext, str], Iterator[MaskedExample]]
"""Makes the examples of a draft in a language; none if no output format can hold the names."""


def make_clean_example(view: DraftContext, lang: str) -> Iterator[MaskedExample]:
    """Make the record of a draft in clean mode, with all candidates in order of first mention.

    Candidates have their forms in the view's `shown_names`. An elided word before the mask is
    written in full, else it would show how the name begins: "qu'[MASK]" is "que [MASK]". No record
    is made behind another elided word ("l'[MASK]"), for a name with a comma, which the five-line
    form cannot hold, or for two equal forms.
    """
    shown, elided = view.shown_names, view.elided_before
    if any("," in name for name in shown.values()) or len(set(shown.values())) < len(shown):
        return
    if elided and plain(elided) not in view.table.elided_e:
        return
    first = {name.text: name.start for name in reversed(view.draft.names)}
    candidates = sorted(view.candidates, key=first.__getitem__)
    meta: dict[str, Any] = {"rule": view.draft.rule}
    if (sure := estimate_confidence(view)) is not None:
        meta["confidence"] = round(sure, 3)
    if other_gender(view):
        meta["other_gender"] = True
    links: dict[str, str] = {}
    for candidate in view.candidates:  # linked in the passage, or elsewhere in the article
        here = (
            link.target
            for link in view.paragraph.links
            for name in view.mentions(candidate)
            if link.start <= name.start and name.end <= link.end
        )
        target = next(here, None) or view.usage.anchors.get(candidate)
        if target and (title := view.article.title_of(target)):
            links[shown[candidate]] = title
    if links:
        meta["links"] = links
    record = _make_record(view, lang, candidates, view.draft.target.text, meta, shown)
    yield _write_in_full(record, elided) if elided else record


def make_paper_examples(view: DraftContext, lang: str) -> Iterator[MaskedExample]:
    """Make a record for each wrong candidate of a draft, the answer first (paper, section 3).

    No record is made for names that the published format cannot tell apart (it drops all but ASCII)
    or cannot hold (commas separate its candidates).
    """
    answer = view.draft.target.text
    for index, other in enumerate(view.draft.others):
        shown = {surface(name, ascii_only=True) for name in (answer, other)}
        if len(shown) < 2 or "" in shown or any("," in name for name in shown):
            continue
        names = {answer: answer, other: other}
        made = _make_record(view, lang, [*names], answer, {"rule": view.draft.rule}, names)
        key = f"{view.article.key}-{view.paragraph.index}-{view.draft.span[0]}"
        yield replace(made, id=f"{key}-{view.draft.target.start}-{index}")


def _make_record(
    view: DraftContext,
    lang: str,
    candidates: Sequence[str],
    answer: str,
    meta: dict[str, Any],
    forms: Mapping[str, str],
) -> MaskedExample:
    """Make the record of a draft, with its offsets counted from the passage's start."""
    shift, _ = view.draft.span
    target = view.draft.target
    mentions = [
        (candidates.index(name.text), start - shift, end - shift)
        for name in view.draft.names
        for start, end in [name.mention]
        if name.text in candidates and name != target
    ]
    tokens = [(start - shift, end - shift) for start, end in view.tokens]
    place = view.paragraph.place(*view.draft.span)
    return MaskedExample(
        id=f"{view.article.key}-{view.paragraph.index}-{target.start}",
        lang=lang,
        text=view.passage,
        sentences=tuple((start - shift, end - shift) for start, end in view.draft.sentences),
        target=(target.start - shift, target.end - shift),
        candidates=tuple(forms[name] for name in candidates),
        mentions=tuple(mentions),
        label=candidates.index(answer),
        source=Source(view.article.title, view.article.page_id, view.paragraph.index, *place),
        meta={**meta, "tokens": tokens} | view.persons.find_gender(target.text).as_meta(),
    )


def _write_in_full(record: MaskedExample, elided: str) -> MaskedExample:
    """Write the elided word before the mask in full: "qu'[MASK]" is "que [MASK]"."""
    mask, _ = record.target

    def shift_span(span: Span) -> Span:
        start, end = span
        return start + (start >= mask), end + (end > mask)

    mentions = [(who, *shift_span((start, end))) for who, start, end in record.mentions]
    word = mask - len(elided), mask
    # A pipeline may have cut it from its apostrophe.
    tokens = (
        word if word[0] <= start < mask else (start, end) for start, end in record.meta["tokens"]
    )
    return replace(
        record,
        text=f"{record.text[: mask - 1]}e {record.text[mask:]}",
        sentences=tuple(map(shift_span, record.sentences)),
        target=shift_span(record.target),
        mentions=tuple(mentions),
        meta=record.meta | {"tokens": [*dict.fromkeys(map(shift_span, tokens))], "elided": elided},
    )


LONGEST_PASSAGE = 20_000
"""Longest sentence, in characters: a longer one is not prose, and would cost memory."""

_FIRST = 2
"""Passages of an article in the first turn, at least those of one paragraph."""
_ENOUGH = 2
"""Readings of a run of capitalised words, none as a person's name, after which it is not one."""


class ReadPassage(NamedTuple):
    """A passage and the recogniser's analysis of it."""

    passage: Passage
    analysis: Analysis


def cut_passages(
    article: Article, paragraph: Paragraph, spans: Sequence[Span], context: Context
) -> Iterator[Passage]:
    """Cut the given spans out of a paragraph, and reject those that are too long."""
    for start, end in spans:
        if end - start > LONGEST_PASSAGE:
            context.reject("window_too_long")
            continue
        context.count("characters_analysed", end - start)
        yield Passage(article, paragraph, start, paragraph.text[start:end])


def read_recurring(
    recurring: RecurringNames,
    pipeline: Backend,
    articles: Iterator[Article | Redirect],
    context: Context,
) -> Iterator[ReadPassage]:
    """Read the passages with possible examples, article by article, each once.

    All articles take their turns together, since pipelines are fast in batches only. The passages
    read of an article depend on that article alone.
    """
    unit = []
    for _, same in groupby(prose(articles, context), key=lambda pair: id(pair[0])):
        pairs = list(same)
        unit.append(_ArticleReader(pairs[0][0], [one for _, one in pairs], recurring))
    size = _FIRST
    while any(reader.waiting for reader in unit):
        turns = [
            (reader, passage) for reader in unit for passage in reader.take_turn(size, context)
        ]
        analyses = pipeline.names(passage.text for _, passage in turns)
        for (reader, passage), analysis in zip(turns, analyses, strict=True):
            reader.learn(passage, analysis)
        size *= 2
    for reader in unit:
        yield from reader.read


class _ArticleReader:
    """The unread passages of an article, and the words found to be persons."""

    def __init__(
        self, article: Article, paragraphs: Sequence[Paragraph], recurring: RecurringNames
    ) -> None:
        self.read: list[ReadPassage] = []
        self._article = article
        self._recurring = recurring
        self._seen: Counter[Key] = Counter()
        self._persons: set[Key] = set()
        text = "\n".join(paragraph.text for paragraph in paragraphs)
        self._is_common = cache(lambda word: f" {word} " in text)
        found = (
            (paragraph, recurring.find_spans(paragraph.text, self._is_common))
            for paragraph in paragraphs
        )
        self.waiting = [(paragraph, stretches) for paragraph, stretches in found if stretches]

    def take_turn(self, size: int, context: Context) -> Iterator[Passage]:
        """Take the next paragraphs, with `size` spans in all, and cut what is worth reading."""
        while self.waiting and size > 0:
            paragraph, stretches = self.waiting.pop(0)
            size -= len(stretches)
            kept = [
                stretch
                for stretch in stretches
                if not stretch.keys
                or any(key in self._persons or self._seen[key] < _ENOUGH for key in stretch.keys)
            ]
            yield from cut_passages(self._article, paragraph, join_spans(kept), context)

    def learn(self, passage: Passage, analysis: Analysis) -> None:
        """Note which names of an analysed passage the recogniser took for persons."""
        self.read.append(ReadPassage(passage, analysis))
        persons = [(one.start, one.end) for one in analysis.entities if one.label == "PERSON"]
        # The surname alone may be called something else, see `relabel_surnames`.
        self._persons.update(tuple(passage.text[:end].split()[-1:]) for _, end in persons)
        for keys, (start, end) in self._recurring.list_run_keys(passage.text, self._is_common):
            self._seen.update(keys)
            if any(left < end and start < right for left, right in persons):
                self._persons.update(keys)


Finder = Callable[[str], list[Span]]


def setup(read: Stage, options: WikicremOptions, persons: Path | None = None) -> Sequence[Stage]:
    """Make the stages for one worker process, with its pipeline.

    `persons` is the file with the wiki's persons, where names come from the wiki.
    """
    return [read, *stages(options, load_wiki_pipeline(options.pipeline, options.lang, persons))]


def stages(
    options: WikicremOptions, pipeline: Backend, find: Finder | None = None
) -> Sequence[Stage]:
    """List the stages from articles to records in the channels `examples` and `pages`.

    `find` selects the parts of a paragraph to analyse; by default the prefilter does.
    """
    paper = options.mode == "paper"
    words = table.load(options.lang)
    may_be = words.may_be if words.declensions else None
    if find is None and pipeline.name == WIKI:
        find = partial(
            find_windows,
            no_names=words.no_names,
            titles=words.titles,
            may_be=may_be,
            most=options.most_sentences,
        )  # an article's names are known at once, there is nothing to learn
    # Clean mode cuts sentences where the pieces end; paper mode has them as the pipeline has.
    recurring = RecurringNames(
        words.no_names, words.titles, may_be, most=options.most_sentences, cut=not paper
    )
    surface = {name: stops for name, stops in SURFACE.items() if name in options.filters}
    if options.same_gender:
        surface["other_gender"] = other_gender
    syntax = {name: stops for name, stops in SYNTAX.items() if name in options.filters}
    if "doubtful" in syntax:
        syntax["doubtful"] = partial(doubtful, least=options.min_confidence)
    on_tree = [partial(parse_drafts, pipeline), partial(filter_drafts, syntax)]
    return [
        write_page_kinds,
        partial(read_recurring, recurring, pipeline)
        if find is None
        else partial(read_passages, find, pipeline),
        partial(
            make_drafts, Genders(options.lang, words), None if paper else options.most_sentences
        ),
        partial(filter_drafts, surface),
        *(on_tree if syntax else []),
        partial(make_records, make_paper_examples if paper else make_clean_example, options.lang),
    ]


class DraftGroup(NamedTuple):
    """Drafts for one masked name, differing in the occurrence; one becomes an example.

    `fault` is the filter that stopped the first draft of the group, "" for none.
    """

    views: list[DraftContext]
    fault: str = ""


def write_page_kinds(articles: Iterator[Article | Redirect], context: Context) -> Iterator[Article]:
    """Pass articles on; write redirects, and whether a page is about a person, to `pages`."""
    page: dict[str, str | bool | None]
    for item in articles:
        if isinstance(item, Redirect):
            page = {"title": item.title, "redirect": item.target, "person": None}
            context.write("pages", page)
            continue
        if item.is_person is not None:
            page = {"title": item.title, "redirect": None, "person": item.is_person}
            context.write("pages", page)
        yield item


def read_passages(
    find: Finder, pipeline: Backend, articles: Iterator[Article], context: Context
) -> Iterator[ReadPassage]:
    """Find the names in the parts of paragraphs that `find` selects."""
    unit = [
        passage
        for article, paragraph in prose(articles, context)
        for passage in cut_passages(article, paragraph, find(paragraph.text), context)
    ]
    yield from map(ReadPassage, unit, pipeline.on_passages(unit))


def make_drafts(
    genders: Genders, most: int | None, passages: Iterator[ReadPassage], context: Context
) -> Iterator[DraftGroup]:
    """Draft the passages of each article, with offsets into their paragraphs.

    Paper mode (`most` is None) applies the paper's conditions (a) and (b) to the recogniser's
    names. Clean mode tidies names, carries them over the whole article, and allows `most`
    sentences.
    """
    words = genders.words
    for _, same in groupby(passages, key=lambda one: id(one.passage.article)):
        read = list(same)
        analyses = [analysis for _, analysis in read]
        if most is not None:
            analyses = relabel_surnames(analyses)
        usage = Usage(read[0][0].article, analyses, words)
        persons = Persons(usage, genders)
        named = [*map(list_recognised, analyses)] if most is None else spread_names(analyses, words)
        for (passage, _), analysis, names in zip(read, analyses, named, strict=True):
            shift = passage.start
            sentences: Sequence[Span] = analysis.sentences
            if most is not None:
                names = [extend_to_article(name, analysis.text, words) for name in names]
                sentences = cut_at_borders(analysis, words.titles)
            placed = [replace(one, start=one.start + shift, end=one.end + shift) for one in names]
            places = [(start + shift, end + shift) for start, end in sentences]
            made = (
                draft_by_paper(places, placed)
                if most is None
                else draft_nearest(places, placed, most)
            )
            for group in made:
                context.count("drafts")
                views = [
                    DraftContext(
                        article=passage.article,
                        paragraph=passage.paragraph,
                        draft=draft,
                        read=analysis,
                        read_from=shift,
                        usage=usage,
                        persons=persons,
                        table=words,
                    )
                    for draft in group
                ]
                yield DraftGroup(views)


def filter_drafts(
    filters: Mapping[str, ViewFilter], groups: Iterator[DraftGroup], context: Context
) -> Iterator[DraftGroup]:
    """Drop faulty wrong candidates, then the drafts stopped by a filter.

    A group without any draft left is rejected for the first fault of its first draft.
    """
    on_names = [stops for stops in filters.values() if stops in ON_NAMES]

    def is_faulty_name(view: DraftContext) -> bool:
        return any(stops(view) for stops in on_names)

    for views, fault in groups:
        kept: list[DraftContext] = []
        faults: list[str] = []
        for view in views:
            view = view.drop_faulty_candidates(is_faulty_name) if on_names else view
            faults.append(next((name for name, stops in filters.items() if stops(view)), ""))
            if not faults[-1]:
                kept.append(view)
        fault = fault or faults[0]
        if kept:
            yield DraftGroup(kept, fault)
        else:
            context.reject(fault, _describe_draft(views[0]))


def parse_drafts(
    pipeline: Backend, groups: Iterator[DraftGroup], context: Context
) -> Iterator[DraftGroup]:
    """Parse the passages of drafts, each once.

    A parse costs as much as finding names, so only drafts left by surface filters are parsed.
    """
    unit = list(groups)
    texts = list(dict.fromkeys(map(_cut_passage, chain.from_iterable(g.views for g in unit))))
    trees = dict(zip(texts, pipeline.trees(texts), strict=True))
    for views, fault in unit:
        read = [replace(view, syntax=trees[_cut_passage(view)]) for view in views]
        yield DraftGroup(read, fault)


def _cut_passage(view: DraftContext) -> tuple[str, tuple[Span, ...]]:
    """Return a draft's passage, and its sentences as offsets into the passage."""
    shift = view.draft.span[0]
    cut = tuple((start - shift, end - shift) for start, end in view.draft.sentences)
    return view.passage, cut


def make_records(
    make: MakeExamples, lang: str, groups: Iterator[DraftGroup], context: Context
) -> Iterator[Out]:
    """Make the examples of each group's first draft."""
    for views, _ in groups:
        made = list(make(views[0], lang))
        if not made:
            context.reject("name_not_expressible", _describe_draft(views[0]))
        for record in made:
            yield Out("examples", jsonl.as_json(record))


def _describe_draft(view: DraftContext) -> dict[str, Any]:
    """Describe a rejected draft for the file of rejects."""
    return {
        "title": view.article.title,
        "text": view.passage,
        "answer": view.draft.target.text,
        "start": view.draft.target.start - view.draft.span[0],
        "others": list(view.draft.others),
    }
