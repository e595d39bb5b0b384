"""The Wikipedias of one command: options that name one for each of several languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from corefmill.builders.wiki.dump.download import WIKIMEDIA
from corefmill.cli import completing
from corefmill.cli.command import Option
from corefmill.cli.options import (
    INPUT,
    DumpDate,
    DumpFolder,
    DumpOptions,
    Mirror,
    TrustLang,
)
from corefmill.cli.plain_options import languages, names
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.wec.across.link_files import LinkFile

_OF_ALL = ("auto", "sample", "latest")
"""Dumps that every language has its own of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WikiOptions:
    """Which Wikipedias are read, with which pipelines, and what says that articles are of one
    event."""

    PANEL: ClassVar[str] = INPUT

    lang: Annotated[
        str,
        Option(
            check=languages,
            complete=completing.languages,
            help="Language of the text, such as en; several as en,it,de, with --links.",
        ),
    ] = "en"
    dump: Annotated[
        list[str] | None,
        Option(
            help="auto (newest below --data-dir, else the sample), sample, latest (downloads),"
            " a file (XML, or rows of JSON Lines or Parquet), a pattern of parts, or - for standard"
            " input. Of several languages one each:"
            " it=FILE, or a file whose name begins with its wiki (itwiki-). Repeatable.",
            default="auto",
        ),
    ] = None
    links: Annotated[
        list[str] | None,
        Option(
            help="What says that articles in several languages are of one event, whose mentions"
            " are one cluster: a wiki's langlinks or page_props (itwiki-latest-langlinks.sql.gz, or"
            " it=FILE), or lines of language, title and Wikidata item separated by tabs, or sample,"
            " for the dumps that ship. Of one language, clusters are called by their items."
            " Repeatable."
        ),
    ] = None
    dump_date: DumpDate = None
    data_dir: DumpFolder = Path("data")
    mirror: Mirror = WIKIMEDIA
    trust_lang: TrustLang = False
    nlp: Annotated[
        list[str] | None,
        Option(
            help="Pipeline with NER: spaCy's by name or path, or stanza[:PACKAGE]; see `corefmill"
            " models`. Of several languages it=NAME is one's, NAME that of the others. Repeatable.",
            default="ours if it is here, else spaCy's largest installed",
        ),
    ] = None

    @property
    def langs(self) -> list[str]:
        """The languages, in the order in which they are named."""
        return names(self.lang)

    def each(self) -> list[DumpOptions]:
        """The options of each language, as a command for it alone would have them.

        Raises `UsageError` for a value of which nobody can say whose it is, and for several
        languages without links.
        """
        if len(self.langs) > 1 and not self.links:
            raise UsageError(
                f"--lang {self.lang} without --links: nothing says which events are the same",
                remedy="give a wiki's langlinks or page_props, or lines of language, title, item",
            )
        dumps = by_language("--dump", self.dump, self.langs, whose=_whose_dump)
        pipelines = by_language("--nlp", self.nlp, self.langs)
        return [
            DumpOptions(
                lang=lang,
                dump=dumps.get(lang),
                dump_date=self.dump_date,
                data_dir=self.data_dir,
                mirror=self.mirror,
                trust_lang=self.trust_lang,
                nlp=pipelines.get(lang),
            )
            for lang in self.langs
        ]

    def link_files(self) -> list[LinkFile]:
        """The files of --links, absolute, with the languages that they are named for."""
        from corefmill.builders.wec.across.link_files import LinkFile
        from corefmill.builders.wiki.dump.locate import sample_links

        found = []
        for value in self.links or ():
            lang, path = _named(value, self.langs)
            own = sample_links() if value == "sample" else Path(path).expanduser()
            found.append(LinkFile(own.absolute(), lang))
        return found


Whose = Callable[[str, Sequence[str]], str | None]
"""Of which language a value without one is, None for all of them; may raise `UsageError`."""


def by_language(
    option: str,
    values: Sequence[str] | None,
    langs: Sequence[str],
    *,
    whose: Whose = lambda value, langs: None,
) -> dict[str, str]:
    """The value that each language has of a repeatable option, `it=VALUE` or `VALUE`.

    Raises `UsageError` where a language, or all of them, have two.
    """
    found: dict[str | None, str] = {}
    for value in values or ():
        lang, own = _named(value, langs)
        if lang is None:
            lang = langs[0] if len(langs) == 1 else whose(own, langs)
        if lang in found:
            raise UsageError(
                f"{option} is given twice{f' for {lang}' if lang else ''}",
                remedy=f"once for each language, as in {option} {langs[-1]}=...",
            )
        found[lang] = own
    every = found.pop(None, None)
    others = {} if every is None else dict.fromkeys(langs, every)
    return {**others, **{lang: own for lang, own in found.items() if lang is not None}}


def _named(value: str, langs: Sequence[str]) -> tuple[str | None, str]:
    """The language before `=`, where it is one of them, and what stands behind it."""
    lang, equals, own = value.partition("=")
    return (lang, own) if equals and lang in langs else (None, value)


def _whose_dump(value: str, langs: Sequence[str]) -> str | None:
    from corefmill.builders.wec.across.link_files import wiki_of

    if value in _OF_ALL:
        return None
    lang = wiki_of(Path(value).name, langs)
    if lang is None:
        raise UsageError(f"--dump {value}: of which language?", remedy=f"--dump {langs[0]}={value}")
    return lang
