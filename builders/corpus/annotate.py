"""Write corpora with the labels of raters: records, labels, card and manifest."""

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
    """A corpus to be written after annotation; `made` is the corpus's manifest from before it.

    `how` names the raters' work, such as labelled; `files` are all but the card and the manifest.
    `write` writes these files and returns the sections of the card. `splits` has the number of
    records by split, `least` the number of raters that must agree, `answers` the checksums of the
    answers.
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
        """Write the corpus into the folder `out`, the manifest last; see `together`."""
        made, names = self.made, (*card.FILES, *self.files)
        rated_corpus = Corpus.from_rated(
            *(made, self.how, out), command=command, facts=self.facts, limits=self.limits
        )
        with together(out, (*names, manifest.NAME), overwrite=overwrite):
            (out / manifest.NAME).unlink(missing_ok=True)  # until the new one is whole
            sections = self.write()
            card.write_card(
                rated_corpus, sections, made.warnings, schema=made.schema, splits=self.splits
            )
            rated = replace(
                made,
                name=rated_corpus.name,
                splits=dict(self.splits),
                counts=dict(self.counts),
                build={**made.build, "annotation": {"least": self.least, "answers": self.answers}},
                files={name: manifest.sha256(out / name) for name in sorted(names)},
            )
            manifest.write(out, rated)
        return rated


def refuse_itself(corpus: Path, out: Path) -> None:
    """Raise `UsageError` if the output folder is the folder of the input corpus."""
    if out.resolve() in (corpus.resolve(), corpus.resolve().parent if corpus.is_file() else None):
        raise UsageError("--out is the input corpus", path=out, remedy="name another folder")


class RaterAgreement:
    """Counts how many raters agree on each label, for the card."""

    name = "strength"

    def __init__(self) -> None:
        self._counted: Counter[int] = Counter()

    def watch(self, example: MaskedExample) -> None:
        """Count the agreeing raters of one example."""
        self._counted[example.meta["annotation"]["strength"]] += 1

    def counts(self) -> dict[str, int]:
        """Return the number of examples by number of agreeing raters."""
        return {str(strength): count for strength, count in sorted(self._counted.items())}

    def section(self) -> Sequence[str]:
        """Return the card's lines on agreement."""
        return ["## Agreement", "", *table(("raters who agree", "examples"), self.counts().items())]


def read_examples(corpus: Path) -> dict[str, list[MaskedExample]]:
    """Read the masked examples of a corpus by split.

    Raises `DataError` for a corpus of another schema, or for an id of two examples.
    """
    made = manifest.read(corpus)
    if made.schema != "masked-example/1":
        raise DataError(f"only masked examples get labels, not {made.schema}", path=corpus)
    found = {
        split: list(jsonl.read(corpus / f"{split}.jsonl", MaskedExample)) for split in made.splits
    }
    ids = Counter(example.id for split in found.values() for example in split)
    if ids and ids.most_common(1)[0][1] > 1:
        raise DataError(f"two examples have the id {ids.most_common(1)[0][0]!r}", path=corpus)
    return found


def find_fault(ballot: Ballot | None, least: int) -> str | None:
    """Return the reason for leaving an item without a label, None if it gets one."""
    if ballot is None:
        return "unanswered"
    if ballot.decision is not None:
        return "no_answer" if ballot.label is None else None
    if ballot.raters < least:
        return "unfinished"  # says nothing about agreement
    if ballot.label is None:
        return "no_answer" if ballot.none == ballot.strength else "no_majority"
    return "low_agreement" if ballot.strength < least else None


def write_labelled(
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
    """Write a corpus of the items with at least `least` agreeing raters into the folder `out`.

    `files` are the files of the raters' `votes` and of the adjudicator's decisions (`decided`);
    `said` are the card's rows on the raters. `meta["annotation"]` of a record has the votes by
    candidate, the votes for none, and the strength: the number of agreeing raters. Raises
    `DataError` for answers to items of another corpus and if no item gets a label, `UsageError`
    if `out` is the corpus itself, or holds one of its files and `overwrite` is false.
    """
    refuse_itself(corpus, out)
    made, splits = manifest.read(corpus), read_examples(corpus)
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
        facts={
            "Labels": f"of {least} raters or more who agree",
            "Krippendorff's alpha": f"{'-' if agreement is None else f'{agreement:.3f}'}, of"
            f" {len(ballots):,} items with answers",
            **said,
        },
        limits=("What few raters agree on is left out, and with it what is hard for people.",),
        least=least,
        answers={path.name: manifest.sha256(path) for path in files},
    ).assemble(out, overwrite=overwrite, command=command)


class _LabelledItems:
    """The labelled items of a corpus by split, and counts of all its items."""

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
            f"no item of the corpus got a label from these answers: {reasons}",
            path=answers,
            remedy="lower --min-raters"
            if self._ballots
            else "give answers of people: those of models make no label",
        )

    def files(self, forms: Iterable[str]) -> list[str]:
        """List the names of the files of `write`, with splits in these forms."""
        endings = dict.fromkeys((".jsonl", *forms))
        written = (f"{split}{ending}" for split in self.sizes for ending in endings)
        return [survey.LENGTHS_PICTURE, survey.SHARES_PICTURE, *written]

    def write(self, out: Path, forms: Mapping[str, WriteMasked]) -> Iterable[str]:
        """Write every split as JSON Lines and in the other forms, and the pictures; return the
        card's sections."""
        for split, records in self._kept.items():
            for ending, write_form in {".jsonl": jsonl.write, **forms}.items():
                write_form(out / f"{split}{ending}", records)
        self.seen.shares.read_names([out / f"{split}.jsonl" for split in self._kept])
        self.seen.shares.picture(out / survey.SHARES_PICTURE)
        survey.draw_lengths(self.seen.lengths, out / survey.LENGTHS_PICTURE)
        return survey.make_sections(self.seen, splits=self.sizes, rejects={"item": self.rejects})


def _label_examples(
    examples: Sequence[MaskedExample],
    ballots: Mapping[str, Ballot],
    least: int,
    rejects: Counter[str],
) -> Iterator[MaskedExample]:
    """Yield the labelled examples with their votes; count the others in `rejects`."""
    for example in examples:
        ballot = ballots.get(example.id)
        reason = find_fault(ballot, least)
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
