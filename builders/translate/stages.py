"""The chain as stages of the runner, one for each dataset of the paper's figure 1.

A stage takes the parts of documents of one unit, writes them as its dataset and yields them on. It
takes all of them before it changes the first: what is parsed or translated goes in one batch, and
what is rejected is recorded in the order of the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from corefmill.builders.nlp import load
from corefmill.builders.persons import table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.translate.delta import (
    count_changes,
    delta_document,
    gamma_document,
    one_token_tags,
    refine,
    without_alone,
)
from corefmill.builders.translate.engines.answers import TidyTranslator
from corefmill.builders.translate.engines.protocol import Translator
from corefmill.builders.translate.engines.resolve import resolve
from corefmill.builders.translate.gamma.gamma import GammaTranslation, TranslatedPart
from corefmill.builders.translate.gamma.language import target_of
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.options import TranslateOptions
from corefmill.builders.translate.projection import MarkTranslation, PlaceholderFallback
from corefmill.builders.translate.readability import level, readability
from corefmill.builders.translate.source_side import selection
from corefmill.builders.translate.source_side.analysis import (
    PersonEvidence,
    SourceParser,
    by_source,
)
from corefmill.builders.translate.source_side.parts import DocumentPart
from corefmill.builders.translate.source_side.selection import to_part
from corefmill.builders.translate.source_side.source import Payload
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document
from corefmill.rules.rule import Rule

DATASETS = ("alpha", "beta1", "beta2", "beta3", "gamma", "delta")
"""In the order of the paper's figure 1."""
BY_MARKS = ("alpha", "beta1", "gamma", "delta")
"""Those of the method of marks, which leaves no mention out for what it is."""
SCHEMA = "document/1"
SIZES = ("parts", "utterances", "tokens", "mentions", "clusters")


def count_sizes(name: str, split: str, document: Document, context: Context) -> None:
    """Counts the `SIZES` of a part of a document under `NAME.SPLIT.SIZE`."""
    sizes = (
        1,
        len(document.sentences),
        sum(len(sentence.tokens) for sentence in document.sentences),
        sum(map(len, document.clusters)),
        len(document.clusters),
    )
    for size, count in zip(SIZES, sizes, strict=True):
        context.count(f"{name}.{split}.{size}", count)


def record(name: str, split: str, document: Document, context: Context) -> Out:
    """A part of a dataset for its channel: the line of its file, counted."""
    count_sizes(name, split, document, context)
    line = jsonl.dumps(document).decode()
    return Out(name, {"split": split, "doc_id": document.doc_id, "line": line})


def write(name: str, part: DocumentPart, context: Context) -> DocumentPart:
    """Writes a part as it is now into a dataset, and returns it."""
    context.write(*record(name, part.split, part.document(), context))
    return part


def translator_of(options: TranslateOptions) -> Translator:
    """Make the translator of the options. Raises `UsageError` where it is not installed."""
    return resolve(options.translator)


def setup(options: TranslateOptions) -> Sequence[Stage]:
    """The stages for one worker process; loads both pipelines and the translator."""
    source = None
    if options.nlp is not None:
        source = SourceParser(load(options.nlp, options.source, names=options.helps("persons")))
    target = TargetParser(load(options.nlp_to, options.target, names=False))
    return chain(options, source, target, translator_of(options))


def chain(
    options: TranslateOptions,
    source: SourceParser | None,
    target: TargetParser,
    translator: Translator,
) -> Sequence[Stage]:
    """The stages: six, or the four of the method of marks. `source` is what placeholders need."""
    if options.mode == "clean":
        translator = TidyTranslator(translator, judged=options.helps("answers"))
    one_left = options.helps("one-left")
    last = partial(delta, rules=options.rules(), one_left=one_left)
    shortest, longest = options.least, options.most
    if options.method == "marks":
        fallback = None
        if source is not None:
            fallback = PlaceholderFallback(source, by_placeholders(options, target, translator))
        rewording = options.helps("rewording") and options.source == "en"
        marks = MarkTranslation(translator, target, fallback, rewording=rewording)
        return [
            partial(alpha, nested=True),
            partial(fitting, shortest=shortest, longest=longest, one_left=one_left),
            partial(gamma_by_marks, translation=marks),
            last,
        ]
    assert source is not None  # see `parses_source`
    translation = by_placeholders(options, target, translator)
    carried, verbs = options.helps("marks"), not options.helps("any-utterance")
    return [
        partial(alpha, nested=carried),
        partial(
            beta1, parser=source, shortest=shortest, longest=longest, verbs=verbs, marks=carried
        ),
        partial(beta2, marks=carried),
        partial(beta3, every=options.helps("clusters")),
        partial(gamma, parser=source, translation=translation),
        last,
    ]


