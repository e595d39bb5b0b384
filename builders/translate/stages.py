"""The chain as stages of the runner, one for each dataset of Minutolo et al. (2022), figure 1.

A stage takes all parts of documents of one unit, changes them, writes them as its dataset and
yields them. So parsing and translating take one batch, and rejects are recorded in the order of the
chain. Numbers in brackets are sections of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corefmill.builders.corpus.options import Mode
from corefmill.builders.nlp import load_pipeline
from corefmill.builders.run.stages import UNANSWERED, Context, Out, Stage
from corefmill.builders.translate.delta import (
    build_documents,
    count_changes,
    drop_singletons,
    refine,
)
from corefmill.builders.translate.engines.answers import Cached, TidyTranslator
from corefmill.builders.translate.engines.protocol import Translator, TranslatorRequest
from corefmill.builders.translate.engines.resolve import resolve
from corefmill.builders.translate.gamma.gamma import GammaTranslation, TranslatedPart
from corefmill.builders.translate.gamma.language import target_of
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.options import TranslatorOptions
from corefmill.builders.translate.projection import MarkTranslation
from corefmill.builders.translate.readability import level, readability
from corefmill.builders.translate.source_side import selection
from corefmill.builders.translate.source_side.analysis import SourceParser
from corefmill.builders.translate.source_side.parts import DocumentPart
from corefmill.builders.translate.source_side.source import Payload
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document

DATASETS = ("alpha", "beta1", "beta2", "beta3", "gamma", "delta")
"""In the order of the paper's figure 1."""
BY_MARKS = ("alpha", "beta1", "gamma", "delta")
"""The stages of the method of marks, which takes mentions of any form."""
SCHEMA = "document/1"
SIZES = ("parts", "utterances", "tokens", "mentions", "clusters")


def setup(
    options: TranslatorOptions, nlp: str | None, nlp_to: str, asked: TranslatorRequest
) -> Sequence[Stage]:
    """Load pipelines and translator, and make the stages, in a worker process."""
    source = None
    if nlp is not None:
        source = SourceParser(load_pipeline(nlp, options.from_lang, names=options.helps("persons")))
    target = TargetParser(load_pipeline(nlp_to, options.to_lang, names=False))
    return Chain(options, source, target, resolve(asked)).stages()


