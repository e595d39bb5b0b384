"""`build wikicrem`: from a dump or plain text to a corpus of masked names."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.corpus import DEFAULT_FILTERS
from corefmill.builders.corpus.masked import CHANNEL, JudgedBuilder, JudgedContents
from corefmill.builders.corpus.options import describe_filters, find_unread, idle_warnings
from corefmill.builders.corpus.survey import ExampleTally
from corefmill.builders.nlp import WIKI
from corefmill.builders.persons import table
from corefmill.builders.persons.gender import GenderTally
from corefmill.builders.run.database import scratch_database
from corefmill.builders.run.job import RunResult
from corefmill.builders.run.run import Runner
from corefmill.builders.run.stages import Setup
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki import known_persons
from corefmill.builders.wikicrem.confidence import ConfidenceTally, refuse_unfit_pipeline
from corefmill.builders.wikicrem.filters import SURFACE, SYNTAX
from corefmill.builders.wikicrem.options import ON_CORPUS, WikicremOptions
from corefmill.builders.wikicrem.stages import setup
from corefmill.corpora.files import disk

_HOPS = 4
"""Redirects that lead to redirects; the wiki itself follows one, and loops end here."""


def find_non_persons(
    pages: Sequence[Path], targets: Iterable[str], *, memory: str = "512MB", scratch: Path
) -> frozenset[str]:
    """Select the link targets that lead, also by redirects, to articles about no person.

    `pages` are the JSON Lines shards of the channel `pages`: title, redirect, person. The join
    sorts on disk in `scratch` beyond `memory`; only the answer is held.
    """
    wanted = sorted(set(targets))
    if not pages or not wanted:
        return frozenset()
    with (
        scratch_database(scratch, memory=memory) as (base, folder),
        disk.plain_names(pages) as names,
    ):
        base.execute(
            "CREATE TABLE pages AS SELECT title, redirect, person"
            " FROM read_json(?, format = 'newline_delimited', columns ="
            " {title: 'VARCHAR', redirect: 'VARCHAR', person: 'BOOLEAN'})",
            [names],
        )
        listed = folder / "targets.jsonl"
        with listed.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps({"target": title}) + "\n" for title in wanted)
        base.execute(
            "CREATE TABLE links AS SELECT target AS link, target AS title FROM"
            " read_json(?, format = 'newline_delimited', columns = {target: 'VARCHAR'})",
            [str(listed)],
        )
        for _ in range(_HOPS):
            base.execute(
                # A title that comes twice leads one way, whatever the order of the pages.
                "UPDATE links SET title = next.title FROM (SELECT pages.title AS here,"
                " min(redirect) AS title FROM pages JOIN (SELECT DISTINCT title FROM links) linked"
                " ON pages.title = linked.title WHERE redirect IS NOT NULL GROUP BY here) next"
                " WHERE next.here = links.title"
            )
        rows = base.execute(
            "SELECT DISTINCT link FROM links JOIN pages USING (title) WHERE person = false"
        ).fetchall()
    return frozenset(link for (link,) in rows)


class WikicremContents(JudgedContents):
    """Examples without names linked to an article about a thing."""

    @staticmethod
    def find_banned(result: RunResult) -> Container[str]:
        """Find the linked articles about no person; examples that link to one are dropped."""
        targets = {
            target
            for record in result.records(CHANNEL)
            for target in record["meta"].get("links", {}).values()
        }
        return find_non_persons(list(result.files("pages")), targets, scratch=result.folder)

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """List the reasons to stop a draft."""
        return {*SURFACE, *SYNTAX, "other_gender", "name_not_expressible"}

    def tallies(self) -> Sequence[ExampleTally]:
        """Return the counters by confidence and by the gender of the right candidate."""
        return ConfidenceTally(), GenderTally(self.corpus.lang)


_FILTERS = {**SURFACE, **SYNTAX}
_BY_PIPELINE = "Names come from a recogniser and are wrong where it is wrong."
_BY_WIKI = (
    "Names come from the wiki's links to persons and the titles of their articles. Who has none is"
    " no name here, and what is named after a person may be taken for one."
)
_LIMITS = (
    "Two persons of one name in a passage are taken for one.",
    "The text was not written with a mask in mind: in some passages a pronoun would be ambiguous"
    " or stiff, and in some nothing but the world tells who is meant.",
    "Who is written about, and how, is Wikipedia's or the text's bias; see the table of genders.",
)


class Wikicrem(JudgedBuilder[WikicremOptions]):
    """Masked names: input, stages, splits and card."""

    name = "wikicrem"
    title = "WikiCREM, {}: masked names"
    channels = (CHANNEL, "pages")
    contents = WikicremContents
    on_corpus = ON_CORPUS

    def __init__(self, options: WikicremOptions, inputs: Sequence[Input] = ()) -> None:
        super().__init__(options, inputs)
        self.by_wiki = self.options.nlp == WIKI
        if self.by_wiki:
            known_persons.dump_of(self.source)
        if "doubtful" in options.filters:
            refuse_unfit_pipeline(self.pipeline)
        self.idle = table.list_idle_filters(self.options.filters, _FILTERS, self.lang)
        self.unseen = find_unread(self.options.filters, _FILTERS, self.pipeline.does)

    def first_pass(self, do: Runner) -> None:
        """Find the persons of a wiki, where names come from the wiki itself."""
        nlp, persons = str(self.options.nlp), self.options.persons
        known_persons.first_pass(nlp, self.lang, self.source, self.out, persons, do)

    def stages(self) -> Setup:
        """Return the maker of a worker's stages."""
        persons = known_persons.file_of(self.out) if self.by_wiki else None
        return partial(setup, self.given.reader, self.options, persons)

    def identity(self) -> dict[str, Any]:
        """Return the options that decide the corpus, with a digest of the titles of --persons."""
        persons = self.options.persons
        titles = None if persons is None else disk.hash_files([("", persons)])
        return {**super().identity(), "persons": titles}

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        options, version = self.options, self.pipeline.version
        facts = {
            "Language": self.lang,
            "Mode": self.mode,
            "Method": "WikiCREM (Kocijan et al. 2019), section 3",
            "Names by": "the wiki's own titles and links" if self.by_wiki else version,
            "Seed": str(options.seed),
        }
        if self.by_wiki:
            facts["Words and sentences by"] = version
        if self.mode == "clean":
            facts |= describe_filters(options.filters, self.idle, self.unseen)
            facts["Passages"] = (
                f"up to {options.most_sentences} sentences, as few as name the answer and somebody"
                " else before the mask"
            )
            facts["Names"] = (
                "without possessive endings, with the honorific before them; known names carried"
                " over the whole article; sentences cut again at plain full stops"
            )
            if table.load(self.lang).declensions:
                facts["Candidates"] = (
                    "the forms of a name are one name; all stand in the mask's case, as the passage"
                    " has them there, else as the language's table declines them"
                )
        return facts

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        return (_BY_WIKI if self.by_wiki else _BY_PIPELINE, *_LIMITS)

    def warnings(self) -> Sequence[str]:
        """Name the filters without effect here."""
        return idle_warnings(self.idle, self.lang, self.unseen, f"--nlp {self.options.nlp}")

    def filter_setting(self) -> str:
        """Name the setting of filters, "" for a setting without examples that people have read."""
        plain = WikicremOptions(lang=self.lang, mode=self.options.mode)
        own, usual = (
            (one.filters, one.sentences, one.min_confidence, one.same_gender)
            for one in (self.options, plain)
        )
        return DEFAULT_FILTERS if own == usual else ""
