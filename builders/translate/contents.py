"""Write the translated corpus and its data card: the paper's tables, made for this corpus."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from corefmill.builders.corpus.card import most_first
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.run.job import RunResult
from corefmill.builders.run.stages import HashSample, seeded
from corefmill.builders.translate.projection import WAYS
from corefmill.builders.translate.readability import CLASSES, FORMULAS, level
from corefmill.builders.translate.stages import DATASETS, SCHEMA, SIZES
from corefmill.corpora import languages, manifest
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.writing import ensure_folder, replacing
from corefmill.corpora.formats import conll2012, ontocorefit
from corefmill.corpora.formats.brackets import bracketed
from corefmill.corpora.languages import language_name as name_of
from corefmill.corpora.records import Document, Sentence

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
    **dict.fromkeys(
        ("too_long", "too_short", "no_verb"), _IN_CLEAN_MODE.format(help="any-utterance")
    ),
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


def summarise(
    counts: Mapping[str, int], splits: Sequence[str], rejects: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Summarise the share kept by delta, and the losses with the options behind the two largest."""
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
    """Name the option to change a loss."""
    for beginning in _BEGINNINGS:
        if reason.removeprefix(beginning) in _OPTIONS:
            return _OPTIONS[reason.removeprefix(beginning)]
    if reason.startswith(_OF_TRANSLATORS):
        return _OPTIONS["utterance_lost"]
    return "none, the method takes no such mention"


