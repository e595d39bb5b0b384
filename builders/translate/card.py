"""The sections of a translated corpus's data card: the paper's tables, made for this corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from corefmill.builders.corpus.card import most_first
from corefmill.builders.translate.datasets import SIZES
from corefmill.builders.translate.delta.readability import CLASSES, FORMULAS
from corefmill.builders.translate.marks.projection import WAYS
from corefmill.builders.translate.survey import PROFILE, UtteranceSurvey
from corefmill.corpora.languages import name as name_of
from corefmill.corpora.tables import plain, table

FORMS = {
    "{split}.jsonl": "delta: a part of a document a line, with all that is known of it",
    "{split}.conll": "CoNLL-2012",
    "{split}.json": "OntoCorefIT's JSON, with what the rules did to each utterance",
    "{split}.parallel.tsv": "both languages side by side, mentions aligned",
}
ENDS = ("source", "delta")
_SUMMED = ("utterances", "mentions", "clusters")
_LARGEST = 2
"""Losses that are named with the option that changes them."""
_FILES = {
    **FORMS,
    "stages/": "what comes before delta (below), a corpus each",
}

_WAYS = {
    "first": "by marks",
    "second": "by other marks, in a second try",
    "placeholders": "by placeholders",
    "found": "by their own translation, found in the utterance's",
}


def _below(counts: Mapping[str, int], prefix: str) -> Counter[str]:
    """The counters below a prefix, without it."""
    start = f"{prefix}."
    return Counter(
        {key.removeprefix(start): n for key, n in counts.items() if key.startswith(start)}
    )


def _size(counts: Mapping[str, int], dataset: str, splits: Iterable[str]) -> list[int]:
    """Parts, utterances, tokens, mentions and clusters of a dataset in some splits."""
    own = _below(counts, dataset)
    return [sum(own[f"{split}.{what}"] for split in splits) for what in SIZES]


_IN_CLEAN_MODE = "clean mode without --without {help}"
_OPTIONS = {
    "too_long": "--longest",
    "too_short": "--shortest",
    "no_verb": _IN_CLEAN_MODE.format(help="any-utterance"),
    "one_left": "--without one-left",
    "weight": "--min-weight",
    "answer_language": "--without answers",
    **dict.fromkeys(
        ("contains_another", "verb", "first_or_second_person", "other_pronoun", "number"),
        _IN_CLEAN_MODE.format(help="marks"),
    ),
    "other_root": _IN_CLEAN_MODE.format(help="marks"),
    "one_mention": _IN_CLEAN_MODE.format(help="clusters"),
    "no_noun": _IN_CLEAN_MODE.format(help="clusters"),
    "utterance_lost": "another --translator",
}
"""What changes a loss, by its reason without what it says of utterance or cluster."""
_BEGINNINGS = ("utterance_", "cluster_of_")
_OF_TRANSLATORS = ("mark_", "marks_", "placeholder_", "translator_", "answer_", "no_words")


def summary(
    counts: Mapping[str, int], splits: Sequence[str], rejects: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """How much of the source delta has, and the losses, the two largest with what changes them."""
    before, after = (dict(zip(SIZES, _size(counts, name, splits), strict=True)) for name in ENDS)
    whole = (
        f"{what} {before[what]:,} -> {after[what]:,} ({100 * after[what] // before[what]} %)"
        for what in _SUMMED
        if before[what]
    )
    lines = [f"In -> out: {', '.join(whole)}."]
    for what in ("mentions", "utterances"):
        lost: Counter[str] = Counter()
        for stage, reasons in rejects.items():
            if stage.endswith(f" {what}"):
                lost.update(reasons)
        named = [
            f"{number:,} {reason.replace('_', ' ')}"
            + (f" (change: {_option(reason)})" if place < _LARGEST else "")
            for place, (reason, number) in enumerate(most_first(lost))
        ]
        if named:
            lines.append(f"{what.capitalize()} lost: {', '.join(named)}.")
    return lines


def _option(reason: str) -> str:
    """What the user may change about a loss."""
    for beginning in _BEGINNINGS:
        if reason.removeprefix(beginning) in _OPTIONS:
            return _OPTIONS[reason.removeprefix(beginning)]
    if reason.startswith(_OF_TRANSLATORS):
        return _OPTIONS["utterance_lost"]
    return "none, the method takes no such mention"


def sections(
    survey: UtteranceSurvey,
    *,
    languages: tuple[str, str],
    datasets: Sequence[str],
    splits: Sequence[str],
    counts: Mapping[str, int],
    documents: Mapping[str, int],
    rejects: Mapping[str, Mapping[str, int]],
) -> list[str]:
    """The card's lines between its facts and its limits.

    `languages` are source and target, `counts` are the run's, `documents` the number of
    source documents by split.
    """
    lines = ["", *table(("file", "holds"), _FILES.items())]
    lines += ["", "## The source (table 2 of the paper)", ""]
    rows = [[split, documents[split], *_size(counts, "source", [split])] for split in splits]
    lines += table(("split", "documents", *SIZES), rows)
    lines += ["", "## The datasets", ""]
    lines += table(("", *SIZES), [[name, *_size(counts, name, splits)] for name in datasets])
    lines += ["", *table(("delta", *SIZES), [[s, *_size(counts, "delta", [s])] for s in splits])]
    lines += ["", "## What was left out, and where", ""]
    lines += table(
        ("from", "reason", "number"),
        (
            (stage, reason.replace("_", " "), number)
            for stage, reasons in rejects.items()
            for reason, number in most_first(reasons)
        ),
    )
    lines += _draws(counts) if "beta3" in datasets else _marks(counts)
    lines += ["", "## Mentions of one word in gamma (table 9)", ""]
    tags = _below(counts, "gamma.one_token")
    lines += table(
        ("part of speech", "mentions", "%"),
        ((tag, n, f"{100 * n / tags.total():.1f}") for tag, n in most_first(tags)),
    )
    lines += _rules(counts, _size(counts, "delta", splits)[1])
    if languages[1] in FORMULAS:
        lines += _readability(counts, survey, languages)
        lines += ["", "## Utterances by readability (table 18)", ""]
        lines += table(PROFILE, ([name, *own.row()] for name, own in survey.profiles.items()))
    samples = survey.samples()
    lines += ["", f"## {len(samples)} utterances drawn at random", ""]
    for english, gamma, delta in samples:
        lines += [f"- {plain(english)}  ", f"  {plain(gamma)}  ", f"  {plain(delta)}"]
    return lines


def _draws(counts: Mapping[str, int]) -> list[str]:
    """How often words had to be drawn until the translator kept all."""
    draws = _below(counts, "draws")
    lines = ["", "## Placeholders", ""]
    rows = ((f"kept in draw {draw}", n) for draw, n in sorted(draws.items()))
    lines += table(("utterances with mentions", "number"), rows)
    words = _below(counts, "words")
    share = f"{100 * words['left'] / words['given']:.1f}" if words["given"] else "-"
    return [
        *lines,
        "",
        f"Words that the translator gave back as they were: {words['left']:,} of "
        f"{words['given']:,} ({share} %), of those of four small letters and more. Most of them it "
        "does not know; some both languages have.",
    ]


def _marks(counts: Mapping[str, int]) -> list[str]:
    """How mentions came back."""
    ways = _below(counts, "marks")
    return [
        "",
        "## Marks",
        "",
        *table(("mentions restored", "number"), ((_WAYS[way], ways[way]) for way in WAYS)),
    ]


def _rules(counts: Mapping[str, int], utterances: int) -> list[str]:
    """Table 15."""
    refined = _below(counts, "refined")
    changed, kept = _below(counts, "changed"), _below(counts, "kept")
    share = f"{100 * refined['utterances'] / utterances:.1f} %" if utterances else "-"
    rows: list[tuple[str, object]] = [
        ("utterances", utterances),
        ("refined utterances", f"{refined['utterances']:,} ({share})"),
        ("subject pronouns deleted being mentions", refined["mentions_shifted"]),
        *((f"changes by {rule}", number) for rule, number in most_first(changed)),
        *((f"left as it was by {rule}", number) for rule, number in most_first(kept)),
    ]
    lines = ["", "## What the rules did (table 15)", "", *table(("", "number"), rows)]
    if refined["mentions_shifted"]:
        lines += [
            "",
            "The mention of a deleted subject pronoun is on its verb. CoNLL-U (`corefmill convert "
            "--to corefud`) has it at an empty node, with the pronoun's lemma and features.",
        ]
    return lines


def _readability(
    counts: Mapping[str, int], survey: UtteranceSurvey, languages: tuple[str, str]
) -> list[str]:
    """Table 16: the share of utterances in each class."""
    before = _below(counts, "alpha.readability")
    after = Counter({name: own.utterances for name, own in survey.profiles.items()})
    rows = [
        (name, _share(before, name), _share(after, name), before[name], after[name])
        for name in CLASSES
    ]
    head = ("readability", "alpha, %", "delta, %", "alpha", "delta")
    return [
        "",
        "## Readability (table 16)",
        "",
        f"{_index(languages[0])} utterances, {_index(languages[1])} ones.",
        "",
        *table(head, rows),
    ]


def _index(lang: str) -> str:
    index = FORMULAS[lang].name if lang in FORMULAS else "No index"
    return f"{index} of the {name_of(lang)}"


def _share(counts: Counter[str], name: str) -> str:
    return f"{100 * counts[name] / counts.total():.1f}" if counts.total() else "-"
