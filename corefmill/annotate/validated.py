"""A validated event corpus: what raters rejected leaves dev and test (WEC, section 3.3).

1. Of a split that anybody has judged, a mention stays where enough raters said yes, more than said
   no, or where who adjudicates said yes. A split that nobody has judged stays as it is.
2. A training mention leaves where its article holds a mention of dev or test, whatever became of
   that, or where raters rejected it.
3. `unfinished` is what too few have judged. `low_agreement` is what they do not agree on: the one
   asks for more raters, the other for somebody who decides.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corefmill.annotate.judgements import VALID, GivenAnswers, Judgement
from corefmill.annotate.questions import SKIPPED
from corefmill.builders.corpus import card
from corefmill.builders.corpus.annotate import RatedCorpus, refuse_itself
from corefmill.builders.wec import forms
from corefmill.builders.wec.facts import event_notes
from corefmill.builders.wec.splits import TRAIN
from corefmill.builders.wec.survey import TABLE_1, SplitCounts
from corefmill.corpora import disk, jsonl, manifest
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import DataError
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import EventMention
from corefmill.corpora.scoring import agreement
from corefmill.corpora.tables import table

YES = "yes"
_ARTICLE = "article_in_dev_or_test"


@dataclass(frozen=True, slots=True)
class MentionVerdict:
    """What became of a mention: `reason` says why it leaves, and is empty where it stays.

    `yes` and `no` are raters; `decided` is whether somebody adjudicated.
    """

    reason: str
    yes: int
    no: int
    decided: bool = False


def verdict(given: Sequence[Judgement], decision: Judgement | None, least: int) -> MentionVerdict:
    """Of one mention: by who adjudicates, else by the majority of at least `least` raters."""
    answers = [one for one in given if one.answer != SKIPPED]
    yes = sum(one.answer == YES for one in answers)
    no = len(answers) - yes
    if decision is not None and decision.answer != SKIPPED:
        own = [decision] if decision.reason else answers
        reason = "" if decision.answer == YES else _rejected(own)
        return MentionVerdict(reason, yes, no, decided=True)
    if not answers:
        return MentionVerdict("skipped" if given else "unanswered", 0, 0)
    if len(answers) < least:
        return MentionVerdict("unfinished", yes, no)
    if yes == no or max(yes, no) < least:
        return MentionVerdict("low_agreement", yes, no)
    return MentionVerdict("" if yes > no else _rejected(answers), yes, no)


def _rejected(answers: Sequence[Judgement]) -> str:
    """The reason that most gave, of equals the first by name: boundary, metonym ... or rejected."""
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
    """Writes the validated corpus into `out`, in the forms that the corpus has.

    `meta["annotation"]` of a judged mention has `yes`, `no`, and the strength: how many said what
    counts; `adjudicated` where somebody decided. Raises `DataError` for answers that do not belong
    to the corpus and where no mention is left in what was judged, `UsageError` where `out` is the
    corpus itself or is taken.
    """
    refuse_itself(corpus, out)
    made = manifest.read(corpus)
    mentions = {
        split: list(jsonl.read(corpus / f"{split}.jsonl", EventMention)) for split in made.splits
    }
    verdicts = _verdicts(mentions, answers, least)
    rejects: dict[str, Counter[str]] = {split: Counter() for split in mentions}
    kept = {split: list(_kept(split, mentions, verdicts, rejects[split])) for split in mentions}
    judged = [split for split, own in mentions.items() if any(one.id in verdicts for one in own)]
    _refuse_none_left([one for split in judged for one in kept[split]], rejects.values(), files[0])
    survey = {split: SplitCounts() for split in kept}
    for split, own in kept.items():
        for mention in own:
            survey[split].add(mention)

    def write() -> Iterator[str]:
        for note in _notes(made):
            write_whole(out / note, disk.whole(corpus / note))
        _write_splits(out, kept, made)
        return _sections(survey, rejects)

    facts = {**answers.facts(), **_agreement(answers)}
    validated = f"{', '.join(judged)}; by {least} or more, the majority of them"
    return RatedCorpus(
        made=made,
        how="validated",
        files=[*_notes(made), *(f"{split}{one}" for split in kept for one in _endings(made))],
        write=write,
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


def _verdicts(
    mentions: Mapping[str, Sequence[EventMention]], answers: GivenAnswers, least: int
) -> dict[str, MentionVerdict]:
    """The verdict on each mention that anybody has judged."""
    known = {one.id for own in mentions.values() for one in own}
    given: defaultdict[str, list[Judgement]] = defaultdict(list)
    for path, one in (*answers.raters, *answers.decided):
        if one.question != VALID:
            raise DataError(f"asks {one.question!r} of {one.item[:60]!r}, not {VALID!r}", path=path)
        if one.item not in known:
            raise DataError(
                f"no item {one.item[:60]!r} in the corpus",
                path=path,
                remedy="were these answers given to this very corpus?",
            )
    for _, one in answers.raters:
        given[one.item].append(one)
    decided = {one.item: one for _, one in answers.decided}
    judged = dict.fromkeys((*given, *decided))
    return {item: verdict(given[item], decided.get(item), least) for item in judged}


def _kept(
    split: str,
    mentions: Mapping[str, Sequence[EventMention]],
    verdicts: Mapping[str, MentionVerdict],
    rejects: Counter[str],
) -> Iterator[EventMention]:
    elsewhere = {_article(one) for name, own in mentions.items() if name != TRAIN for one in own}
    is_judged = split != TRAIN and any(one.id in verdicts for one in mentions[split])
    for mention in mentions[split]:
        found = verdicts.get(mention.id)
        reason = found.reason if found else "unanswered" if is_judged else ""
        if split == TRAIN and reason in ("skipped", "unfinished", "low_agreement"):
            reason = ""  # as all the rest of train, which nobody judges
        if split == TRAIN and not reason and _article(mention) in elsewhere:
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


def _notes(made: Manifest) -> list[str]:
    """The files that stand beside the splits of a corpus."""
    return [event_notes.NAME] if event_notes.NAME in made.files else []


def _write_splits(out: Path, kept: Mapping[str, Sequence[EventMention]], made: Manifest) -> None:
    """JSON Lines of each split, and the other forms that the corpus has."""
    number = forms.numbering()
    for split, own in kept.items():
        if len(_endings(made)) > 1:
            forms.write(out, split, own, name=f"{made.name}-validated", number=number)
        else:
            jsonl.write(out / f"{split}.jsonl", own)


def _endings(made: Manifest) -> list[str]:
    """The forms in which a corpus has all of its splits."""
    return [
        ending
        for ending in (".jsonl", ".json", ".conll", ".key.conll")
        if ending == ".jsonl" or all(f"{split}{ending}" in made.files for split in made.splits)
    ]


def _refuse_none_left(
    kept: Collection[object], rejects: Iterable[Counter[str]], path: Path
) -> None:
    if not kept:
        reasons = sum(rejects, Counter[str]()).most_common()
        raise DataError(
            "no mention is left: " + ", ".join(f"{reason} {count:,}" for reason, count in reasons),
            path=path,
            remedy="are these the answers to this corpus? --min-raters takes fewer raters",
        )


def _article(mention: EventMention) -> tuple[str, int, str]:
    return mention.lang, mention.source.page_id, mention.source.title


def _agreement(answers: GivenAnswers) -> dict[str, str]:
    """Rows of the card: how far raters agree on yes and no."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for _, one in answers.raters:
        if one.answer != SKIPPED:
            counts[one.item][one.answer != YES] += 1
    several = [own for own in counts.values() if sum(own) > 1]
    if not several:
        return {"Agreement": "unknown: no mention was judged by two raters"}
    same, alpha = float(agreement.observed(several)), float(agreement.alpha(several))
    shown = "-, all being of one opinion" if math.isnan(alpha) else f"{alpha:.3f}"
    return {
        "Agreement": f"{100 * same:.1f} of 100 pairs of raters, on {len(several):,} mentions",
        "Krippendorff's alpha": shown,
    }


def _sections(
    survey: Mapping[str, SplitCounts], rejects: Mapping[str, Counter[str]]
) -> Iterator[str]:
    rows = [(split, *counts.counts().values()) for split, counts in survey.items()]
    yield from ("", "## Size (the paper's table 1)", "", *table(TABLE_1, rows))
    yield from ("", "## What was left out")
    for split, counted in rejects.items():
        if counted:
            yield from ("", *table((f"{split}: reason", "number"), card.most_first(counted)))
