"""The dataset gamma (section 4.2.6): utterances translated around their mentions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from corefmill.builders.nlp import Analysis
from corefmill.builders.ontonotes_it.english.classes import Class, Key, is_pronoun
from corefmill.builders.ontonotes_it.english.detokenise import detokenise
from corefmill.builders.ontonotes_it.english.english import Parsed
from corefmill.builders.ontonotes_it.english.parts import Marked, Part, Utterance
from corefmill.builders.ontonotes_it.gamma.italian import Italian
from corefmill.builders.ontonotes_it.gamma.placeholders import (
    DRAWS,
    Failed,
    Lexicon,
    Lost,
    Placeholders,
    Translated,
    try_translate,
)
from corefmill.builders.ontonotes_it.gamma.placeholders import Utterance as Given
from corefmill.builders.ontonotes_it.gamma.realise import Found, Realised, realise
from corefmill.builders.runner.clock import Clock
from corefmill.builders.runner.stages import Context
from corefmill.builders.translation.protocol import Translator

PARSING, TRANSLATION = "parsing Italian", "translation"
_NAMES = ("NNP", "NNPS", "PRP")
_WHY = {
    "translator": "translator_failed",
    Lost.MISSING.value: "placeholder_missing",
    Lost.TWICE.value: "placeholder_twice",
    Lost.CHANGED.value: "placeholder_changed",
}
"""How the last draw's reason begins, and what is counted."""


@dataclass(frozen=True, slots=True)
class Turned:
    """An utterance in Italian, as text; each of its mentions has a name that no other has."""

    source: Utterance
    italian: Realised


def name_of(mention: Marked) -> str:
    """By which a mention is followed through translation and rules: its cluster and its place."""
    return f"{mention.cluster}:{mention.start}"


def mention_texts(part: Part) -> dict[tuple[str, ...], Given]:
    """The mentions that are translated for themselves, by their words: all but lone pronouns."""
    found = {}
    for utterance, mention in part.mentions():
        if mention.length > 1 or not is_pronoun(utterance, mention):
            given = alone(utterance, mention)
            found[tuple(given.tokens)] = given
    return found


def alone(utterance: Utterance, mention: Marked) -> Given:
    """The words of a mention without its possessive ending, as in the middle of a sentence."""
    words, tags = list(utterance.words(mention)), list(utterance.tags_of(mention))
    if len(words) > 1 and tags[-1] == "POS":
        del words[-1], tags[-1]
    if mention.start == 0 and tags[0] not in _NAMES:
        words[0] = words[0][:1].lower() + words[0][1:]
    return Given(tuple(words), (), tuple(tags))


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a part's mentions: the class of each, and the trees of its utterances."""

    classes: Mapping[Key, Class]
    trees: Mapping[int, Parsed]

    def kind(self, utterance: Utterance, mention: Marked) -> Class:
        """The class of a mention."""
        return self.classes[utterance.number, mention.start]

    def relation(self, utterance: Utterance, mention: Marked) -> str:
        """The relation of a mention's root to its head, "" where no tree tells."""
        tree = self.trees.get(utterance.number)
        return tree.relations[mention.root] if tree is not None and tree.relations else ""


class _Timed:
    """A translator whose time is taken."""

    def __init__(self, translator: Translator, clock: Clock) -> None:
        self._translator = translator
        self._clock = clock
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        with self._clock.stage(TRANSLATION, len(texts)):
            return self._translator.translate(texts)


