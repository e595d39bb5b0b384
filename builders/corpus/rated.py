"""Writes a corpus that raters have judged: labelled, validated or corrected.

Beside the records, which whoever judged them writes, it gets a card and a manifest that say what
those of the corpus that was judged said, and what the raters made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corefmill.builders.corpus import card
from corefmill.builders.corpus.corpus import Corpus
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.ownership import together
from corefmill.corpora.manifest import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedCorpus:
    """What raters left of a corpus, of the manifest `made`.

    `how` is what they made of it, such as labelled; `files` are all but the card and the manifest.
    `write` writes these and returns the sections of the card. `splits` has the number of records,
    `least` how many raters were to agree, and `answers` the checksums of what they said.
    """

    made: Manifest
    how: str
    files: Sequence[str]
    write: Callable[[], Iterable[str]]
    splits: Mapping[str, int]
    counts: Mapping[str, Any]
    facts: Mapping[str, str]
    limits: Sequence[str]
    least: int
    answers: str | Mapping[str, str]

    def assemble(self, out: Path, *, overwrite: bool, command: str) -> Manifest:
        """Writes all of it into a folder, the manifest last; raises `UsageError` if it is taken."""
        made, names = self.made, (*card.FILES, *self.files)
        stated = Corpus.judged(
            *(made, self.how, out), command=command, facts=self.facts, limits=self.limits
        )
        with together(out, (*names, manifest.NAME), overwrite=overwrite):
            (out / manifest.NAME).unlink(missing_ok=True)  # until the new one is whole
            sections = self.write()
            card.write(stated, sections, made.warnings, schema=made.schema, splits=self.splits)
            rated = replace(
                made,
                name=stated.name,
                splits=dict(self.splits),
                counts=dict(self.counts),
                build={**made.build, "annotation": {"least": self.least, "answers": self.answers}},
                files={name: manifest.sha256(out / name) for name in sorted(names)},
            )
            manifest.write(out, rated)
        return rated


def refuse_itself(corpus: Path, out: Path) -> None:
    """Raises `UsageError` where a corpus, a folder or a file in it, would replace itself."""
    if out.resolve() in (corpus.resolve(), corpus.resolve().parent if corpus.is_file() else None):
        raise UsageError("the corpus cannot replace itself", path=out, remedy="name another --out")
