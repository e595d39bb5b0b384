"""The options of `build wec`, and their part of a corpus's fingerprint.

The filters are functions of these names, in `filters.surface`, `filters.syntax` and `choose`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.builders.corpus.options import (
    INPUT,
    SIZE,
    DumpInput,
    Mode,
    Option,
    RunOptions,
    Templates,
    Without,
    check_finite,
    check_language,
    choose_filters,
    is_date,
    split_names,
)
from corefmill.builders.wiki.markup.templates import OwnTemplates
from corefmill.corpora.files.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.wec.same_event import LinkFile

SURFACE = (
    "section_link",
    "short_paragraph",
    "mention_length",
    "no_trigger",
    "on_date",
    "on_place",
    "on_participant",
    "trigger_outside",
    "treaty_text",
    "unidentified",
)
"""Filters of a link's words and paragraph, in the order in which they are applied."""

SYNTAX = (
    "no_sentence",
    "named_entity",
    "wordless_head",
    "argument_noun",
    "acting_body",
    "sub_event",
    "no_event_word",
)
"""Filters of the pipeline's analysis, in the order in which they are applied."""

ON_CORPUS = ("repeated_paragraph", "same_string")
"""Filters that need the whole corpus, applied at the end."""

FILTERS = (*SURFACE, *SYNTAX, *ON_CORPUS)
"""Every name that `--without` takes."""

QUOTA = 4
"""Mentions of a cluster that may be the same string (WEC, section 3.2)."""

MEMORY = 400
"""Megabytes that the joins may take: enough for ten million redirects and 300,000 events."""

DEV_SHARE, TEST_SHARE = 0.03, 0.04
"""Share of the clusters; WEC-Eng has 233 and 322 of 7,597 in dev and test."""


@dataclass(frozen=True)
class WecOptions:
    """The options that decide on the mentions of one language.

    Raises `UsageError` for a filter that does not exist.
    """

    lang: str
    mode: str
    nlp: str
    without: tuple[str, ...] = ()
    quota: int = QUOTA
    templates: OwnTemplates = ()

    @cached_property
    def filters(self) -> tuple[str, ...]:
        """The filters in force, in the order of FILTERS; paper mode has its own."""
        return choose_filters(FILTERS, self.without, None if self.mode == "clean" else ())

    @cached_property
    def by_lemma(self) -> bool:
        """Whether equal lemmas make two mentions the same string, as in inflected languages."""
        from corefmill.builders.wec.facts import lexicon

        return self.mode == "clean" and lexicon.load(self.lang).inflected

    def as_json(self) -> dict[str, Any]:
        """Return the options for a manifest."""
        return {**asdict(self), "filters": self.filters, "by_lemma": self.by_lemma}


_OF_ALL = ("auto", "sample", "latest")
"""Values of --dump that name a dump of each language."""


def check_languages(value: str) -> str:
    """Check the comma-separated languages of --lang; raises `UsageError`."""
    found = [check_language(name) for name in split_names(value)]
    if not found or len(set(found)) < len(found):
        raise UsageError(
            f"--lang {value!r} names {'a language twice' if found else 'no language'}",
            remedy="give languages such as en,it,de",
        )
    return ",".join(found)