class Translation:
    """Turns utterances into Italian by a translator; in clean mode its text is parsed, so that
    pronouns find their places."""

    def __init__(
        self,
        translator: Translator,
        italian: Italian,
        lexicon: Lexicon,
        mode: Literal["paper", "clean"],
        *,
        rewording: bool,
    ) -> None:
        self._translator = translator
        self._italian = italian
        self._lexicon = lexicon
        self._rewording = rewording
        self._mode: Literal["paper", "clean"] = mode

    def mentions(
        self, given: Mapping[tuple[str, ...], Given], context: Context
    ) -> dict[tuple[str, ...], str]:
        """Each mention for itself; those that the translator fails on are left out."""
        results = self._tried(list(given.values()), context, 1)
        return {
            words: result.text
            for words, result in zip(given, results, strict=True)
            if isinstance(result, Translated)
        }

    def __call__(
        self,
        parts: Sequence[Part],
        known: Sequence[Known],
        mentions: Mapping[tuple[str, ...], str],
        context: Context,
    ) -> Iterator[list[Turned]]:
        """The utterances of each part; those that fail are counted, and their mentions."""
        rows = [
            (part, own, utterance)
            for part, own in zip(parts, known, strict=True)
            for utterance in part.utterances
        ]
        given = [
            Given(
                utterance.forms,
                [(m.start, m.end, own.kind(utterance, m)) for m in utterance.mentions],
                utterance.tags,
            )
            for _, own, utterance in rows
        ]
        results = self._tried(given, context)
        # Only what goes to another place than its placeholder's asks for a tree.
        asked = [
            isinstance(result, Translated)
            and self._mode == "clean"
            and any(is_pronoun(utterance, mention) for mention in utterance.mentions)
            for (_, _, utterance), result in zip(rows, results, strict=True)
        ]
        trees = context.clock.each(
            PARSING,
            self._italian.read(
                result.text
                for result, wanted in zip(results, asked, strict=True)
                if wanted and isinstance(result, Translated)
            ),
        )
        turned: dict[str, list[Turned]] = {part.key: [] for part in parts}
        for (part, own, utterance), result, wanted in zip(rows, results, asked, strict=True):
            if isinstance(result, Failed):
                _fail(part, utterance, result, context)
                continue
            tree = next(trees) if wanted else None
            if utterance.mentions:
                context.count(f"draws.{result.draws}")
            with context.clock.stage("resolving", 1):
                made = self._realised(utterance, own, mentions, result, tree)
            turned[part.key].append(made)
        yield from turned.values()

    def _tried(
        self, given: Sequence[Given], context: Context, draws: int = DRAWS
    ) -> list[Translated | Failed]:
        placeholders = Placeholders(self._lexicon, context.seed, rewording=self._rewording)
        timed = _Timed(self._translator, context.clock)
        with context.clock.stage("placeholders", len(given)):
            return try_translate(given, timed, placeholders, draws)

    def _realised(
        self,
        utterance: Utterance,
        known: Known,
        mentions: Mapping[tuple[str, ...], str],
        result: Translated,
        tree: Analysis | None,
    ) -> Turned:
        found = [
            Found(
                span=span,
                kind=known.kind(utterance, mention),
                cluster=name_of(mention),
                mention=utterance.words(mention),
                tag=utterance.tags[mention.root] or "",
                translated=mentions.get(tuple(alone(utterance, mention).tokens)),
                relation=known.relation(utterance, mention),
            )
            for mention, span in zip(utterance.mentions, result.spans, strict=True)
        ]
        english = detokenise(utterance.forms, utterance.tags).text
        first = next((letter for letter in english if letter.isalnum()), "A")
        italian = realise(
            result.text, found, tree, mode=self._mode, capitalised=not first.islower()
        )
        return Turned(utterance, italian)


def _fail(part: Part, utterance: Utterance, failed: Failed, context: Context) -> None:
    last = failed.reasons[-1]
    reason = next((why for why in _WHY if last.startswith(why)), "no_words_left")
    text = detokenise(utterance.forms, utterance.tags).text
    context.reject(
        f"gamma.utterances.{_WHY.get(reason, reason)}",
        {"part": part.key, "text": text, "reasons": list(failed.reasons)},
    )
    for mention in utterance.mentions:
        context.reject(
            "gamma.mentions.utterance_lost",
            {"part": part.key, "words": list(utterance.words(mention))},
        )
