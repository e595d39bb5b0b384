"""`build chains`: from a dump or plain text to a corpus of silver coreference."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

from corefmill.builders.chains.options import ChainsOptions
from corefmill.builders.chains.stages import (
    CHANNEL,
    EVIDENCE,
    PASSAGE_FAULTS,
    SENTENCE_FAULTS,
    setup,
)
from corefmill.builders.corpus.builder import Builder, Choose
from corefmill.builders.corpus.card import describe_losses, sort_by_count
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.split import (
    TRAIN,
    VALIDATION,
    draw_validation,
    hash_article,
    hash_text,
    warn_of_empty_split,
)
from corefmill.builders.nlp import WIKI
from corefmill.builders.persons import reference_words
from corefmill.builders.run.job import RunResult
from corefmill.builders.run.run import Runner
from corefmill.builders.run.stages import HashSample, Setup, make_random
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.known_persons import dump_of, file_of, first_pass
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import conll2012, ontocorefit
from corefmill.corpora.formats.brackets import mark_mentions
from corefmill.corpora.records import Document

SCHEMA = "document/1"
ENDINGS = (".jsonl", ".conll", ".json")
DATA_FILES = tuple(f"{split}{ending}" for split in (TRAIN, VALIDATION) for ending in ENDINGS)
_STAGES = {
    **dict.fromkeys(SENTENCE_FAULTS, "sentence"),
    **dict.fromkeys(PASSAGE_FAULTS, "passage"),
}
"""Maps reject reasons to the unit that is left out; other reasons are rejects of the input."""
_REASONS = ("", "repeated_passage", "over_limit")


class ChainsContents:
    """The documents of a run that go into the corpus (see `builders.corpus.builder.Contents`).

    `faults` has an index into _REASONS for each document of the run; `drawn` is not 0 for documents
    of the validation split. Memory holds 19 bytes a document.
    """

    def __init__(
        self,
        corpus: Corpus,
        result: RunResult,
        faults: Sequence[int],
        drawn: Sequence[int],
        validation: int | None,
    ) -> None:
        self.result = result
        self._corpus = corpus
        self._faults = faults
        self._drawn = drawn
        self._validation = validation
        self._sizes: dict[str, int] = {}
        self._counted: Counter[str] = Counter()
        self._evidence: Counter[str] = Counter()
        self._samples = HashSample[str, Document](3)

    @classmethod
    @contextmanager
    def select(cls, corpus: Corpus, result: RunResult, *, validation: int | None) -> Iterator[Self]:
        """Choose documents without repetition within the limit, and a validation split of articles.

        Raises `DataError` if there is no document, or the input's own error if the input broke off.
        """
        seen: set[int] = set()
        articles, faults = array("Q"), array("b")
        most = result.job.most_records
        kept = 0
        for record in result.records(CHANNEL):
            articles.append(hash_article(record["meta"]["source"]))
            text = hash_text(
                " ".join(token["form"] for one in record["sentences"] for token in one["tokens"])
            )
            over = most is not None and kept >= most
            faults.append(1 if text in seen else 2 if over else 0)
            seen.add(text)
            kept += not faults[-1]
        if not kept:
            common = ", ".join(f"{name} {n:,}" for name, n in sort_by_count(result.rejects)[:3])
            raise result.source_error or DataError(
                "no passage was found in which every name and pronoun is clear"
                + (f"; left out: {common}" if common else ""),
                remedy="check --lang, give more text, or name another --nlp",
            )
        drawn = draw_validation(articles, faults, validation, corpus.seed)
        yield cls(corpus, result, faults, drawn, validation)

    @property
    def warnings(self) -> Sequence[str]:
        """Warn of an empty split."""
        return warn_of_empty_split(self._drawn, self._faults, "documents", self._validation)

    @property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """Count the rejects of the input, of sentences, passages and documents."""
        stages = {name: Counter[str]() for name in ("input", "sentence", "passage")}
        for reason, count in self.result.rejects.items():
            stages[_STAGES.get(reason, "input")][reason] = count
        dropped = Counter(_REASONS[fault] for fault in self._faults if fault)
        return {**stages, "corpus": dropped}

    def read_rejects(self) -> Iterator[dict[str, Any]]:
        """List the documents left out, each with the reason."""
        for fault, record in zip(self._faults, self.result.records(CHANNEL), strict=True):
            if fault:
                yield {"reason": _REASONS[fault], "record": record}

    def write(self, out: Path) -> Mapping[str, int]:
        """Write both splits in all their forms; returns the number of documents by split."""
        for split in (TRAIN, VALIDATION):
            path = out / f"{split}.jsonl"
            self._sizes[split] = jsonl.write(path, self._watch_split(split))
            conll2012.write(path.with_suffix(".conll"), jsonl.read(path, Document))
            ontocorefit.write(path.with_suffix(".json"), jsonl.read(path, Document))
        return self._sizes

    def _watch_split(self, split: str) -> Iterator[Document]:
        """Read the documents of a split, and count and sample them for the card."""
        verdicts = zip(self._faults, self._drawn, strict=True)
        rows = (
            (path, *row) for path in self.result.files(CHANNEL) for row in disk.read_raw_lines(path)
        )
        for (fault, drawn), (path, number, line) in zip(verdicts, rows, strict=True):
            if fault or bool(drawn) != (split == VALIDATION):
                continue
            document = jsonl.loads(line, Document, path=path, number=number)
            self._counted["sentences"] += len(document.sentences)
            self._counted["tokens"] += sum(len(one.tokens) for one in document.sentences)
            self._counted["chains"] += len(document.clusters)
            self._counted["mentions"] += sum(map(len, document.clusters))
            self._evidence.update(link[2] for link in document.meta["chains"]["links"])
            key = make_random(self._corpus.seed, "sample", document.doc_id).random()
            self._samples.offer(key, document.doc_id, document)
            yield document

    def sections(self) -> list[str]:
        """Lay out the lines of the card between its facts and its limits."""
        return [
            *("", "## Files", ""),
            "`.jsonl` has all that is known of a document, `.conll` is CoNLL-2012, `.json` is"
            " OntoCorefIT's. In each a sentence with links has a weight, the least of their"
            " confidences, by which training counts it.",
            *("", "## Size", ""),
            *table(("split", "documents"), self._sizes.items()),
            "",
            *table(("", "number"), self._counted.items()),
            *("", "## Links", ""),
            "What links a mention to the one before it in its chain, and how often that was right"
            " in English novels (LitBank), which is the link's confidence in every language.",
            "",
            *table(
                ("evidence", "links", "confidence", "which is"),
                [
                    (name, n, EVIDENCE[name]["confidence"], EVIDENCE[name]["means"])
                    for name, n in sort_by_count(self._evidence)
                ],
            ),
            *describe_losses(self.rejects),
            *("", "## Samples", ""),
            *(
                f"- {plain(' '.join(mark_mentions(one, at) for at in range(len(one.sentences))))}"
                f"  \n  *{plain(one.meta['source']['title'])}*"
                for one in self._samples.values()
            ),
        ]

    def counts(self) -> Mapping[str, Any]:
        """Return the figures for the manifest, besides those read and rejected."""
        return {**self._counted, "links": dict(sorted(self._evidence.items()))}


_LIMITS = (
    "Silver: nobody has annotated it. Names come from a recogniser and genders from names,"
    " honorifics and pronouns, and are wrong where these are wrong.",
    "Only persons have chains, by their names and by the pronouns that tell their gender: no noun"
    ' ("the doctor"), no "I", "you" or "they", no place, no thing. What is trained on it'
    " alone finds no others.",
    'A mention is the name with its honorific, without what belongs to it besides ("Ann, the'
    ' baker"); a person who is mentioned once in a passage has no cluster.',
    "Two persons of one name are taken for one.",
    "Passages in which nothing is in doubt are easier than others, and have fewer persons.",
    "A link's confidence was measured in English novels, and is an estimate for all else.",
)
_DROPPED = "Subjects that the language leaves unsaid have no mention, and break no chain."


class Chains(Builder[ChainsOptions]):
    """Silver coreference of persons: input, stages, splits and card."""

    name = "chains"
    title = "Chains, {}: silver coreference of persons"
    schema = SCHEMA
    channels = (CHANNEL,)
    data_files = DATA_FILES

    def __init__(self, options: ChainsOptions, inputs: Sequence[Input] = ()) -> None:
        super().__init__(options, inputs)
        self.by_wiki = self.options.nlp == WIKI
        if self.by_wiki:
            dump_of(self.source)
        self.reference = reference_words.load(self.lang)

    def first_pass(self, do: Runner) -> None:
        """Find the persons of a wiki, where names come from the wiki itself."""
        first_pass(self.options.pipeline, self.lang, self.source, self.out, None, do)

    def stages(self) -> Setup:
        """Return the maker of a worker's stages."""
        persons = file_of(self.out) if self.by_wiki else None
        return partial(setup, self.given.reader, self.options, persons)

    def choose(self) -> Choose:
        """Return the choice of documents: repeats and the validation split."""
        return partial(ChainsContents.select, validation=self.options.validation)

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        names_by = "the wiki's own titles and links" if self.by_wiki else self.pipeline.version
        return {
            "Labels": "silver: by rules, where nothing is in doubt",
            "Language": self.lang,
            "Names by": names_by,
            "Least confidence of a link": f"{self.options.min_confidence:g}",
            "Seed": str(self.options.seed),
        }

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        return (*_LIMITS, _DROPPED) if self.reference.drops_subjects else _LIMITS
