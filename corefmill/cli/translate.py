"""`build translate`: the command, and the options that it shares with `build ontonotes-it`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar

from corefmill.builders.translate.english.simplify import LONGEST, SHORTEST
from corefmill.builders.translate.gamma.language import PAIRS
from corefmill.builders.translate.options import (
    HELPS,
    TranslateOptions,
    default_method,
    parses_source,
)
from corefmill.cli import completing
from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.options import (
    INPUT,
    WORK,
    CommandLine,
    Mode,
    WorkOptions,
)
from corefmill.cli.plain_options import check_language
from corefmill.cli.printing import many
from corefmill.cli.translator_options import TranslatorOptions
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.translate.english.source import File


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateInput:
    """What is translated, and what parses it."""

    PANEL: ClassVar[str] = INPUT

    source: Annotated[
        list[str] | None,
        Option(
            help="Documents with clusters: a file, a pattern, or a folder with OntoNotes, OntoGUM,"
            " LitBank or other CoNLL-2012 files. Repeatable.",
            default="the English sample that ships",
        ),
    ] = None
    nlp: Annotated[
        str | None,
        Option(
            help="Pipeline that parses the tokens of the source, with NER.",
            default="ours if it is here, else spaCy's largest installed",
        ),
    ] = None

    def files(self, lang: str, *, silent: bool) -> list[File]:
        """The files to read, which the first line printed says."""
        from corefmill.builders.translate.english import source
        from corefmill.corpora import disk

        if not self.source and lang != "en":
            raise UsageError(
                f"no documents in {lang!r} ship with corefmill", remedy="name yours by --source"
            )
        names = self.source or [str(source.sample())]
        found = source.find_all(names, lang)
        if not silent:
            what = ", ".join(self.source) if self.source else "the sample that ships"
            print(f"Reading {what}: {many(len(found), 'file')}.", flush=True)
            if others := source.left_out(names, found):
                print(
                    f"Left out: {many(len(others), 'other file')} of documents,"
                    f" such as {disk.shown(others[0])}: the folder is read as one known corpus"
                    " (--source takes files and patterns, too).",
                    flush=True,
                )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateWay:
    """How it is done, and what is left out."""

    mode: Annotated[Mode, Option(help="The published rules to the letter, or refined.")] = (
        Mode.clean
    )
    without: Annotated[
        list[str] | None,
        Option(
            help=f"Leave out a help of clean mode ({', '.join(HELPS)}), a rule such as"
            " subject-deletion, or a refinement such as subject-deletion/focus. Repeatable."
        ),
    ] = None
    shortest: Annotated[
        int | None,
        Option(
            min=1,
            help="Tokens that an utterance must have.",
            default=f"1, in paper mode {SHORTEST}",
        ),
    ] = None
    longest: Annotated[
        int | None,
        Option(
            min=1,
            help="Tokens that an utterance may have.",
            default=f"any number, in paper mode {LONGEST}",
        ),
    ] = None
    limit: Annotated[
        int | None,
        Option("--limit", min=1, help="Stop at this many parts.", panel=WORK),
    ] = None


class Method(StrEnum):
    """How mentions get through the translation."""

    placeholders = "placeholders"
    marks = "marks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Languages:
    """From which language, to which, and how."""

    PANEL: ClassVar[str] = INPUT

    from_lang: Annotated[
        str,
        Option(
            "--from",
            metavar="LANG",
            help="Language of the source.",
            complete=completing.languages,
        ),
    ] = "en"
    to_lang: Annotated[
        str,
        Option(
            "--to",
            metavar="LANG",
            help="Language of the corpus.",
            complete=completing.languages,
        ),
    ]
    method: Annotated[
        Method | None,
        Option(
            help="placeholders stand for mentions while the text is translated, and the mentions"
            " take their places again; marks go around mentions and come back with them, for any"
            " pair of languages.",
            default=f"placeholders where the pair has them: {PAIRS}",
        ),
    ] = None
    nlp_to: Annotated[
        str | None,
        Option(
            help="Pipeline that parses the translations.",
            default="Stanza's model if it is here, else ours, else spaCy's largest installed",
        ),
    ] = None


def translate(
    *,
    languages: Languages,
    given: TranslateInput,
    translator: TranslatorOptions,
    way: TranslateWay,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Documents with clusters to another language: translated with their mentions, then refined.

    After Minutolo et al. (2022). A run that was stopped goes on where it was when the same command
    is given again.

    Examples:
        build translate --to it
        build translate --from en --to it --source ontogum.train.conll --translator apertium
    """
    check_language("--from", languages.from_lang)
    check_language("--to", languages.to_lang)
    from corefmill.builders.translate.build import NAME

    pair = f"{languages.from_lang}-{languages.to_lang}"
    run(f"{NAME}-{pair}", languages, given, translator, way, work, cluster, line)


def run(
    name: str,
    languages: Languages,
    given: TranslateInput,
    translator: TranslatorOptions,
    way: TranslateWay,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Builds the corpus of that name."""
    from corefmill.builders import nlp
    from corefmill.builders.translate import build as chain
    from corefmill.cli.builds import build

    source, target = languages.from_lang, languages.to_lang
    files = given.files(source, silent=work.silent)
    request = work.request(name, line, way.limit)
    asked = translator.request(source, target, request.out, sample=not given.source)
    method = default_method(source, target) if languages.method is None else languages.method.value
    options = TranslateOptions(
        mode=way.mode.value,
        method=method,
        nlp=(given.nlp or nlp.choose(source)) if parses_source(method, source, target) else None,
        nlp_to=languages.nlp_to or _parser(target),
        without=tuple(sorted(set(way.without or ()))),
        shortest=way.shortest,
        longest=way.longest,
        translator=asked,
    )
    job, assembly = chain.plan(options, files, request, name)
    assembly = translator.completed(assembly, options.translator, overwrite=work.overwrite)
    build(job, assembly, work, cluster)


def _parser(lang: str) -> str:
    """Stanza, whose trees are the best, where its model of the language is."""
    from corefmill.builders.nlp import catalogue, choose

    installed = any(
        offer.name == "stanza" and offer.how.startswith("--nlp") and "trees" in offer.does
        for offer in catalogue.offers(lang)
    )
    return "stanza" if installed else choose(lang)
