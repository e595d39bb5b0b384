"""The chain as one stage: a unit of English documents in, six datasets out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from corefmill.builders.nlp import load
from corefmill.builders.ontonotes_it.delta import delta, records
from corefmill.builders.ontonotes_it.delta.delta import Refined
from corefmill.builders.ontonotes_it.delta.readability import level
from corefmill.builders.ontonotes_it.english.alpha import alpha
from corefmill.builders.ontonotes_it.english.classes import (
    Helped,
    Key,
    Sign,
    by_source,
    by_tag,
    classes,
    is_pronoun,
)
from corefmill.builders.ontonotes_it.english.detokenise import detokenise
from corefmill.builders.ontonotes_it.english.english import English, Parsed
from corefmill.builders.ontonotes_it.english.parts import Part, Utterance
from corefmill.builders.ontonotes_it.english.simplify import (
    beta1,
    beta2,
    beta3,
    fits,
    is_verb,
    roots,
)
from corefmill.builders.ontonotes_it.gamma import gamma
from corefmill.builders.ontonotes_it.gamma.gamma import Known, Translation, Turned
from corefmill.builders.ontonotes_it.gamma.italian import Italian, agreement
from corefmill.builders.ontonotes_it.gamma.placeholders import Lexicon
from corefmill.builders.ontonotes_it.options import Options
from corefmill.builders.persons import table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.builders.translation.protocol import Translator
from corefmill.builders.translation.resolve import resolve
from corefmill.corpora import jsonl
from corefmill.corpora.records import Document

Payload = tuple[tuple[str, Document], ...]
Words = tuple[str, ...]
Agreement = tuple[str | None, str | None]
"""Gender and number."""

RECORDS = "records"


def translator_of(options: Options) -> Translator:
    """The translator that the options name. Raises `UsageError` where it is not installed."""
    return resolve(
        options.translator, source="en", target="it", model=options.model, cache=options.cache
    )


def setup(options: Options) -> Sequence[Stage]:
    """The stages for one worker process; loads both pipelines and the translator."""
    return [
        Chain(
            options,
            English(load(options.nlp, "en", names=options.helps("persons"))),
            Italian(load(options.nlp_it, "it", names=False)),
            translator_of(options),
        )
    ]


class Chain:
    """alpha to delta. Everything is parsed and translated once a unit, in batches."""

    def __init__(
        self, options: Options, english: English, italian: Italian, translator: Translator
    ) -> None:
        self._options = options
        self._english = english
        self._italian = italian
        self._translation = Translation(
            translator,
            italian,
            Lexicon.shipped(),
            options.mode,
            rewording=options.helps("rewording"),
        )
        self._rules = options.rules()
        self._helped = Helped(Genders("en", table.load("en"))) if options.helps("persons") else None

    def __call__(self, payloads: Iterator[Any], context: Context) -> Iterator[Out]:
        """Yields to the channel of each dataset: {"split", "doc_id", "line"}, the line of JSON."""
        for payload in payloads:
            yield from self._unit(payload, context)

    def _unit(self, payload: Payload, context: Context) -> Iterator[Out]:
        for split, document in payload:
            for name, number in records.sizes(document).items():
                context.count(f"source.{split}.{name}", number)
        stage = context.clock.stage
        with stage("alpha", sum(len(document.sentences) for _, document in payload)):
            parts = [alpha(document, split, context) for split, document in payload]
        yield from _written("alpha", parts, context)
        with stage("readability of alpha", _size(parts)):
            _count_readability(parts, context)

        parsed: list[dict[int, Parsed]] = [{} for _ in parts]
        self._parse(parts, parsed, self._is_tagged_or_rooted, context)
        with stage("beta1", _size(parts)):
            tagged = [_tagged(part, known) for part, known in zip(parts, parsed, strict=True)]
            shortest, longest = self._options.shortest, self._options.longest
            parts = [beta1(part, shortest, longest, context) for part in tagged]
        yield from _written("beta1", parts, context)
        with stage("beta2", _size(parts)):
            parts = [
                beta2(part, roots(known), context)
                for part, known in zip(parts, parsed, strict=True)
            ]
        yield from _written("beta2", parts, context)
        with stage("beta3", _size(parts)):
            parts = [beta3(part, context) for part in parts]
        yield from _written("beta3", parts, context)
        self._parse(parts, parsed, lambda utterance: bool(utterance.mentions), context)

        texts = {key: given for part in parts for key, given in gamma.mention_texts(part).items()}
        mentions = self._translation.mentions(texts, context)
        known = self._known(parts, parsed, mentions, context)
        turned = self._translation(parts, known, mentions, context)
        yield from self._refine(parts, list(turned), context)

    def _parse(
        self,
        parts: Sequence[Part],
        found: Sequence[dict[int, Parsed]],
        wanted_of: Callable[[Utterance], bool],
        context: Context,
    ) -> None:
        """Adds to what is `found` of each part, by number, the utterances that are wanted now."""
        wanted = [
            (place, utterance)
            for place, part in enumerate(parts)
            for utterance in part.utterances
            if utterance.number not in found[place] and wanted_of(utterance)
        ]
        trees = context.clock.each(
            "parsing English", self._english.read([utterance.forms for _, utterance in wanted])
        )
        for (place, utterance), tree in zip(wanted, trees, strict=True):
            found[place][utterance.number] = tree

    def _is_tagged_or_rooted(self, utterance: Utterance) -> bool:
        """Whether tags are missing, or beta2 will ask for the root of a mention."""
        if fits(len(utterance.forms), self._options.shortest, self._options.longest):
            return False
        if None in utterance.tags:
            return True
        return any(map(is_verb, utterance.tags)) and any(
            mention.length > 1 and not any(map(is_verb, utterance.tags_of(mention)))
            for mention in utterance.mentions
        )

    def _known(
        self,
        parts: Sequence[Part],
        parsed: Sequence[Mapping[int, Parsed]],
        mentions: Mapping[tuple[str, ...], str],
        context: Context,
    ) -> list[Known]:
        """class(id) of every mention: its root, its translation's root, its cluster."""
        read = context.clock.each(gamma.PARSING, self._italian.read(mentions.values()))
        analyses = list(read)
        with context.clock.stage("classes", _size(parts)):
            agreements = dict(zip(mentions, map(agreement, analyses), strict=True))
            return [
                Known(classes(part, self._signs(part, trees, agreements)), trees)
                for part, trees in zip(parts, parsed, strict=True)
            ]

    def _signs(
        self, part: Part, trees: Mapping[int, Parsed], agreements: Mapping[Words, Agreement]
    ) -> dict[Key, Sign]:
        """What each mention tells of itself, by `Key`."""
        signs: dict[Key, Sign] = {}
        for utterance, mention in part.mentions():
            if self._helped is not None:
                sign = self._helped(utterance, mention, trees[utterance.number])
            else:
                sign = by_source(utterance, mention)
            if not is_pronoun(utterance, mention) and utterance.tags[mention.root] != "DT":
                words = tuple(gamma.alone(utterance, mention).tokens)
                sign = sign.filled(*agreements.get(words, (None, None)))
            if self._options.helps("tag-number"):
                sign = sign.filled(None, by_tag(utterance, mention))
            signs[utterance.number, mention.start] = sign
        return signs

    def _refine(
        self, parts: Sequence[Part], turned: Sequence[list[Turned]], context: Context
    ) -> Iterator[Out]:
        """gamma and delta."""
        texts = [one.italian.text for part in turned for one in part]
        analyses = context.clock.each(gamma.PARSING, self._italian.read(texts))
        for part, own in zip(parts, turned, strict=True):
            refined: list[Refined] = []
            for one in own:
                analysis = next(analyses)
                with context.clock.stage("words and mentions", 1):
                    words = delta.as_words(one, analysis, context)
                if words is not None:
                    with context.clock.stage("delta rules", 1):
                        refined.append(delta.refine(one.source, words, self._rules))
            if self._options.helps("one-left"):
                refined = delta.without_alone(refined, context)
            if not refined:
                context.reject("gamma.parts.no_utterances")
                continue
            with context.clock.stage(RECORDS, 2 * len(refined)):
                delta.count_changes(refined, context)
                for tag in delta.one_token_tags(refined):
                    context.count(f"gamma.one_token.{tag}")
                out = []
                for name, made in (
                    ("gamma", records.gamma(part, refined)),
                    ("delta", records.delta(part, refined)),
                ):
                    for what, number in records.sizes(made).items():
                        context.count(f"{name}.{part.split}.{what}", number)
                    out.append(_out(name, part.split, made))
            yield from out


