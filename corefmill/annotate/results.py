"""Make a new corpus of raters' answers: a validated one of events, a corrected one of documents.

Events (WEC, section 3.3):
1. In a split with any judgement a mention stays where enough raters said yes, more than said no, or
   where the adjudicator said yes. A split without judgements stays as it is.
2. A training mention leaves where its article holds a mention of dev or test, whatever became of
   that, or where raters rejected it.
3. `unfinished`: too few raters, ask more. `low_agreement`: they disagree, somebody has to decide.

Documents:
1. The adjudicated state counts. Else it is the consensus (chain_state.py) of the raters who are
   done with a document, where they are enough.
2. In a split with any judgement a document with too few raters is left out as `unfinished`, one
   that nobody has begun as `unanswered`. A split without judgements stays as it is.
3. Clusters alone change. Words, sentences and all other data are the corpus's own.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corefmill.annotate import chain_pages, chain_state
from corefmill.annotate.chain_state import ChainState, Clusters
from corefmill.annotate.judgements import GivenAnswers, Judgement, holds_corrections, refuse_other
from corefmill.annotate.questions import ACT, SKIPPED
from corefmill.annotate.store import MAIN, JudgementStore, StoredJudgement, find_median
from corefmill.builders.corpus import card
from corefmill.builders.corpus.annotate import RatedCorpus, refuse_itself
from corefmill.builders.corpus.corpus import list_versions
from corefmill.builders.wec import forms
from corefmill.builders.wec.facts.event_facts import EVENT_NOTES
from corefmill.builders.wec.splits import TRAIN
from corefmill.builders.wec.survey import TABLE_1, SplitCounts
from corefmill.corpora import find, manifest
from corefmill.corpora.card_parts import table
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import write_whole
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import Document, EventMention
from corefmill.corpora.scoring import agreement
from corefmill.corpora.scoring.agreement import Estimate
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.sources import text_of

YES = "yes"
_ARTICLE = "article_in_dev_or_test"


@dataclass(frozen=True, slots=True)
class MentionVerdict:
    """The verdict on a mention: the reason to leave it out ("" to keep it), and the votes."""

    reason: str
    yes: int
    no: int
    decided: bool = False


def decide(given: Sequence[Judgement], decision: Judgement | None, least: int) -> MentionVerdict:
    """Decide on a mention by its adjudicator, else by a majority of at least `least` raters."""
    answers = [one for one in given if one.answer != SKIPPED]
    yes = sum(one.answer == YES for one in answers)
    no = len(answers) - yes
    # Who adjudicates has seen the others' answers: one decision is enough, whatever `least` is.
    if decision is not None and decision.answer != SKIPPED:
        own = [decision] if decision.reason else answers
        reason = "" if decision.answer == YES else _find_reason(own)
        return MentionVerdict(reason, yes, no, decided=True)
    if not answers:
        return MentionVerdict("skipped" if given else "unanswered", 0, 0)
    if len(answers) < least:  # more raters may help; below, only an adjudicator can
        return MentionVerdict("unfinished", yes, no)
    if yes == no or max(yes, no) < least:
        return MentionVerdict("low_agreement", yes, no)
    return MentionVerdict("" if yes > no else _find_reason(answers), yes, no)


def _find_reason(answers: Sequence[Judgement]) -> str:
    """Find the most frequent reason among rejections of a mention; of equals the first by name."""
    reasons = Counter(one.reason for one in answers if one.answer != YES and one.reason)
    return min(reasons, key=lambda name: (-reasons[name], name), default="rejected")


def validate(
    corpus: Path,
    files: Sequence[Path],
    out: Path,
    *,
    answers: GivenAnswers,
    least: int,
    overwrite: bool = False,
    command: str,
) -> Manifest:
    """Write the validated corpus into `out`, in the forms of the corpus.

    `meta["annotation"]` of a judged mention has `yes`, `no`, and the strength: the size of the
    majority; `adjudicated` where somebody decided. Raises `DataError` for answers about another
    corpus and where no judged mention is left, `UsageError` where `out` is the corpus or is taken.
    """
    refuse_itself(corpus, out)
    made = manifest.read(corpus)
    mentions = {
        split: list(jsonl.read(corpus / f"{split}.jsonl", EventMention)) for split in made.splits
    }
    # 1. A verdict on each mention that anybody judged.
    given: defaultdict[str, list[Judgement]] = defaultdict(list)
    for one in answers.raters:
        given[one.item].append(one)
    decided = {one.item: one for one in answers.decided}
    verdicts = {
        item: decide(given[item], decided.get(item), least)
        for item in dict.fromkeys((*given, *decided))
    }
    # 2. What stays. An article in dev or test keeps its mentions out of train even where raters
    # rejected it there: a model must not learn from the text that it is measured on.
    held_out = {_article(one) for name, own in mentions.items() if name != TRAIN for one in own}
    rejects: dict[str, Counter[str]] = {split: Counter() for split in mentions}
    kept = {
        split: list(_keep_mentions(split, own, verdicts, held_out, rejects[split]))
        for split, own in mentions.items()
    }
    judged = [split for split, own in mentions.items() if any(one.id in verdicts for one in own)]
    if not any(kept[split] for split in judged):
        raise DataError(
            f"no mention of the judged splits is left: {_describe_rejects(rejects)}",
            path=files[0],
            remedy="name the corpus that was judged, or lower --min-raters",
        )
    # 3. The new corpus has the files of the old one: the notes on events, and those forms in which
    # all of its splits are there.
    notes = [EVENT_NOTES] if EVENT_NOTES in made.files else []
    endings = [
        ending
        for ending in (".jsonl", ".json", ".conll", ".key.conll")
        if ending == ".jsonl" or all(f"{split}{ending}" in made.files for split in made.splits)
    ]
    survey = {split: SplitCounts() for split in kept}
    for split, own in kept.items():
        for mention in own:
            survey[split].add(mention)

    def write() -> Iterator[str]:
        """Write the files of the corpus, and yield the tables of its card."""
        for note in notes:
            write_whole(out / note, disk.read_bytes(corpus / note))
        number = forms.numbering()
        for split, own in kept.items():
            if len(endings) > 1:
                forms.write(out, split, own, name=f"{made.name}-validated", number=number)
            else:
                jsonl.write(out / f"{split}.jsonl", own)
        rows = [(split, *counts.counts().values()) for split, counts in survey.items()]
        yield from ("", "## Size (the paper's table 1)", "", *table(TABLE_1, rows))
        yield from ("", "## What was left out")
        yield from _list_rejects(rejects, "reason", "number")

    facts = {**answers.facts(), **_measure_agreement(answers)}
    validated = f"{', '.join(judged)}; by {least} or more, the majority of them"
    return RatedCorpus(
        made=made,
        how="validated",
        files=[*notes, *(f"{split}{one}" for split in kept for one in endings)],
        write=lambda: list(write()),
        splits={split: len(own) for split, own in kept.items()},
        counts={
            "splits": {split: own.counts() for split, own in survey.items()},
            "rejected": {split: dict(sorted(own.items())) for split, own in rejects.items()},
            "judged": len(verdicts),
            "of_models": answers.models,
            "facts": facts,
        },
        facts={"Validated": validated, **facts},
        limits=("What raters rejected or did not agree on is left out, and with it what is hard.",),
        least=least,
        answers={path.name: manifest.sha256(path) for path in files},
    ).assemble(out, overwrite=overwrite, command=command)


def _describe_rejects(rejects: Mapping[str, Counter[str]]) -> str:
    """Count the rejects of all splits by reason, for a message."""
    counts = sum(rejects.values(), Counter[str]()).most_common()
    return ", ".join(f"{reason} {count:,}" for reason, count in counts)


def _list_rejects(rejects: Mapping[str, Counter[str]], reason: str, number: str) -> Iterator[str]:
    """Write a table of each split's rejects by reason, the most frequent first."""
    for split, counted in rejects.items():
        if counted:
            yield from ("", *table((f"{split}: {reason}", number), card.sort_by_count(counted)))


