"""Write the translated corpus and its data card: the paper's tables, made for this corpus."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.card import describe_losses, sort_by_count
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.run.job import RunResult
from corefmill.builders.run.stages import HashSample, make_random
from corefmill.builders.translate.projection import WAYS
from corefmill.builders.translate.readability import CLASSES, FORMULAS
from corefmill.builders.translate.stages import DATASETS, SCHEMA, SIZES
from corefmill.corpora import languages, manifest
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.writing import ensure_folder, replacing
from corefmill.corpora.formats import conll2012, ontocorefit
from corefmill.corpora.formats.brackets import mark_mentions
from corefmill.corpora.languages import language_name as name_of
from corefmill.corpora.records import Document

FORMS = {
    "{split}.jsonl": "delta: a part of a document a line, with all that is known of it",
    "{split}.conll": "CoNLL-2012",
    "{split}.json": "OntoCorefIT's JSON, with what the rules did to each utterance",
    "{split}.parallel.tsv": "both languages side by side, mentions aligned",
}
ENDS = ("source", "delta")
_SUMMED = ("utterances", "mentions", "clusters")
_LARGEST = 2
"""Number of losses that the summary names, each with the option that reduces it."""
_FILES = {
    **FORMS,
    "stages/": "what comes before delta (below), a corpus each",
}

_WAYS = {
    "first": "by marks",
    "second": "by other marks, in a second try",
    "found": "by their own translation, found in the utterance's",
}
_OF_PLACEHOLDERS = ("utterances with mentions", "number")
_SAMPLES = 3


def _below(counts: Mapping[str, int], prefix: str) -> Counter[str]:
    """Select the counters whose names begin with a prefix, and cut the prefix off."""
    start = f"{prefix}."
    return Counter(
        {key.removeprefix(start): n for key, n in counts.items() if key.startswith(start)}
    )


def _size(counts: Mapping[str, int], dataset: str, splits: Iterable[str]) -> list[int]:
    """Sum parts, utterances, tokens, mentions and clusters of a dataset in some splits."""
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
"""The options that reduce a loss, by its reason without the words for utterance and cluster."""
_OF_TRANSLATORS = ("mark_", "marks_", "placeholder_", "translator_", "answer_", "no_words")


def summarise(
    counts: Mapping[str, int], splits: Sequence[str], rejects: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Write lines on the share of the source that was kept, and the losses with their options."""
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
        named = []
        for place, (reason, number) in enumerate(sort_by_count(lost)):
            own = reason.removeprefix("utterance_").removeprefix("cluster_of_")
            own = reason if reason in _OPTIONS else own
            if reason.startswith(_OF_TRANSLATORS) and own not in _OPTIONS:
                own = "utterance_lost"
            option = _OPTIONS.get(own, "none, the method takes no such mention")
            change = f" (change: {option})" if place < _LARGEST else ""
            named.append(f"{number:,} {reason.replace('_', ' ')}{change}")
        if named:
            lines.append(f"{what.capitalize()} lost: {', '.join(named)}.")
    return lines


def _describe_rules(counts: Mapping[str, int], utterances: int) -> list[str]:
    """Write the card's table of the number of changes by each rule (table 15)."""
    refined = _below(counts, "refined")
    changed, kept = _below(counts, "changed"), _below(counts, "kept")
    share = f"{100 * refined['utterances'] / utterances:.1f} %" if utterances else "-"
    rows: list[tuple[str, object]] = [
        ("utterances", utterances),
        ("refined utterances", f"{refined['utterances']:,} ({share})"),
        ("subject pronouns deleted being mentions", refined["mentions_shifted"]),
        *((f"changes by {rule}", number) for rule, number in sort_by_count(changed)),
        ("left as they were, by a rule's exceptions", sum(kept.values())),
    ]
    lines = ["", "## What the rules did (table 15)", "", *table(("", "number"), rows)]
    if refined["mentions_shifted"]:
        lines += [
            "",
            "The mention of a deleted subject pronoun is on its verb. CoNLL-U (`corefmill convert "
            "--to corefud`) has it at an empty node, with the pronoun's lemma and features.",
        ]
    return lines


def _describe_readability(counts: Mapping[str, int], source: str, target: str) -> list[str]:
    """Write the card's table of utterances by readability before and after (table 16)."""
    before, after = (_below(counts, f"{name}.readability") for name in ("alpha", "delta"))
    shares = (
        {name: f"{100 * own[name] / own.total():.1f}" if own.total() else "-" for name in CLASSES}
        for own in (before, after)
    )
    rows = zip(
        CLASSES,
        *(share.values() for share in shares),
        *([own[name] for name in CLASSES] for own in (before, after)),
        strict=True,
    )
    indices = (
        f"{FORMULAS[lang].name if lang in FORMULAS else 'No index'} of the {name_of(lang)}"
        for lang in (source, target)
    )
    head = ("readability", "alpha, %", "delta, %", "alpha", "delta")
    return [
        "",
        "## Readability (table 16)",
        "",
        "{} utterances, {} ones.".format(*indices),
        "",
        *table(head, rows),
    ]


BELOW = "stages"
"""The folder of the datasets before delta."""


