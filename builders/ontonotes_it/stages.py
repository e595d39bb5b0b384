"""The chain as stages of the runner, one for each dataset of the paper's figure 1.

A stage takes the parts of documents of one unit, writes them as its dataset and yields them on. It
takes all of them before it changes the first: what is parsed or translated goes in one batch, and
what is rejected is recorded in the order of the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from corefmill.builders.nlp import load
from corefmill.builders.ontonotes_it.datasets import count_sizes, record, write
from corefmill.builders.ontonotes_it.delta import records
from corefmill.builders.ontonotes_it.delta.delta import (
    count_changes,
    one_token_tags,
    refine,
    without_alone,
)
from corefmill.builders.ontonotes_it.delta.readability import level, readability
from corefmill.builders.ontonotes_it.english import simplify
from corefmill.builders.ontonotes_it.english.alpha import to_part
from corefmill.builders.ontonotes_it.english.classes import PersonEvidence, by_source
from corefmill.builders.ontonotes_it.english.english import EnglishParser
from corefmill.builders.ontonotes_it.english.parts import DocumentPart
from corefmill.builders.ontonotes_it.english.source import Payload
from corefmill.builders.ontonotes_it.gamma.gamma import GammaTranslation, TranslatedPart
from corefmill.builders.ontonotes_it.gamma.italian import ItalianParser
from corefmill.builders.ontonotes_it.options import OntoNotesOptions
from corefmill.builders.persons import table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.builders.translation.protocol import Translator
from corefmill.builders.translation.resolve import resolve
from corefmill.rules.rule import Rule


def translator_of(options: OntoNotesOptions) -> Translator:
    """The translator that the options name. Raises `UsageError` where it is not installed."""
    return resolve(options.translator)


def setup(options: OntoNotesOptions) -> Sequence[Stage]:
    """The stages for one worker process; loads both pipelines and the translator."""
    english = EnglishParser(load(options.nlp, "en", names=options.helps("persons")))
    italian = ItalianParser(load(options.nlp_it, "it", names=False))
    return chain(options, english, italian, translator_of(options))


def chain(
    options: OntoNotesOptions,
    english: EnglishParser,
    italian: ItalianParser,
    translator: Translator,
) -> Sequence[Stage]:
    """The six stages."""
    persons = options.helps("persons")
    translation = GammaTranslation(
        translator,
        italian,
        PersonEvidence(Genders("en", table.load("en"))) if persons else by_source,
        options.mode,
        rewording=options.helps("rewording"),
        tag_number=options.helps("tag-number"),
    )
    return [
        alpha,
        partial(beta1, english=english, shortest=options.shortest, longest=options.longest),
        beta2,
        beta3,
        partial(gamma, english=english, translation=translation),
        partial(delta, rules=options.rules(), one_left=options.helps("one-left")),
    ]


def alpha(units: Iterator[Payload], context: Context) -> Iterator[DocumentPart]:
    """From documents to parts with innermost mentions (section 4.2.1)."""
    for unit in units:
        for split, document in unit:
            count_sizes("source", split, document, context)
            part = to_part(document, split, context)
            for utterance in part.utterances:  # table 16
                if (value := readability(utterance.text, "en")) is not None:
                    context.count(f"alpha.readability.{level(value)}")
            yield write("alpha", part, context)


def beta1(
    parts: Iterator[DocumentPart],
    context: Context,
    *,
    english: EnglishParser,
    shortest: int,
    longest: int,
) -> Iterator[DocumentPart]:
    """Utterances with a verb and a fit length (4.2.2), with the tags that the source lacks."""
    parsed = english.add_trees(
        list(parts), lambda utterance: simplify.needs_tree(utterance, shortest, longest)
    )
    for part in parsed:
        yield write("beta1", simplify.beta1(part, shortest, longest, context), context)


def beta2(parts: Iterator[DocumentPart], context: Context) -> Iterator[DocumentPart]:
    """Mentions whose root is a noun, name, determiner or pronoun of the third person (4.2.3)."""
    for part in list(parts):
        yield write("beta2", simplify.beta2(part, context), context)


def beta3(parts: Iterator[DocumentPart], context: Context) -> Iterator[DocumentPart]:
    """Clusters of two mentions or more, one of them a noun or name (4.2.4)."""
    for part in list(parts):
        yield write("beta3", simplify.beta3(part, context), context)


def gamma(
    parts: Iterator[DocumentPart],
    context: Context,
    *,
    english: EnglishParser,
    translation: GammaTranslation,
) -> Iterator[TranslatedPart]:
    """Classes of mentions, and utterances translated around them (4.2.5, 4.2.6).

    `delta` writes this dataset beside its own, since it numbers the clusters of both.
    """
    parsed = english.add_trees(list(parts), lambda utterance: bool(utterance.mentions))
    yield from translation(parsed, context)


def delta(
    parts: Iterator[TranslatedPart], context: Context, *, rules: Sequence[Rule], one_left: bool
) -> Iterator[Out]:
    """The Italian rules (4.3)."""
    for part in parts:
        refined = [refine(utterance, rules) for utterance in part.utterances]
        if one_left:
            refined = without_alone(refined, context)
        count_changes(refined, context)
        for tag in one_token_tags(refined):
            context.count(f"gamma.one_token.{tag}")
        split = part.source.split
        yield record("gamma", split, records.gamma(part.source, refined), context)
        yield record("delta", split, records.delta(part.source, refined), context)
