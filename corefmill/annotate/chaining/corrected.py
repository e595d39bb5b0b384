"""Corrected documents: what raters made of a corpus becomes a corpus again.

1. Of a document that somebody adjudicated it is what that made. Else it is what the raters agree on
   who are done with it (consensus.py), where they are enough.
2. Of a split that anybody has judged, what too few are done with is left out as `unfinished`, and
   what nobody has begun as `unanswered`. A split that nobody has judged stays as it is.
3. Clusters alone change. Words, sentences and what the corpus says beside them are its own.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import median

from corefmill.annotate.chaining import consensus, work
from corefmill.annotate.chaining.state import ChainState, Clusters
from corefmill.annotate.questions import ACT, CHAINS, SKIPPED
from corefmill.annotate.store import MAIN, JudgementStore, StoredJudgement
from corefmill.builders.corpus import card
from corefmill.builders.corpus.annotate import RatedCorpus, refuse_itself
from corefmill.builders.corpus.corpus import versions
from corefmill.corpora import find, jsonl, manifest
from corefmill.corpora.errors import DataError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import Document
from corefmill.corpora.scoring import chain_agreement
from corefmill.corpora.scoring.agreement import Estimate
from corefmill.corpora.scoring.sources import text_of
from corefmill.corpora.tables import table


@dataclass(frozen=True, slots=True)
class ChainPace:
    """What a rater did: documents done and skipped, acts, median seconds of a document and act."""

    done: int
    skipped: int
    acts: int
    document: float | None
    act: float | None


@dataclass(frozen=True, slots=True)
class CorrectedRound:
    """A file of the pages about documents, read: its task, and of each document what stands.

    `states` are what each rater made of a document and is done with, `decided` what adjudication
    made of it.
    """

    kind: str
    documents: work.Documents
    rows: Mapping[str, Sequence[StoredJudgement]]
    states: Mapping[str, Mapping[str, ChainState]]
    decided: Mapping[str, ChainState]

    def by_rater(self) -> dict[str, dict[str, Document]]:
        """The documents that each rater is done with, as that left them."""
        found: defaultdict[str, dict[str, Document]] = defaultdict(dict)
        for item, states in self.states.items():
            for rater, state in states.items():
                clusters = state.clusters()
                found[rater][item] = replace(self.documents[item].document, clusters=clusters)
        return dict(sorted(found.items()))

    def agreement(self, rounds: int, seed: int) -> tuple[Estimate, dict[tuple[str, str], float]]:
        """Krippendorff's alpha over links of all raters, and the F1 of each pair.

        That is CoNLL F1 of chains and the F1 of mentions of spans, whose alpha takes each mention
        for a cluster of its own.
        """
        found = self.by_rater()
        if self.kind != CHAINS:
            found = {
                rater: {item: _apart(one) for item, one in own.items()}
                for rater, own in found.items()
            }
        raters = {rater: [text_of(one) for one in own.values()] for rater, own in found.items()}
        alpha = chain_agreement.alpha(raters, rounds, seed)
        if self.kind == CHAINS:
            return alpha, chain_agreement.conll(raters)
        return alpha, dict(_mention_f1(found))

    def pace(self) -> dict[str, ChainPace]:
        """How much each rater did, and how fast."""
        own: defaultdict[str, list[StoredJudgement]] = defaultdict(list)
        for rows in self.rows.values():
            for row in rows:
                if row.stage == MAIN:
                    own[row.rater].append(row)
        return {rater: _pace(rows) for rater, rows in sorted(own.items())}


def read(corpus: Path, kept: JudgementStore) -> CorrectedRound:
    """What a file of the pages says of the documents of a corpus.

    Raises `DataError` where its acts do not give what was acknowledged.
    """
    kind = kept.facts()["task"]
    documents = work.documents(corpus)
    rows: defaultdict[str, list[StoredJudgement]] = defaultdict(list)
    for row in kept.standing():
        if row.item in documents:
            rows[row.item].append(row)
    states, decided = {}, {}
    for item, own in rows.items():
        try:
            states[item] = work.finished(documents[item], own)
            if (settled := work.decided(documents[item], own)) is not None:
                decided[item] = settled
        except ValueError:
            raise DataError(
                f"the acts on {item[:60]!r} do not give what was acknowledged", path=kept.path
            ) from None
    return CorrectedRound(kind, documents, dict(rows), states, decided)


def correct(
    corpus: Path,
    db: Path,
    kept: JudgementStore,
    out: Path,
    *,
    least: int,
    overwrite: bool = False,
    command: str,
) -> Manifest:
    """Writes the corrected corpus into `out`: JSON Lines, a card, and a manifest.

    `meta["annotation"]` of a judged document says how many raters are done with it, and
    `adjudicated` where somebody decided. Raises `DataError` where no document is left in what was
    judged, `UsageError` where `out` is the corpus itself or is taken.
    """
    refuse_itself(corpus, out)
    own, found = read(corpus, kept), find.at(corpus)
    rejects: dict[str, Counter[str]] = {split: Counter() for split in found.splits}
    splits = {
        split: list(_kept(found, split, own, least, rejects[split])) for split in found.splits
    }
    if not own.decided and not any(len(one) >= least for one in own.states.values()):
        left = sum(rejects.values(), Counter()).most_common()
        raise DataError(
            "no document is done: " + ", ".join(f"{name} {count:,}" for name, count in left),
            path=db,
            remedy="--min-raters takes fewer raters",
        )

    def write() -> Iterator[str]:
        for split, rows in splits.items():
            jsonl.write(out / f"{split}.jsonl", rows)
        return _sections(splits, rejects)

    facts = {"Corrected": f"{own.kind}, by {least} or more", **_facts(own)}
    left_out = {split: dict(counted) for split, counted in rejects.items()}
    return RatedCorpus(
        made=_manifest(corpus, found),
        how="corrected",
        files=[f"{split}.jsonl" for split in splits],
        write=write,
        splits={split: len(rows) for split, rows in splits.items()},
        counts={"rejected": left_out, "facts": facts},
        facts=facts,
        limits=("Raters began with what was there: what looks right is seldom changed.",),
        least=least,
        answers=manifest.sha256(db),
    ).assemble(out, overwrite=overwrite, command=command)


def _kept(
    found: FoundCorpus, split: str, own: CorrectedRound, least: int, rejects: Counter[str]
) -> Iterator[Document]:
    judged = any(own.documents[item].split == split for item in own.rows)
    for *_, record in find.placed(found, split):
        assert isinstance(record, Document)  # `read` has found documents
        item = f"{record.doc_id}/{record.part}"
        if not judged or item not in own.documents:  # it has no words
            yield record
            continue
        states = list(own.states.get(item, {}).values())
        said: dict[str, object] = {"raters": len(states)}
        clusters: Clusters
        if item in own.decided:
            clusters = own.decided[item].clusters()
            said["adjudicated"] = True
        elif states and len(states) >= least:
            clusters = consensus.agreed(states)
        else:
            rejects["unfinished" if item in own.rows else "unanswered"] += 1
            continue
        yield replace(record, clusters=clusters, meta={**record.meta, "annotation": said})


def _manifest(corpus: Path, found: FoundCorpus) -> Manifest:
    """That of the corpus, or what can be said of one that has none."""
    if corpus.is_dir() and (corpus / manifest.NAME).exists():
        return manifest.read(corpus)
    return Manifest(
        name=found.name,
        schema="document/1",
        lang=found.lang,
        mode="-",
        splits={},
        counts={},
        seed=0,
        versions=versions(""),
        build={"source": {"format": found.format, "sha256": find.fingerprint(found)}},
        licence="that of the source",
        attribution=found.name,
        files={},
    )


def _facts(own: CorrectedRound) -> dict[str, str]:
    """Rows of the card: raters, days, agreement; nobody's name."""
    pace = own.pace()
    sizes = ", ".join(
        str(size) for size in sorted((one.done for one in pace.values()), reverse=True)
    )
    days = sorted({row.at[:10] for rows in own.rows.values() for row in rows})
    found = {
        "Raters": f"{len(pace):,} (documents of each: {sizes or '-'})",
        "Judged": " to ".join(dict.fromkeys((days[0], days[-1]))),
        "Acts": f"{sum(one.acts for one in pace.values()):,}",
    }
    if own.decided:
        found["Adjudicated"] = f"{len(own.decided):,} documents"
    alpha, pairs = own.agreement(1000, 0)
    if not pairs:
        return {**found, "Agreement": "unknown: no document was done by two raters"}
    value = alpha.value
    found["Krippendorff's alpha over links"] = "-" if value is None else f"{value:.3f}"
    measured = [one for one in pairs.values() if not math.isnan(one)]
    what = "CoNLL F1" if own.kind == CHAINS else "F1 of mentions"
    if measured:
        mean = 100 * sum(measured) / len(measured)
        found[f"{what} between raters"] = f"{mean:.2f}, the mean of {len(measured)} pairs"
    return found


