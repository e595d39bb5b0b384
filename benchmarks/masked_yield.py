"""What becomes of the names in novels on their way to masked names, language by language.

    python -m benchmarks.masked_yield FOLDER --lang de fr --first 2 --step 8

FOLDER has a folder of novels for each language (FOLDER/de/*.txt, or packed); of each every STEP-th
is read, from the FIRST on, by the language's small pipeline and in clean mode. All counts are per
million words:

- how often a person is named, and is named again within two sentences of a paragraph, and how often
  somebody else is named before: that is the language's and its authors' doing. Every paragraph is
  read for this, and names are carried over the whole novel, so that few are missed;
- what the recogniser loses: of the given names that the language's table lists, standing alone, the
  share that is in none of its names, carried over or not;
- what the prefilter loses: drafts of all that is read, less those of what it lets through;
- what each filter drops, and what is left.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.builders.nlp import Backend, of_wiki
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.names import Name
from corefmill.builders.persons.prefilter import cut_at_borders
from corefmill.builders.persons.table import PersonWords, load
from corefmill.builders.runner.stages import Context
from corefmill.builders.sources.text import TextSource, read_text
from corefmill.builders.wiki.article import Article
from corefmill.builders.wikicrem import stages
from corefmill.builders.wikicrem.options import SENTENCES, WikicremOptions
from corefmill.corpora.records import Span
from corefmill.corpora.tables import table

_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]\w+(?![\w'’-])")


@dataclass
class Yield:
    """The counts of one language."""

    novels: int = 0
    words: int = 0
    named: int = 0
    again: int = 0
    drafts_of_all: int = 0
    listed: int = 0
    listed_found: int = 0
    drafts: int = 0
    examples: int = 0
    rejects: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lang", nargs="+", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--step", type=int, default=1)
    options = parser.parse_args()
    found = {}
    for lang in options.lang:
        novels = sorted(path for path in (options.folder / lang).iterdir() if path.is_file())
        found[lang] = measured(lang, novels[options.first - 1 :: options.step])
        print(lang, found[lang], file=sys.stderr, flush=True)
    print("\n".join(table(("", *found), rows([*found.values()]), numbers=len(found))))


def measured(lang: str, paths: Sequence[Path]) -> Yield:
    """Reads the novels twice: all of them, and what the prefilter lets through."""
    articles = list(read_novels(paths))
    texts = [paragraph.text for article in articles for paragraph in article.prose]
    found = Yield(len(articles), sum(len(text.split()) for text in texts))
    pipeline = of_wiki(f"{lang}_mini", lang)
    _read_all(found, lang, articles, pipeline)
    _built(found, lang, articles, pipeline)
    return found


def read_novels(paths: Sequence[Path]) -> Iterator[Article]:
    """The novels of these files as a build reads them."""
    for unit in TextSource([*map(str, paths)]).units(skip=()):
        yield from read_text(iter((unit.payload,)), Context(0, 0))


def _read_all(found: Yield, lang: str, articles: list[Article], pipeline: Backend) -> None:
    """Counts names, drafts and listed names where every paragraph is read."""
    words = load(lang)
    genders = Genders(lang, words)
    context = Context(0, 0)
    passages = stages.read_passages(whole, pipeline, iter(articles), context)
    for item in stages.names(genders, passages, context, tidy=True):
        sentences = cut_at_borders(item.analysis, words.titles)
        found.named += len(item.names)
        found.again += sum(_again(sentences, item.names))
        made = stages.masked_names(words, SENTENCES, iter([item]), context)
        found.drafts_of_all += sum(1 for _ in made)
        listed = _listed(item.analysis.text, words)
        found.listed += len(listed)
        found.listed_found += sum(
            any(name.start < one.end and one.start < name.end for name in item.names)
            for one in listed
        )


def whole(text: str) -> list[Span]:
    """That all of a paragraph is to be read."""
    return [(0, len(text))]


def _again(sentences: Sequence[Span], names: Sequence[Name]) -> Iterator[bool]:
    """For each name, whether it stands already in its sentence or the one before."""
    before: set[str] = set()
    for start, end in sentences:
        here: set[str] = set()
        for name in names:
            if start <= name.start and name.end <= end:
                yield name.text in before | here
                here.add(name.text)
        before = here


def _listed(text: str, words: PersonWords) -> list[Name]:
    """Given names of the table that stand alone."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        beside = text[match.end() : match.end() + 2]
        if not word[0].isupper() or word in words.no_names_or_titles or beside[1:].isupper():
            continue
        for name in words.may_be(word):
            if name in words.name_groups:
                found.append(Name(match.start(), match.end(), name))
                break
    return found


def _built(found: Yield, lang: str, articles: list[Article], pipeline: Backend) -> None:
    """Counts drafts, rejects and examples as a build has them."""
    context = Context(0, 0)
    records: Iterator[object] = iter(articles)
    for stage in stages.stages(WikicremOptions.make(lang, "clean", f"{lang}_mini"), pipeline):
        records = stage(records, context)
    found.examples = sum(1 for _ in records)
    found.drafts = context.counts["drafts"]
    found.rejects = context.rejects


def rows(found: Sequence[Yield]) -> Iterator[tuple[str, ...]]:
    """The lines of the table; filters that drop less than five anywhere are among the others."""

    def line(name: str, counts: Sequence[float]) -> tuple[str, ...]:
        return name, *(f"{count * 1e6 / one.words:,.1f}" for count, one in _pairs(counts, found))

    yield "novels", *(f"{one.novels}" for one in found)
    yield "thousands of words", *(f"{one.words / 1000:,.0f}" for one in found)
    yield line("persons named", [one.named for one in found])
    yield line("named again within two sentences", [one.again for one in found])
    yield line("with somebody else before (drafts)", [one.drafts_of_all for one in found])
    yield "given names of the table", *(f"{one.listed:,}" for one in found)
    yield (
        "of these in no name found, %",
        *(f"{100 - 100 * one.listed_found / max(1, one.listed):.0f}" for one in found),
    )
    yield line("lost to the prefilter", [one.drafts_of_all - one.drafts for one in found])
    yield line("drafts of a build", [one.drafts for one in found])
    reasons = sum((one.rejects for one in found), Counter[str]())
    often = [
        reason
        for reason, _ in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        if any(one.rejects[reason] * 1e6 >= 5 * one.words for one in found)
    ]
    for reason in often:
        yield line(reason, [one.rejects[reason] for one in found])
    yield line("other filters", [one.rejects.total() - _sum(one, often) for one in found])
    yield line("examples", [one.examples for one in found])
    yield "of the drafts, %", *(f"{100 * one.examples / max(1, one.drafts):.0f}" for one in found)


def _pairs(counts: Sequence[float], found: Sequence[Yield]) -> Iterator[tuple[float, Yield]]:
    return zip(counts, found, strict=True)


def _sum(one: Yield, reasons: Sequence[str]) -> int:
    return sum(one.rejects[reason] for reason in reasons)


if __name__ == "__main__":
    main()