def by_placeholders(
    options: TranslateOptions, target: TargetParser, translator: Translator
) -> GammaTranslation:
    return GammaTranslation(
        translator,
        target,
        PersonEvidence(Genders(options.source, table.load(options.source)))
        if options.helps("persons")
        else by_source,
        target_of(options.source, options.target),
        options.mode,
        rewording=options.helps("rewording"),
        tag_number=options.helps("tag-number"),
        names=options.helps("names"),
    )


def alpha(
    units: Iterator[Payload], context: Context, *, nested: bool = False
) -> Iterator[DocumentPart]:
    """From documents to parts with innermost mentions (section 4.2.1), or `nested` ones, too."""
    for unit in units:
        for split, document in unit:
            count_sizes("source", split, document, context)
            part = to_part(document, split, context, nested=nested)
            for utterance in part.utterances:  # table 16
                if (value := readability(utterance.text, document.lang)) is not None:
                    context.count(f"alpha.readability.{level(value)}")
            yield write("alpha", part, context)


def beta1(
    parts: Iterator[DocumentPart],
    context: Context,
    *,
    parser: SourceParser,
    shortest: int,
    longest: int,
    verbs: bool = True,
    marks: bool = False,
) -> Iterator[DocumentPart]:
    """Keep utterances with a verb and a fit length (4.2.2), and add missing tags."""
    parsed = parser.add_trees(
        list(parts),
        lambda utterance: selection.needs_tree(utterance, shortest, longest, marks=marks),
    )
    for part in parsed:
        kept = selection.beta1(part, shortest, longest, context, verbs=verbs)
        yield write("beta1", kept, context)


def fitting(
    parts: Iterator[DocumentPart],
    context: Context,
    *,
    shortest: int,
    longest: int,
    one_left: bool,
) -> Iterator[DocumentPart]:
    """Utterances of a fit length: what beta1 is for the method of marks."""
    for part in parts:
        kept = selection.beta1(part, shortest, longest, context, verbs=False)
        if one_left:
            kept = selection.without_left_over(part, kept, context)
        yield write("beta1", kept, context)


def beta2(
    parts: Iterator[DocumentPart], context: Context, *, marks: bool = False
) -> Iterator[DocumentPart]:
    """Keep mentions with a noun, name, determiner or third-person pronoun as root (4.2.3)."""
    for part in list(parts):
        yield write("beta2", selection.beta2(part, context, marks=marks), context)


def beta3(
    parts: Iterator[DocumentPart], context: Context, *, every: bool = False
) -> Iterator[DocumentPart]:
    """Clusters of two mentions or more, one of them a noun or name (4.2.4)."""
    for part in list(parts):
        yield write("beta3", selection.beta3(part, context, every=every), context)


def gamma(
    parts: Iterator[DocumentPart],
    context: Context,
    *,
    parser: SourceParser,
    translation: GammaTranslation,
) -> Iterator[TranslatedPart]:
    """Classes of mentions, and utterances translated around them (4.2.5, 4.2.6).

    `delta` writes this dataset beside its own, since it numbers the clusters of both.
    """
    parsed = parser.add_trees(list(parts), lambda utterance: bool(utterance.mentions))
    yield from translation(parsed, context)


def gamma_by_marks(
    parts: Iterator[DocumentPart], context: Context, *, translation: MarkTranslation
) -> Iterator[TranslatedPart]:
    """Utterances translated with their mentions marked."""
    yield from translation(list(parts), context)


def delta(
    parts: Iterator[TranslatedPart],
    context: Context,
    *,
    rules: Sequence[Rule],
    one_left: bool,
) -> Iterator[Out]:
    """The rules of the target language (4.3)."""
    for part in parts:
        refined = [refine(utterance, rules) for utterance in part.utterances]
        if one_left:
            sizes = part.source.clusters()
            singletons = {cluster for cluster, own in sizes.items() if len(own) == 1}
            refined = without_alone(refined, singletons, context)
        count_changes(refined, context)
        for tag in one_token_tags(refined):
            context.count(f"gamma.one_token.{tag}")
        split = part.source.split
        yield record("gamma", split, gamma_document(part.source, refined, part.lang), context)
        yield record("delta", split, delta_document(part.source, refined, part.lang), context)