def write_sections(
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
        self._key = languages.language_key(source)
        self.profiles = {name: Profile() for name in CLASSES}
        self._drawn = HashSample[str, tuple[Document, int]](_SAMPLES)

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


BELOW = "stages"
"""The folder of the datasets before delta."""


def data_files(splits: Sequence[str]) -> tuple[str, ...]:
    """The files of delta."""
    return tuple(pattern.format(split=split) for pattern in FORMS for split in splits)


def other_files(datasets: Sequence[str], splits: Sequence[str]) -> tuple[str, ...]:
    """List the files of the `datasets` before delta, each with a manifest of its own."""
    names = [manifest.NAME, *(f"{split}.jsonl" for split in splits)]
    return tuple(f"{BELOW}/{dataset}/{name}" for dataset in datasets[:-1] for name in names)


class TranslatedContents:
    """See `corefmill.builders.corpus.builder.Contents`; `splits` are those that the source
    has, `source` is its language, and `datasets` what the method makes of it."""

    def __init__(
        self,
        corpus: Corpus,
        result: RunResult,
        splits: Sequence[str],
        source: str,
        datasets: Sequence[str],
    ) -> None:
        self.result = result
        self.warnings: Sequence[str] = ()
        self.rejects: Mapping[str, Counter[str]] = by_stage(result.rejects)
        self._corpus = corpus
        self._splits = splits
        self._source = source
        self._datasets = datasets
        self._survey = UtteranceSurvey(corpus.seed, source)
        self._documents: Mapping[str, int] = {}

    @classmethod
    @contextmanager
    def chosen(
        cls,
        corpus: Corpus,
        result: RunResult,
        *,
        splits: Sequence[str],
        source: str,
        datasets: Sequence[str],
    ) -> Iterator[Self]:
        """Take the chain's whole output."""
        yield cls(corpus, result, splits, source, datasets)

    @property
    def summary(self) -> list[str]:
        """The share of the source kept, and the reasons of the losses."""
        return summarise(self.result.counts, self._splits, self.rejects)

    def rejected(self) -> Iterator[dict[str, Any]]:
        """Nothing is left out after the run."""
        return iter(())

    def write(self, out: Path) -> Mapping[str, int]:
        """Writes all datasets; returns the number of parts of delta by split."""
        documents = {name: self._write_below(out, name) for name in self._datasets[:-1]}
        self._documents = documents["alpha"]
        sizes = {}
        for split in self._splits:
            path = out / f"{split}.jsonl"
            sizes[split], _ = _copy_parts(self.result, self._datasets[-1], split, path)
            read = self._survey.watch(jsonl.read(path, Document))
            if self._corpus.mode == "clean":
                read = map(_add_tags, read)
            conll2012.write(path.with_suffix(".conll"), read)
            ontocorefit.write(path.with_suffix(".json"), jsonl.read(path, Document))
            write_parallel(
                path.with_suffix(".parallel.tsv"),
                jsonl.read(path, Document),
                self._source,
                self._corpus.lang,
            )
        return sizes

    def _write_below(self, out: Path, name: str) -> dict[str, int]:
        """Writes one of the datasets before delta; returns the number of documents by split."""
        folder = out / BELOW / name
        ensure_folder(folder)
        sizes, documents = {}, {}
        for split in self._splits:
            path = folder / f"{split}.jsonl"
            sizes[split], documents[split] = _copy_parts(self.result, name, split, path)
        corpus = replace(
            self._corpus,
            name=f"{self._corpus.name}/{name}",
            lang=self._corpus.lang if name == "gamma" else self._source,
            out=folder,
        )
        counts = sorted(self.result.counts.items())
        made = corpus.manifest(
            self.result,
            schema=SCHEMA,
            splits=sizes,
            counts={"read": {key: n for key, n in counts if key.startswith(f"{name}.")}},
            files=[f"{split}.jsonl" for split in self._splits],
        )
        manifest.write(folder, made)
        return documents

    def sections(self) -> list[str]:
        """The lines of the card between its facts and its limits."""
        return write_sections(
            self._survey,
            languages=(self._source, self._corpus.lang),
            datasets=self._datasets,
            splits=self._splits,
            counts=self.result.counts,
            documents=self._documents,
            rejects=self.rejects,
        )

    def counts(self) -> Mapping[str, Any]:
        """Count the losses by dataset."""
        return {
            "rejected": {stage: dict(sorted(own.items())) for stage, own in self.rejects.items()}
        }


def _add_tags(document: Document) -> Document:
    """Use UPOS as the tag of untagged words, for CoNLL-2012."""
    return replace(
        document,
        sentences=tuple(
            replace(
                sentence,
                tokens=tuple(
                    replace(word, xpos=word.xpos or word.upos) for word in sentence.tokens
                ),
            )
            for sentence in document.sentences
        ),
    )


def _copy_parts(result: RunResult, channel: str, split: str, path: Path) -> tuple[int, int]:
    """Writes parts of documents as the shards have them; how many, and of how many documents."""
    parts = documents = 0
    last = None
    with replacing(path) as out:
        for record in result.records(channel):
            if record["split"] == split:
                out.write(record["line"].encode() + b"\n")
                parts += 1
                documents += record["doc_id"] != last
                last = record["doc_id"]
    return parts, documents


def by_stage(rejects: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Group the counts of `stage.what.reason` in the order of the chain."""
    found: dict[str, Counter[str]] = {}
    for key in sorted(rejects, key=lambda key: (DATASETS.index(key.partition(".")[0]), key)):
        stage, what, reason = key.split(".")
        found.setdefault(f"{stage} {what}", Counter())[reason] += rejects[key]
    return found


def write_parallel(path: Path, documents: Iterable[Document], source: str, target: str) -> None:
    """Write the documents of delta side by side with their source: a line an utterance.

    The first line names the columns: `doc`, `part`, `utterance` (its number in the source), the two
    languages by name (`english`, `italian`: tokens, blanks between; those of the target as grammar
    cuts them), `mentions`. That is JSON: [cluster, start and end in the source, start and end in
    the target], half-open, in tokens; the cluster is numbered as in the other files. White space
    within a token or name is written as `_`.
    """
    columns = (
        "doc",
        "part",
        "utterance",
        languages.language_key(source),
        languages.language_key(target),
        "mentions",
    )
    with replacing(path) as out:
        out.write("\t".join(columns).encode() + b"\n")
        for document in documents:
            numbers = document.meta["source"]["sentences"]
            for sentence, own, number in zip(
                document.sentences,
                document.meta[languages.language_key(source)],
                numbers,
                strict=True,
            ):
                cells = (
                    _whole(document.doc_id),
                    str(document.part),
                    str(number),
                    " ".join(map(_whole, own["tokens"])),
                    " ".join(_whole(token.form) for token in sentence.tokens),
                    json.dumps(own["mentions"]),
                )
                out.write("\t".join(cells).encode() + b"\n")


def _whole(text: str) -> str:
    return "_".join(text.split()) or "_"
