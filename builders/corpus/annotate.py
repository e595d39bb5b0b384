"""Corpora that raters judged: their records, labels, card and manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from corefmill.builders.corpus import card, survey
from corefmill.builders.corpus.ballots import Ballot, Vote, count_votes, measure_alpha
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.masked import WriteMasked
from corefmill.corpora import manifest
from corefmill.corpora.card_parts import table
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import together
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedCorpus:
    """A rated corpus with the manifest `made`.

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


class RaterAgreement:
    """A tally of agreeing raters per kept label."""

    name = "strength"

    def __init__(self) -> None:
        self._counted: Counter[int] = Counter()

    def watch(self, example: MaskedExample) -> None:
        """Counts one example."""
        self._counted[example.meta["annotation"]["strength"]] += 1

    def counts(self) -> dict[str, int]:
        """Examples by the number of raters who agree."""
        return {str(strength): count for strength, count in sorted(self._counted.items())}

    def section(self) -> Sequence[str]:
        """The card's lines."""
        return ["## Agreement", "", *table(("raters who agree", "examples"), self.counts().items())]


def examples(corpus: Path) -> dict[str, list[MaskedExample]]:
    """The masked examples of a corpus by split.

    Raises `DataError` for a corpus of another kind, or where an id comes twice.
    """
    made = manifest.read(corpus)
    if made.schema != "masked-example/1":
        raise DataError(f"its records are {made.schema}, not masked-example/1", path=corpus)
    found = {
        split: list(jsonl.read(corpus / f"{split}.jsonl", MaskedExample)) for split in made.splits
    }
    ids = Counter(example.id for split in found.values() for example in split)
    if ids and ids.most_common(1)[0][1] > 1:
        raise DataError(f"the id {ids.most_common(1)[0][0]!r} comes twice", path=corpus)
    return found


def fault(ballot: Ballot | None, least: int) -> str | None:
    """Why an item gets no label, None if it gets one."""
    if ballot is None:
        return "unanswered"
    if ballot.decision is not None:
        return "no_answer" if ballot.label is None else None
    if ballot.raters < least:
        return "unfinished"  # which says nothing of how far raters agree
    if ballot.label is None:
        return "no_answer" if ballot.none == ballot.strength else "no_majority"
    return "low_agreement" if ballot.strength < least else None


def label(
    corpus: Path,
    files: Sequence[Path],
    out: Path,
    *,
    votes: Iterable[Vote],
    decided: Iterable[Vote] = (),
    said: Mapping[str, str],
    least: int,
    overwrite: bool = False,
    forms: Mapping[str, WriteMasked],
    command: str,
) -> Manifest:
    """Writes the corpus of the items on whose label at least `least` raters agree into `out`.

    The `votes`, and those that `decided` where raters disagree, are from `files`; the card has what
    is `said` of them. `meta["annotation"]` has the votes by candidate, those for none, and the
    strength: how many agree. Raises `DataError` for answers that do not belong to the corpus and
    where none is left, `UsageError` where `out` is the corpus itself, or has one of the files and
    not `overwrite`.
    """
    refuse_itself(corpus, out)
    made, splits = manifest.read(corpus), examples(corpus)
    known = {example.id: example.candidates for split in splits.values() for example in split}
    ballots = count_votes(votes, known, decided)
    items = _LabelledItems(splits, ballots, least, made.seed)
    if not any(items.sizes.values()):
        raise items.nothing(files[0])
    agreement = measure_alpha(ballots.values())
    return RatedCorpus(
        made=made,
        how="labelled",
        files=items.files(forms),
        write=partial(items.write, out, forms),
        splits=items.sizes,
        counts={
            **items.seen.counts(),
            "items": len(known),
            "answered": len(ballots),
            "alpha": agreement,
            "rejected": dict(sorted(items.rejects.items())),
        },
        facts={**_facts(least, agreement, len(ballots)), **said},
        limits=("What few raters agree on is left out, and with it what is hard for people.",),
        least=least,
        answers={path.name: manifest.sha256(path) for path in files},
    ).assemble(out, overwrite=overwrite, command=command)


def _facts(least: int, agreement: float | None, answered: int) -> dict[str, str]:
    shown = "-" if agreement is None else f"{agreement:.3f}"
    return {
        "Labels": f"of {least} raters or more who agree",
        "Krippendorff's alpha": f"{shown}, of {answered:,} items with answers",
    }


class _LabelledItems:
    """The items of a corpus that got their label, by split, and what was counted of all."""

    def __init__(
        self,
        splits: Mapping[str, Sequence[MaskedExample]],
        ballots: Mapping[str, Ballot],
        least: int,
        seed: int,
    ) -> None:
        self._ballots = ballots
        self.rejects: Counter[str] = Counter()
        self.seen = survey.MaskedSurvey((RaterAgreement(),), seed)
        self._kept = {
            split: list(self.seen.watch(_label_examples(found, ballots, least, self.rejects)))
            for split, found in splits.items()
        }
        self.sizes = {split: len(records) for split, records in self._kept.items()}

    def nothing(self, answers: Path) -> DataError:
        """Return the error for a corpus without a labelled item."""
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in self.rejects.most_common())
        return DataError(
            f"no item has a label: {reasons}",
            path=answers,
            remedy="--min-raters takes less agreement"
            if self._ballots
            else "answers of models make no label",
        )

    def files(self, forms: Iterable[str]) -> list[str]:
        """The names of the files of `write`."""
        endings = dict.fromkeys((".jsonl", *forms))
        written = (f"{split}{ending}" for split in self.sizes for ending in endings)
        return [survey.LENGTHS_PICTURE, survey.SHARES_PICTURE, *written]

    def write(self, out: Path, forms: Mapping[str, WriteMasked]) -> Iterable[str]:
        """Writes every split as JSON Lines and in the other forms, and the pictures; returns the
        card's sections."""
        for split, records in self._kept.items():
            for ending, write_form in {".jsonl": jsonl.write, **forms}.items():
                write_form(out / f"{split}{ending}", records)
        self.seen.shares.read_names([out / f"{split}.jsonl" for split in self._kept])
        self.seen.shares.picture(out / survey.SHARES_PICTURE)
        survey.picture(self.seen.lengths, out / survey.LENGTHS_PICTURE)
        return survey.sections(self.seen, splits=self.sizes, rejects={"item": self.rejects})


def _label_examples(
    found: Sequence[MaskedExample],
    ballots: Mapping[str, Ballot],
    least: int,
    rejects: Counter[str],
) -> Iterator[MaskedExample]:
    for example in found:
        ballot = ballots.get(example.id)
        reason = fault(ballot, least)
        if reason is not None or ballot is None:
            rejects[reason or ""] += 1
            continue
        said: dict[str, Any] = {
            "votes": list(ballot.votes),
            "none": ballot.none,
            "strength": ballot.strength,
        }
        if ballot.decision is not None:
            said["adjudicated"] = True
        yield replace(example, label=ballot.label, meta={**example.meta, "annotation": said})