def _sections(
    splits: Mapping[str, Sequence[Document]], rejects: Mapping[str, Counter[str]]
) -> Iterator[str]:
    rows = [
        (
            *(split, f"{len(own):,}"),
            f"{sum(len(one.clusters) for one in own):,}",
            f"{sum(len(cluster) for one in own for cluster in one.clusters):,}",
        )
        for split, own in splits.items()
    ]
    yield from ("", "## Size", "", *table(("split", "documents", "clusters", "mentions"), rows))
    for split, counted in rejects.items():
        if counted:
            head = f"{split}: left out because"
            yield from ("", *table((head, "documents"), card.most_first(counted)))


def _apart(document: Document) -> Document:
    clusters = tuple((mention,) for cluster in document.clusters for mention in cluster)
    return replace(document, clusters=clusters)


def _mention_f1(
    found: Mapping[str, Mapping[str, Document]],
) -> Iterator[tuple[tuple[str, str], float]]:
    for first, second in combinations(found, 2):
        if both := [item for item in found[first] if item in found[second]]:
            one, other = (
                Counter(
                    (item, m) for item in both for own in found[rater][item].clusters for m in own
                )
                for rater in (first, second)
            )
            total = one.total() + other.total()
            yield (first, second), 2 * (one & other).total() / total if total else 1.0


def _pace(rows: Sequence[StoredJudgement]) -> ChainPace:
    ends = [row for row in rows if row.question != ACT]
    done = [row for row in ends if row.answer != SKIPPED]
    acts = [row for row in rows if row.question == ACT]
    return ChainPace(len(done), len(ends) - len(done), len(acts), _median(done), _median(acts))


def _median(rows: Sequence[StoredJudgement]) -> float | None:
    took = [row.seconds for row in rows if row.seconds is not None]
    return median(took) if took else None
