"""Assemble a corpus of masked names once its run is whole."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from corefmill.builders.corpus.masked import CHANNEL, JudgedContents
from corefmill.builders.corpus.survey import ExampleTally
from corefmill.builders.persons.gender import GenderTally
from corefmill.builders.run.database import scratch_database
from corefmill.builders.run.job import RunResult
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.corpora.files import disk

_HOPS = 4
"""Redirects that lead to redirects; the wiki itself follows one, and loops end here."""


def not_persons(
    pages: Sequence[Path], targets: Iterable[str], *, memory: str = "512MB", scratch: Path
) -> frozenset[str]:
    """Select the `targets` leading to articles about no person, through redirects.

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
    def banned(result: RunResult) -> Container[str]:
        """Find the linked articles about no person."""
        targets = {
            target
            for record in result.records(CHANNEL)
            for target in record["meta"].get("links", {}).values()
        }
        return not_persons(list(result.files("pages")), targets, scratch=result.folder)

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """List the reasons to stop a draft."""
        return {*SURFACE, *SYNTAX, "name_not_expressible"}

    def tallies(self) -> Sequence[ExampleTally]:
        """Right candidates by gender."""
        return (GenderTally(self.corpus.lang),)
