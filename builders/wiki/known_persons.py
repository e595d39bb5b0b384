"""The titles of a wiki's persons, found in a pass over its dump before names are looked for.

A page is a person's if `person_signs` finds a sign, or if a list of titles has it (Wikidata's
humans, for instance). A link that leads to no page is a person's if its title is a given name and a
word that is no title. Titles that redirect to a person's count, too. All workers share one sorted
file with 64 bits of each title. Two million made-up persons of five million pages, with a million
redirects and a million links, make a file of 32 MB; the join took 780 MB of memory.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.run.job import Job, RunResult, passes_folder
from corefmill.builders.run.run import Runner
from corefmill.builders.run.stages import Context, Out, Stage, UnitSource
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.chunks import MIB, Chunk
from corefmill.builders.wiki.dump.pages import capital_of, normalise_title, pages, redirect_link
from corefmill.builders.wiki.person_signs import begins_with_given_name, sign_of_person
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import ensure_folder, replacing
from corefmill.corpora.words import without_accents

Titles: TypeAlias = NDArray[np.uint64]
"""The first 64 bits of titles' digests: of ten million, two are equal in 1 of 370,000 wikis."""

_UNIT = 8 * MIB
_HOPS = 4
"""Redirects that lead to redirects; the wiki itself follows one, and loops end here."""
_NAME = "wiki"  # what --nlp calls it
_TITLES = "titles"
_COLUMNS = ("titles", "persons", "redirects", "targets", "linked", "surnames")
_LINK = re.compile(r"\[\[([^\[\]|#:{}\n]{1,100}+)[|\]]")
_REMEMBERED = 1 << 16
"""Answers that a worker caches."""


def hash_title(title: str) -> int:
    """Hash a title to 64 bits."""
    digest = hashlib.blake2b(title.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class KnownPersons:
    """The set of persons' titles in a file: `title in known`, the title as the wiki stores it."""

    def __init__(self, path: Path) -> None:
        self._titles: Titles = np.load(path, mmap_mode="r", allow_pickle=False)
        self._has = lru_cache(_REMEMBERED)(self._find)

    def __len__(self) -> int:
        return len(self._titles)

    def __contains__(self, title: object) -> bool:
        return isinstance(title, str) and self._has(title)

    def _find(self, title: str) -> bool:
        number = np.uint64(hash_title(title))
        place = int(np.searchsorted(self._titles, number))
        return place < len(self._titles) and bool(self._titles[place] == number)


def dump_of(source: UnitSource) -> DumpSource:
    """Return the dump of a build with the wiki's own names; raises `UsageError` for text."""
    if not isinstance(source, DumpSource):
        raise UsageError(
            f"--nlp {_NAME} finds names by the links of a dump, but the input is not a dump",
            remedy="name a dump by --dump, or a pipeline by --nlp",
        )
    return source


def file_of(out_dir: Path) -> Path:
    """Return the path of the persons' titles while the corpus of this folder is built."""
    return passes_folder(out_dir) / "persons.npy"


def first_pass(
    nlp: str, lang: str, source: UnitSource, out_dir: Path, listed: Path | None, do: Runner
) -> None:
    """Write the persons of the dump to `file_of` the folder, before a build with the wiki's names.

    `listed` is a file of more titles. If `nlp` is a pipeline, nothing is done. The pass resumes
    after a kill, and writes the same bytes with any number of workers. Raises `UsageError` for a
    dump that can be read only once, `DataError` if no person is found or the list cannot be read,
    and the errors of `do`.
    """
    if nlp != _NAME:
        return
    dump = dump_of(source)
    if not dump.rereadable:
        raise UsageError(
            "standard input can be read only once, but --nlp wiki reads its dump twice",
            remedy="save the dump to a file and name the file",
        )
    path = file_of(out_dir)
    ensure_folder(path.parent)
    job = Job(
        name="persons",
        source=dump.cut_at(_UNIT),
        setup=partial(_setup, lang),
        out_dir=path.parent / "persons",
        channels=(_TITLES,),
        options={"lang": lang},
    )
    # A list has one title a line, as a wiki or its addresses write them.
    lines = (line for _, line in disk.read_lines(listed)) if listed is not None else ()
    names = (" ".join(line.replace("_", " ").split()) for line in lines)
    more = (hash_title(capital_of(name[0]) + name[1:]) for name in names if name)
    with do(job) as found:
        titles = _join_titles(found, more)
    if not len(titles):
        raise DataError(
            "no article of this dump shows that it is about a person, by categories, infobox, sort"
            " key or years of life",
            path=dump.paths[0] if dump.paths else None,
            remedy="name the titles of persons by --persons FILE",
        )
    with replacing(path) as out:
        np.save(out, titles, allow_pickle=False)


def _setup(lang: str) -> Sequence[Stage]:
    return [FindPersons(lang)]


@dataclass(frozen=True, slots=True)
class FindPersons:
    """Stage from chunks of a dump to the hashes of titles, of persons', and of redirects.

    `linked` has the titles of links that look like a person's, `surnames` their last words without
    accents, which `titles` has of one-word titles, too. Counts `articles`, and the persons by each
    of SIGNS.
    """

    lang: str

    def __call__(self, dump: Iterator[Chunk], context: Context) -> Iterator[Out]:
        for chunk in dump:
            site = chunk.site.for_language(self.lang)
            found: dict[str, list[int]] = {name: [] for name in _COLUMNS}
            linked: set[str] = set()
            for page in pages(chunk, self.lang, reject=context.reject):
                if page.ns != 0:
                    continue
                if page.redirect is None:
                    context.count("articles")
                    found["titles"].append(hash_title(page.title))
                    if " " not in page.title:
                        found["titles"].append(hash_title(without_accents(page.title)))
                    linked |= {normalise_title(link, site)[0] for link in _LINK.findall(page.text)}
                    if sign := sign_of_person(page.title, page.text, self.lang):
                        context.count(sign)
                        found["persons"].append(hash_title(page.title))
                    continue
                target, section = redirect_link(page.text, site)
                # A part of a person's article is about something else: a house, a work, a child.
                if not section:
                    target = target or normalise_title(page.redirect, site)[0]
                    found["redirects"].append(hash_title(page.title))
                    found["targets"].append(hash_title(target))
            for title in sorted(linked):
                if begins_with_given_name(title, self.lang):
                    found["linked"].append(hash_title(title))
                    found["surnames"].append(hash_title(without_accents(title.split()[-1])))
            if found["titles"] or found["redirects"]:
                yield Out(_TITLES, found)


def _join_titles(result: RunResult, listed: Iterable[int]) -> Titles:
    """Join the hashes of persons' titles and of redirects to them, sorted, each once."""
    titles, persons, redirects, targets, linked, surnames = (
        _column(result.records(_TITLES), name) for name in _COLUMNS
    )
    has_page = np.isin(np.stack((linked, surnames)), np.union1d(titles, redirects)).any(axis=0)
    more = np.union1d(linked[~has_page], np.fromiter(listed, dtype=np.uint64))
    persons = np.union1d(persons, more)
    for _ in range(_HOPS):
        leads = np.isin(targets, persons) & ~np.isin(redirects, persons)
        if not leads.any():
            break
        persons = np.union1d(persons, redirects[leads])
    return persons


def _column(records: Iterable[dict[str, Any]], name: str) -> Titles:
    return np.fromiter((number for record in records for number in record[name]), dtype=np.uint64)