def _keep_mentions(
    split: str,
    mentions: Sequence[EventMention],
    verdicts: Mapping[str, MentionVerdict],
    held_out: Container[tuple[str, int, str]],
    rejects: Counter[str],
) -> Iterator[EventMention]:
    """Yield the valid mentions of a split (rules 1 and 2), and count the others."""
    is_judged = split != TRAIN and any(one.id in verdicts for one in mentions)
    for mention in mentions:
        found = verdicts.get(mention.id)
        reason = found.reason if found else "unanswered" if is_judged else ""
        if split == TRAIN and reason in ("skipped", "unfinished", "low_agreement"):
            reason = ""  # as all the rest of train, which nobody judges
        if split == TRAIN and not reason and _article(mention) in held_out:
            reason = _ARTICLE
        if reason:
            rejects[reason] += 1
            continue
        if found is None:
            yield mention
            continue
        said: dict[str, object] = {
            "yes": found.yes,
            "no": found.no,
            "strength": max(found.yes, found.no),
        }
        if found.decided:
            said["adjudicated"] = True
        yield replace(mention, meta={**mention.meta, "annotation": said})


def _article(mention: EventMention) -> tuple[str, int, str]:
    return mention.lang, mention.source.page_id, mention.source.title


def _measure_agreement(answers: GivenAnswers) -> dict[str, str]:
    """Measure the raters' agreement on yes and no, for rows of the card."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in answers.raters:
        if one.answer != SKIPPED:
            counts[one.item][one.answer != YES] += 1
    several = [own for own in counts.values() if sum(own) > 1]
    if not several:
        return {"Agreement": "unknown: no mention was judged by two raters"}
    same, alpha = float(agreement.observed_agreement(several)), float(agreement.alpha(several))
    shown = "-, all being of one opinion" if math.isnan(alpha) else f"{alpha:.3f}"
    return {
        "Agreement": f"{100 * same:.1f} of 100 pairs of raters, on {len(several):,} mentions",
        "Krippendorff's alpha": shown,
    }


@dataclass(frozen=True, slots=True)
class CorrectedRound:
    """A store of corrections to documents: its rows that are not undone, by document.

    `states` has the clusters of each rater who finished a document, `decided` the adjudicated ones.
    """

    documents: chain_pages.Documents
    rows: Mapping[str, Sequence[StoredJudgement]]
    states: Mapping[str, Mapping[str, ChainState]]
    decided: Mapping[str, ChainState]

    def agreement(self, rounds: int, seed: int) -> tuple[Estimate, dict[tuple[str, str], float]]:
        """Compute Krippendorff's alpha over links of all raters, and the CoNLL F1 of each pair."""
        raters: defaultdict[str, list[ScoredDocument]] = defaultdict(list)
        for item, states in self.states.items():
            for rater, state in states.items():
                document = replace(self.documents[item].document, clusters=state.clusters())
                raters[rater].append(text_of(document))
        found = dict(sorted(raters.items()))
        return agreement.link_alpha(found, rounds, seed), agreement.pairwise_conll(found)

    def pace(self) -> dict[str, dict[str, Any]]:
        """Measure each rater's work: documents done and skipped, acts, and the median seconds of a
        document and an act."""
        own: defaultdict[str, list[StoredJudgement]] = defaultdict(list)
        for rows in self.rows.values():
            for row in rows:
                if row.stage == MAIN:
                    own[row.rater].append(row)
        found = {}
        for rater, rows in sorted(own.items()):
            ends = [row for row in rows if row.question != ACT]
            done = [row for row in ends if row.answer != SKIPPED]
            acts = [row for row in rows if row.question == ACT]
            found[rater] = {
                "done": len(done),
                "skipped": len(ends) - len(done),
                "acts": len(acts),
                "document": find_median(row.seconds for row in done),
                "act": find_median(row.seconds for row in acts),
            }
        return found