def _count_readability(parts: Sequence[Part], context: Context) -> None:
    """Table 16: the readability of alpha."""
    for part in parts:
        for utterance in part.utterances:
            text = detokenise(utterance.forms, utterance.tags).text
            if (value := records.readability(text, "en")) is not None:
                context.count(f"alpha.readability.{level(value)}")


def _tagged(part: Part, trees: Mapping[int, Parsed]) -> Part:
    """The part with the pipeline's tags where the source has none."""
    return replace(
        part,
        utterances=tuple(
            replace(
                utterance,
                tags=tuple(
                    own or guessed
                    for own, guessed in zip(
                        utterance.tags, trees[utterance.number].tags, strict=True
                    )
                ),
            )
            if utterance.number in trees and None in utterance.tags
            else utterance
            for utterance in part.utterances
        ),
    )


def _size(parts: Sequence[Part]) -> int:
    return sum(len(part.utterances) for part in parts)


def _written(name: str, parts: Sequence[Part], context: Context) -> Iterator[Out]:
    for part in parts:
        with context.clock.stage(RECORDS, len(part.utterances)):
            for what, number in part.counts().items():
                context.count(f"{name}.{part.split}.{what}", number)
            out = _out(name, part.split, part.document("en"))
        yield out


def _out(name: str, split: str, document: Document) -> Out:
    line = jsonl.dumps(document).decode()
    return Out(name, {"split": split, "doc_id": document.doc_id, "line": line})