@dataclass(frozen=True, kw_only=True)
class WecRequest(RunOptions):
    """Build event coreference: links to the same event's article, with their paragraphs.

    After WEC (Eirew et al. 2021). With --links an event that several Wikipedias have is one
    cluster in all of their languages.

    Examples:
        build wec --lang it --dump latest --workers 8
        build wec --lang en,it --dump sample --links sample
    """

    lang: Annotated[
        str,
        Option(
            check=check_languages,
            help="Language of the dump, such as en; several, such as en,it,de, need --links too.",
            panel=INPUT,
        ),
    ] = "en"
    dump: Annotated[
        tuple[str, ...],
        Option(
            help="Wikipedia dump: auto (newest below --data-dir, else the sample), sample, latest"
            " or YYYYMMDD (download), a file (XML, or rows of JSON Lines or Parquet), a pattern of"
            " parts, or - for standard input. With several languages one dump each: it=FILE, or a"
            " file whose name begins with its wiki (itwiki-). Repeatable.",
            default="auto",
            panel=INPUT,
        ),
    ] = ()
    links: Annotated[
        tuple[str, ...],
        Option(
            help="File saying which articles of several Wikipedias are one event: langlinks or"
            " page_props of a wiki (itwiki-latest-langlinks.sql.gz, or it=FILE), lines of language,"
            " title and Wikidata item separated by tabs, or sample. With one language, the file"
            " names clusters by their items. Repeatable.",
            panel=INPUT,
        ),
    ] = ()
    data_dir: Annotated[Path, Option(help="Folder of downloaded dumps.", panel=INPUT)] = Path(
        "data"
    )
    nlp: Annotated[
        tuple[str, ...],
        Option(
            help="Pipeline with NER: a spaCy pipeline by name or path, or stanza[:PACKAGE]; see"
            " `corefmill models`. With several languages, it=NAME is for Italian, NAME for the"
            " others. Repeatable.",
            default="ours if it is here, else spaCy's largest installed",
            panel=INPUT,
        ),
    ] = ()
    templates: Templates = None
    infoboxes: Annotated[
        tuple[str, ...],
        Option(
            help="File with your own table of event infoboxes; with several languages, it=FILE.",
            default="the shipped table of the language",
            panel=INPUT,
        ),
    ] = ()
    event_list: Annotated[
        tuple[str, ...],
        Option(
            help="File listing the articles about events, instead of infoboxes; the dump may lack"
            " their pages. Lines of title, class (of Wikidata, or an event type), perhaps aliases"
            " (a|b), separated by tabs, or of titles alone, or JSON Lines. With several languages,"
            " it=FILE.",
            panel=INPUT,
        ),
    ] = ()
    list_infoboxes: Annotated[
        bool,
        Option(
            help="List the infoboxes of the dump with counts, examples and their event types; build"
            " nothing.",
            panel=INPUT,
        ),
    ] = False
    mode: Annotated[
        Mode,
        Option(help="How to select mentions: paper by the published rules, clean by more filters."),
    ] = Mode.clean
    without: Without = ()
    quota: Annotated[
        int,
        Option(min=1, help="Largest number of mentions with the same words in one cluster."),
    ] = QUOTA
    dev: Annotated[
        float,
        Option(
            "--validation",
            min=0,
            check=check_finite,
            help="Number of clusters in the validation split, dev.jsonl; below 1, their share of"
            " all clusters.",
            panel=SIZE,
        ),
    ] = DEV_SHARE
    test: Annotated[
        float,
        Option(
            min=0,
            check=check_finite,
            help="Number of clusters in the test split; below 1, their share of all clusters.",
            panel=SIZE,
        ),
    ] = TEST_SHARE

    def __post_init__(self) -> None:
        choose_filters(FILTERS, self.without)
        if len(self.langs) > 1 and self.list_infoboxes:
            raise UsageError(
                "--list-infoboxes takes one language only", remedy="name one by --lang"
            )
        if self.links and self.list_infoboxes:
            raise UsageError(
                "--links has no effect with --list-infoboxes, which builds no corpus",
                remedy="leave --links out",
            )
        if len(self.langs) > 1 and not self.links:
            raise UsageError(
                f"--lang {self.lang} needs --links, which says which events are the same",
                remedy="give a wiki's langlinks or page_props, or lines of language, title, item",
            )
        if len(self.langs) > 1 and self.limit is not None:
            raise UsageError(
                f"--limit works with one language only, and --lang is {self.lang}",
                remedy="leave --limit out",
            )

    @property
    def langs(self) -> list[str]:
        """The languages, in the order of --lang."""
        return split_names(self.lang)

    def each(self) -> list[DumpInput]:
        """Return the input of each language; raises `UsageError` for a dump of another language."""
        dumps = by_language(
            "--dump",
            self.dump,
            self.langs,
            is_shared=lambda value: value in _OF_ALL or is_date(value),
        )
        pipelines = by_language("--nlp", self.nlp, self.langs, is_shared=lambda value: True)
        return [
            DumpInput(
                lang=lang,
                dump=dumps.get(lang),
                data_dir=self.data_dir,
                nlp=pipelines.get(lang),
                templates=self.templates,
                workers=self.workers,
                quiet=self.silent,
            )
            for lang in self.langs
        ]

    def link_files(self) -> list[LinkFile]:
        """Return the files of --links, absolute, each with the language given for it."""
        from corefmill.builders.wec.same_event import LinkFile
        from corefmill.builders.wiki.dump.locate import sample_links

        found = []
        for value in self.links:
            lang, path = split_language(value, self.langs)
            own = sample_links() if value == "sample" else Path(path).expanduser()
            found.append(LinkFile(own.absolute(), lang))
        return found

    def tables(self) -> dict[str, str]:
        """Return the user's tables of infoboxes by language; raises `UsageError`."""
        return by_language("--infoboxes", self.infoboxes, self.langs)

    def lists(self) -> dict[str, str]:
        """Return the user's lists of events by language; raises `UsageError`."""
        return by_language("--event-list", self.event_list, self.langs)


def by_language(
    option: str,
    values: Sequence[str] | None,
    langs: Sequence[str],
    *,
    is_shared: Callable[[str], bool] = lambda value: False,
) -> dict[str, str]:
    """Return each language's value of a repeatable option, `it=VALUE` or `VALUE`.

    With several languages, a bare value belongs to the language of the wiki in its file's name, or
    to all languages if it `is_shared`. Raises `UsageError` for any other value, and for two values
    of one language.
    """
    from corefmill.builders.wec.same_event import wiki_of

    found: dict[str | None, str] = {}
    for value in values or ():
        lang, own = split_language(value, langs)
        if lang is None and len(langs) == 1:
            lang = langs[0]
        elif lang is None and not is_shared(own):
            lang = wiki_of(Path(own).name, langs)
            if lang is None:
                raise UsageError(
                    f"{option} {own} does not say its language", remedy=f"{option} {langs[0]}={own}"
                )
        if lang in found:
            raise UsageError(
                f"{option} is given twice{f' for {lang}' if lang else ''}",
                remedy=f"once for each language, as in {option} {langs[-1]}=...",
            )
        found[lang] = own
    every = found.pop(None, None)
    others = {} if every is None else dict.fromkeys(langs, every)
    return {**others, **{lang: own for lang, own in found.items() if lang is not None}}


def split_language(value: str, langs: Sequence[str]) -> tuple[str | None, str]:
    """Split `it=VALUE` at a known language; the language is None for any other text."""
    lang, equals, own = value.partition("=")
    return (lang, own) if equals and lang in langs else (None, value)