def read(corpus: Path, files: Sequence[Path]) -> CorrectedRound:
    """Read the corrections of a corpus's documents from one file of `annotate serve --chains`.

    Raises `UsageError` for several or other files, `DataError` for a file about another corpus, or
    with acts that do not give the acknowledged result.
    """
    path = files[0]
    if len(files) > 1 or not holds_corrections(path):
        raise UsageError(
            "corrections of documents can be read only from one file of `annotate serve --chains`",
            path=files[-1],
            remedy="leave this file out",
        )
    with JudgementStore.open(path) as kept:
        refuse_other(corpus, kept)
        standing = kept.standing()
    documents = chain_pages.read_documents(corpus)
    rows: defaultdict[str, list[StoredJudgement]] = defaultdict(list)
    for row in standing:
        if row.item in documents:
            rows[row.item].append(row)
    states, decided = {}, {}
    for item, own in rows.items():
        try:
            states[item] = chain_pages.replay_raters(documents[item], own)
            if (settled := chain_pages.replay_adjudicator(documents[item], own)) is not None:
                decided[item] = settled
        except ValueError:
            raise DataError(
                f"the corrections of {item[:60]!r} do not give the stored clusters", path=path
            ) from None
    return CorrectedRound(documents, dict(rows), states, decided)


def correct(
    corpus: Path,
    files: Sequence[Path],
    out: Path,
    *,
    least: int,
    overwrite: bool = False,
    command: str,
) -> Manifest:
    """Write the corrected corpus into `out`: JSON Lines, a card, and a manifest.

    `meta["annotation"]` of a judged document counts the raters who are done with it, and has
    `adjudicated` where somebody decided. Raises `DataError` where no document is done, `UsageError`
    where `out` is the corpus itself or is taken.
    """
    refuse_itself(corpus, out)
    own, found = read(corpus, files), find.open_corpus(corpus)
    rejects: dict[str, Counter[str]] = {split: Counter() for split in found.splits}
    splits = {
        split: list(_keep_documents(found, split, own, least, rejects[split]))
        for split in found.splits
    }
    if not own.decided and not any(len(one) >= least for one in own.states.values()):
        raise DataError(
            f"no document is finished by enough raters: {_describe_rejects(rejects)}",
            path=files[0],
            remedy="lower --min-raters",
        )

    def write() -> Iterator[str]:
        """Write the files of the corpus, and yield the tables of its card."""
        for split, own in splits.items():
            jsonl.write(out / f"{split}.jsonl", own)
        rows = [
            (
                *(split, f"{len(own):,}"),
                f"{sum(len(one.clusters) for one in own):,}",
                f"{sum(len(cluster) for one in own for cluster in one.clusters):,}",
            )
            for split, own in splits.items()
        ]
        head = ("split", "documents", "clusters", "mentions")
        yield from ("", "## Size", "", *table(head, rows))
        yield from _list_rejects(rejects, "left out because", "documents")

    facts = {"Corrected": f"chains, by {least} or more", **_describe_round(own)}
    left_out = {split: dict(counted) for split, counted in rejects.items()}
    return RatedCorpus(
        made=_read_manifest(corpus, found),
        how="corrected",
        files=[f"{split}.jsonl" for split in splits],
        write=lambda: list(write()),
        splits={split: len(rows) for split, rows in splits.items()},
        counts={"rejected": left_out, "facts": facts},
        facts=facts,
        limits=("Raters began with what was there: what looks right is seldom changed.",),
        least=least,
        answers=manifest.sha256(files[0]),
    ).assemble(out, overwrite=overwrite, command=command)