class Chain:
    """The stages from source documents to the refined corpus (delta)."""

    def __init__(
        self,
        options: TranslatorOptions,
        source: SourceParser | None,
        target: TargetParser,
        translator: Translator,
    ) -> None:
        self._asked = translator
        clean = options.mode is Mode.clean
        translator = TidyTranslator(translator, judged=options.helps("answers"), corrected=clean)
        self._options = options
        self._source = source
        self._rules = options.rules()
        self._by_marks = options.by_marks
        # With placeholders, clean mode carries in marks what these cannot stand for.
        self._marks = options.helps("marks")
        self._translation: GammaTranslation | MarkTranslation
        if self._by_marks:
            rewording = options.helps("rewording") and options.from_lang == "en"
            self._translation = MarkTranslation(translator, target, rewording)
        else:
            language = target_of(options.from_lang, options.to_lang)
            self._translation = GammaTranslation(
                translator, target, language, options.mode.value, options.helps
            )

    def stages(self) -> Sequence[Stage]:
        """List the stages in order: six for placeholders, four for marks."""
        if self._by_marks:
            return [self.alpha, self.beta1, self.gamma, self.delta]
        return [self.alpha, self.beta1, self.beta2, self.beta3, self.gamma, self.delta]

    def alpha(self, units: Iterator[Payload], context: Context) -> Iterator[DocumentPart]:
        """Convert documents to parts with innermost mentions (section 4.2.1), or nested ones."""
        nested = self._by_marks or self._marks
        for unit in units:
            for split, document in unit:
                _count_sizes("source", split, document, context)
                part = selection.to_part(document, split, context, nested=nested)
                for utterance in part.utterances:
                    value = readability(utterance.text, document.lang)
                    _count_readability("alpha", value, context)
                yield _write("alpha", part, context)

    def beta1(self, parts: Iterator[DocumentPart], context: Context) -> Iterator[DocumentPart]:
        """Keep utterances with a verb and a fit length (4.2.2), and add missing tags."""
        shortest, longest = self._options.least, self._options.most
        given = list(parts)
        if self._source is not None:
            given = self._source.add_trees(
                given,
                lambda one: selection.needs_tree(one, shortest, longest, marks=self._marks),
            )
        verbs = not self._by_marks and not self._options.helps("any-utterance")
        for part in given:
            kept = selection.beta1(part, shortest, longest, context, verbs=verbs)
            if self._by_marks and self._options.helps("one-left"):
                kept = selection.drop_left_over(part, kept, context)
            yield _write("beta1", kept, context)

    def beta2(self, parts: Iterator[DocumentPart], context: Context) -> Iterator[DocumentPart]:
        """Keep mentions with a noun, name, determiner or third-person pronoun as root (4.2.3)."""
        for part in list(parts):
            yield _write("beta2", selection.beta2(part, context, marks=self._marks), context)

    def beta3(self, parts: Iterator[DocumentPart], context: Context) -> Iterator[DocumentPart]:
        """Keep clusters of two mentions or more with a noun or name (4.2.4)."""
        every = self._options.helps("clusters")
        for part in list(parts):
            yield _write("beta3", selection.beta3(part, context, every=every), context)

    def gamma(self, parts: Iterator[DocumentPart], context: Context) -> Iterator[TranslatedPart]:
        """Translate the utterances with their mentions (4.2.5, 4.2.6).

        This stage writes nothing: `delta` writes both datasets, numbering their clusters together.
        """
        unit = list(parts)
        if self._source is not None:
            unit = self._source.add_trees(unit, lambda utterance: bool(utterance.mentions))
        yield from self._translation(unit, context)
        if isinstance(self._asked, Cached) and (count := self._asked.count_unanswered()):
            context.count(UNANSWERED, count)

    def delta(self, parts: Iterator[TranslatedPart], context: Context) -> Iterator[Out]:
        """Apply the rules of the target language to the translations (4.3)."""
        for part in parts:
            refined = [refine(utterance, self._rules) for utterance in part.utterances]
            if self._options.helps("one-left"):
                sizes = part.source.clusters()
                singletons = {cluster for cluster, own in sizes.items() if len(own) == 1}
                refined = drop_singletons(refined, singletons, context)
            count_changes(refined, context)
            split = part.source.split
            before, after = build_documents(part.source, refined, self._options.to_lang)
            yield _record("gamma", split, before, context)
            for utterance in after.meta["ontocorefit"]["utterances"].values():
                _count_readability("delta", utterance["readability"], context)
            yield _record("delta", split, after, context)


def _count_sizes(name: str, split: str, document: Document, context: Context) -> None:
    """Count utterances, tokens, mentions and clusters of a document, by dataset and split."""
    sizes = (
        1,
        len(document.sentences),
        sum(len(sentence.tokens) for sentence in document.sentences),
        sum(map(len, document.clusters)),
        len(document.clusters),
    )
    for size, count in zip(SIZES, sizes, strict=True):
        context.count(f"{name}.{split}.{size}", count)


def _count_readability(name: str, value: float | None, context: Context) -> None:
    """Count an utterance in its class (table 16), if its language has a formula."""
    if value is not None:
        context.count(f"{name}.readability.{level(value)}")


def _record(name: str, split: str, document: Document, context: Context) -> Out:
    """Make the output record of a document in its dataset, and count its sizes."""
    _count_sizes(name, split, document, context)
    line = jsonl.dumps(document).decode()
    return Out(name, {"split": split, "doc_id": document.doc_id, "line": line})


def _write(name: str, part: DocumentPart, context: Context) -> DocumentPart:
    """Write a part as it is now into a dataset, and return it."""
    context.write(*_record(name, part.split, part.document(), context))
    return part