class TranslatedContents:
    """Contents of the corpus, see `corefmill.builders.corpus.builder.Contents`.

    `splits` are the source's splits, `source` its language, `datasets` the names of the datasets
    that the method makes."""

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
        self.rejects: Mapping[str, Counter[str]] = group_by_stage(result.rejects)
        self._corpus = corpus
        self._splits = splits
        self._source = source
        self._datasets = datasets
        self._key = languages.language_key(source)
        self._drawn = HashSample[str, tuple[Document, int]](_SAMPLES)
        self._documents: Mapping[str, int] = {}

    @property
    def summary(self) -> list[str]:
        """The share of the source kept, and the reasons of the losses."""
        return summarise(self.result.counts, self._splits, self.rejects)

    def read_rejects(self) -> Iterator[dict[str, Any]]:
        """Nothing is left out after the run."""
        return iter(())

    def write(self, out: Path) -> Mapping[str, int]:
        """Write all datasets, and return the number of parts of documents by split."""
        documents = {name: self._write_below(out, name) for name in self._datasets[:-1]}
        self._documents = documents["alpha"]
        sizes = {}
        for split in self._splits:
            path = out / f"{split}.jsonl"
            sizes[split], _ = _copy_parts(self.result, self._datasets[-1], split, path)
            read = self._draw_samples(jsonl.read(path, Document))
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

    def _draw_samples(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents unchanged, and draw utterances from them for the card."""
        for document in documents:
            for at in range(len(document.sentences)):
                key = f"{document.doc_id}#{document.part}#{at}"
                value = make_random(self._corpus.seed, "sample", key).random()
                self._drawn.offer(value, key, (document, at))
            yield document

    def _write_below(self, out: Path, name: str) -> dict[str, int]:
        """Write one intermediate dataset, and return the number of documents by split."""
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
        """Write the card's sections of tables, between its facts and its limits."""
        counts, splits, target = self.result.counts, self._splits, self._corpus.lang
        lines = ["", *table(("file", "holds"), _FILES.items())]
        lines += ["", "## From the source (table 2 of the paper) to delta", ""]
        rows = [
            [f"source, {one}: {self._documents[one]:,} documents", *_size(counts, "source", [one])]
            for one in splits
        ]
        rows += [[name, *_size(counts, name, splits)] for name in self._datasets]
        rows += [[f"delta, {split}", *_size(counts, "delta", [split])] for split in splits]
        lines += [*table(("", *SIZES), rows), *describe_losses(self.rejects)]
        if "beta3" in self._datasets:
            draws = sorted(_below(counts, "draws").items())
            rows = [[f"kept in draw {draw}", number] for draw, number in draws]
            lines += ["", "## Placeholders", "", *table(_OF_PLACEHOLDERS, rows)]
        else:
            ways = _below(counts, "marks")
            rows = [[_WAYS[way], ways[way]] for way in WAYS]
            lines += ["", "## Marks", "", *table(("mentions restored", "number"), rows)]
        lines += _describe_rules(counts, _size(counts, "delta", splits)[1])
        if target in FORMULAS:
            lines += _describe_readability(counts, self._source, target)
        drawn = list(self._drawn.values())
        lines += ["", f"## {len(drawn)} utterances drawn at random", ""]
        for document, at in drawn:
            gamma = document.meta["ontocorefit"]["utterances"][str(at)]["original_text"]
            lines += [
                f"- {plain(document.meta[self._key][at]['text'])}  ",
                f"  {plain(gamma)}  ",
                f"  {plain(mark_mentions(document, at))}",
            ]
        return lines

    def counts(self) -> Mapping[str, Any]:
        """Return the counts of read, lost and written items, by dataset, for the manifest."""
        return {
            "rejected": {stage: dict(sorted(own.items())) for stage, own in self.rejects.items()}
        }


def _add_tags(document: Document) -> Document:
    """Copy UPOS into the tag of words without one, for the tag column of CoNLL-2012."""
    sentences = []
    for sentence in document.sentences:
        words = (replace(word, xpos=word.xpos or word.upos) for word in sentence.tokens)
        sentences.append(replace(sentence, tokens=tuple(words)))
    return replace(document, sentences=tuple(sentences))


def _copy_parts(result: RunResult, channel: str, split: str, path: Path) -> tuple[int, int]:
    """Copy the records of a split from the shards to a file, and count parts and documents."""
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


def group_by_stage(rejects: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Group rejects, counted as `stage.what.reason`, by stage in the order of the chain."""
    found: dict[str, Counter[str]] = {}
    for key in sorted(rejects, key=lambda key: (DATASETS.index(key.partition(".")[0]), key)):
        stage, what, reason = key.split(".")
        found.setdefault(f"{stage} {what}", Counter())[reason] += rejects[key]
    return found


def write_parallel(path: Path, documents: Iterable[Document], source: str, target: str) -> None:
    """Write a table with a row an utterance: the source, its translation and the mentions.

    The first line names the columns: `doc`, `part`, `utterance` (its number in the source), the two
    languages by name (`english`, `italian`: tokens, blanks between; those of the target as grammar
    cuts them), `mentions`. That is JSON: [cluster, start and end in the source, start and end in
    the target], half-open, in tokens; the cluster is numbered as in the other files. White space
    within a token or name is written as `_`.
    """
    key = languages.language_key(source)
    columns = ("doc", "part", "utterance", key, languages.language_key(target), "mentions")
    with replacing(path) as out:
        out.write("\t".join(columns).encode() + b"\n")
        for document in documents:
            numbers, given = document.meta["source"]["sentences"], document.meta[key]
            for sentence, own, number in zip(document.sentences, given, numbers, strict=True):
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