def _keep_documents(
    found: FoundCorpus, split: str, own: CorrectedRound, least: int, rejects: Counter[str]
) -> Iterator[Document]:
    """Yield the documents of a split with their new clusters (rules 1 and 2); count the others."""
    judged = any(own.documents[item].split == split for item in own.rows)
    for *_, record in find.read_placed(found, split):
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
            clusters = chain_state.find_consensus(states)
        else:
            rejects["unfinished" if item in own.rows else "unanswered"] += 1
            continue
        yield replace(record, clusters=clusters, meta={**record.meta, "annotation": said})


def _read_manifest(corpus: Path, found: FoundCorpus) -> Manifest:
    """Read the manifest of a corpus, or make one from its records."""
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
        versions=list_versions(""),
        build={"source": {"format": found.format, "sha256": find.fingerprint(found)}},
        licence="that of the source",
        attribution=found.name,
        files={},
    )


def _describe_round(own: CorrectedRound) -> dict[str, str]:
    """Describe raters, days, acts and agreement for rows of the card, without names."""
    pace = own.pace()
    sizes = ", ".join(
        str(size) for size in sorted((one["done"] for one in pace.values()), reverse=True)
    )
    days = sorted({row.at[:10] for rows in own.rows.values() for row in rows})
    found = {
        "Raters": f"{len(pace):,} (documents of each: {sizes or '-'})",
        "Judged": " to ".join(dict.fromkeys((days[0], days[-1]))),
        "Acts": f"{sum(one['acts'] for one in pace.values()):,}",
    }
    if own.decided:
        found["Adjudicated"] = f"{len(own.decided):,} documents"
    alpha, pairs = own.agreement(1000, 0)
    if not pairs:
        return {**found, "Agreement": "unknown: no document was done by two raters"}
    value = alpha.value
    found["Krippendorff's alpha over links"] = "-" if value is None else f"{value:.3f}"
    measured = [one for one in pairs.values() if not math.isnan(one)]
    if measured:
        mean = 100 * sum(measured) / len(measured)
        found["CoNLL F1 between raters"] = f"{mean:.2f}, the mean of {len(measured)} pairs"
    return found
