"""A translated corpus's data card: the paper's tables, made for this corpus.

`UtteranceSurvey` gathers what it states of delta's utterances: readability, parts of speech,
examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from corefmill.builders.corpus.card import most_first
from corefmill.builders.run.sampling import Lowest
from corefmill.builders.run.stages import seeded
from corefmill.builders.translate.datasets import SIZES
from corefmill.builders.translate.projection import WAYS
from corefmill.builders.translate.readability import CLASSES, FORMULAS, level
from corefmill.corpora import languages
from corefmill.corpora.formats.brackets import bracketed
from corefmill.corpora.languages import name as name_of
from corefmill.corpora.records import Document, Sentence
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


_SAMPLES = 12
_WORDS = 1000
"""Of which different ones are counted, so that classes of different size compare."""
_CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV")


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
    "too_long": "--set longest=N",
    "too_short": "--set shortest=N",
    "no_verb": _IN_CLEAN_MODE.format(help="any-utterance"),
    "one_left": "--without one-left",
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


@dataclass(slots=True)
class Profile:
    """The utterances of one readability class (table 18)."""

    utterances: int = 0
    tags: Counter[str] = field(default_factory=Counter)
    types: set[str] = field(default_factory=set)
    typed: int = 0

    def add(self, sentence: Sentence) -> None:
        """Counts one utterance; punctuation is no word."""
        self.utterances += 1
        for token in sentence.tokens:
            self.tags[token.upos or "X"] += 1
            if token.upos != "PUNCT" and self.typed < _WORDS:
                self.typed += 1
                self.types.add(token.form.casefold())

    def row(self) -> list[object]:
        """Utterances, tokens an utterance, per 100 words: content words, subordinating and
        coordinating conjunctions, verbs; different words among the first 1,000."""
        words = self.tags.total() - self.tags["PUNCT"]
        if not words:
            return [self.utterances, *"-" * 6]

        def share(*tags: str) -> str:
            return f"{100 * sum(self.tags[tag] for tag in tags) / words:.1f}"

        return [
            self.utterances,
            f"{self.tags.total() / self.utterances:.1f}",
            share(*_CONTENT),
            share("SCONJ"),
            share("CCONJ"),
            share("VERB", "AUX"),
            len(self.types) if self.typed == _WORDS else "-",
        ]


PROFILE = (
    "readability",
    "utterances",
    "tokens an utterance",
    "content words in 100",
    "subordinating conjunctions in 100",
    "coordinating conjunctions in 100",
    "verbs and auxiliaries in 100",
    f"different among {_WORDS:,} words",
)


class UtteranceSurvey:
    """Filled while delta, translated from `source`, is written, in one pass and flat memory."""

    def __init__(self, seed: int, source: str) -> None:
        self._seed = seed
        self._key = languages.key(source)
        self.profiles = {name: Profile() for name in CLASSES}
        self._drawn = Lowest[str, tuple[Document, int]](_SAMPLES)

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Passes the documents on."""
        for document in documents:
            utterances = document.meta["ontocorefit"]["utterances"]
            for at, sentence in enumerate(document.sentences):
                value = utterances[str(at)]["readability"]
                if value is not None:
                    self.profiles[level(value)].add(sentence)
                key = f"{document.doc_id}#{document.part}#{at}"
                self._drawn.offer(seeded(self._seed, "sample", key).random(), key, (document, at))
            yield document

    def samples(self) -> list[tuple[str, str, str]]:
        """Source, gamma and delta of utterances drawn at random, in the order of the draw."""
        return [
            (
                document.meta[self._key][at]["text"],
                document.meta["ontocorefit"]["utterances"][str(at)]["original_text"],
                bracketed(document, at),
            )
            for document, at in self._drawn.values()
        ]
