"""The dataset gamma (section 4.2.6): utterances translated around their mentions, parsed.

`GammaTranslation` takes five steps over all parts of a unit, each in one batch. It translates each
mention alone. It decides the class of each mention by its translation and its cluster. It
translates utterances with a placeholder for each mention. It replaces the placeholders by the
mentions, and parses the translated text into words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from corefmill.builders.nlp import Analysis
from corefmill.builders.nlp.backend import make_tokens
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.table import load
from corefmill.builders.run.stages import Context
from corefmill.builders.translate.engines.answers import ANSWERS
from corefmill.builders.translate.engines.protocol import Translator
from corefmill.builders.translate.gamma.edits import (
    MentionToPlace,
    Mode,
    begins_with_capital,
)
from corefmill.builders.translate.gamma.language import TargetLanguage, table
from corefmill.builders.translate.gamma.marks import MarkLost
from corefmill.builders.translate.gamma.placeholders import (
    DRAWS,
    Failed,
    Lost,
    Placeholders,
    PlaceholderWords,
    Translated,
    try_translate,
)
from corefmill.builders.translate.gamma.realise import Realised, realise
from corefmill.builders.translate.gamma.target import TargetParser, agreement, split_enclitics
from corefmill.builders.translate.source_side.analysis import (
    ClassEvidence,
    EvidenceOf,
    PersonEvidence,
    classify,
    read_pronoun_class,
    read_tag_number,
)
from corefmill.builders.translate.source_side.parts import (
    PRONOUNS,
    ChainMention,
    DocumentPart,
    SourceUtterance,
    is_person,
)
from corefmill.builders.translate.source_side.selection import is_noun
from corefmill.corpora.records import Span
from corefmill.rules import documents
from corefmill.rules.rule import KeyedMention, Utterance

_WHY = {
    **{why: why for why in ANSWERS},
    "translator": "translator_failed",
    "spoilt": "marks_spoilt",
    **{why.value: f"placeholder_{why}" for why in Lost},
}
"""How the last draw's reason begins, and what is counted."""


MentionWords: TypeAlias = tuple[str, ...]
"""The words of a mention that is translated alone."""
_NAMES = ("NNP", "NNPS", "PRP")


class TranslatedAlone(NamedTuple):
    """A mention translated out of context, with the gender and number of its root.

    If `awaited`, a person has yet to translate it.
    """

    text: str | None = None
    gender: str | None = None
    number: str | None = None
    awaited: bool = False


_NOTHING = TranslatedAlone()
_EARLY = Failed(("translator: its mentions are to be translated first",), awaited=True)


@dataclass(frozen=True, slots=True)
class TranslatedUtterance:
    """An utterance in both languages, whose mentions have the same keys."""

    source: SourceUtterance
    words: Utterance


@dataclass(frozen=True, slots=True)
class TranslatedPart:
    """A part of a document with its translated utterances."""

    source: DocumentPart
    utterances: tuple[TranslatedUtterance, ...]


class GammaTranslation:
    """Stage gamma: translates parts of documents by placeholders into `language`.

    In clean mode the translation is parsed before mentions take their places, so that objects
    become clitics of their verbs, and prepositions stand before persons where the target has them.
    `helps` tells whether a help of clean mode is on, by its name in `options.FILTERS`.
    """

    def __init__(
        self,
        translator: Translator,
        parser: TargetParser,
        language: TargetLanguage,
        mode: Mode,
        helps: Callable[[str], bool],
    ) -> None:
        self._translator = translator
        self._parser = parser
        self._language = language
        self._mode = mode
        self._tag_number = helps("tag-number")
        self._names = helps("names")
        self._placeholder_words = PlaceholderWords.load(language)
        self._rewording = helps("rewording")
        self._evidence_of: EvidenceOf = read_pronoun_class
        if helps("persons"):
            self._evidence_of = PersonEvidence(Genders(translator.source, load(translator.source)))

    def __call__(self, parts: Sequence[DocumentPart], context: Context) -> Iterator[TranslatedPart]:
        """Translate the parts; count and drop utterances and parts that cannot be translated."""
        alone = self._translate_alone(parts, context)
        parts = [self._classify(part, alone) for part in parts]
        realised = self._realise(parts, alone, context)
        analyses = self._parser.read([one.text for own in realised for _, one in own])
        for part, own in zip(parts, realised, strict=True):
            made = (
                split_into_words(
                    source,
                    text,
                    next(analyses),
                    context,
                    self._translator.target,
                    nested=bool(source.select(marked=True)),
                )
                for source, text in own
            )
            found = tuple(one for one in made if one is not None)
            if found:
                yield TranslatedPart(part, found)
            else:
                context.reject("gamma.parts.no_utterances", {"part": part.key})

    def _translate_alone(
        self, parts: Sequence[DocumentPart], context: Context
    ) -> dict[MentionWords, TranslatedAlone]:
        """Translate each mention out of context, by its words."""
        given = {words: one for part in parts for words, one in mention_texts(part).items()}
        results = self._try(list(given.values()), context, 1)
        texts = {
            words: result.text
            for words, result in zip(given, results, strict=True)
            if isinstance(result, Translated)
        }
        analyses = self._parser.read(texts.values())
        found = {
            words: TranslatedAlone(text, *agreement(analysis))
            for (words, text), analysis in zip(texts.items(), analyses, strict=True)
        }
        for words, result in zip(given, results, strict=True):
            if isinstance(result, Failed) and result.awaited:
                found[words] = TranslatedAlone(awaited=True)
        return found

    def _classify(
        self, part: DocumentPart, alone: Mapping[MentionWords, TranslatedAlone]
    ) -> DocumentPart:
        """Add to each mention its translation and the class of its entity."""
        human = persons(part)

        def evidence(utterance: SourceUtterance, mention: ChainMention) -> ClassEvidence:
            """Collect the evidence of a mention's class from its source and its translation."""
            shown = self._evidence_of(utterance, mention)
            if self._names and write_name(self._language, utterance, mention, human) is not None:
                return shown.fill(None, read_tag_number(utterance, mention))
            if not utterance.is_pronoun(mention) and utterance.tags[mention.root] != "DT":
                own = alone.get(extract_mention(utterance, mention).forms, _NOTHING)
                # A noun that the translator left unchanged has the number of its tag in the source.
                noun = utterance.forms[mention.root].lower()
                same = self._tag_number and noun in (own.text or "").lower().split()
                shown = shown.fill(own.gender, None if same else own.number)
            return (
                shown.fill(None, read_tag_number(utterance, mention)) if self._tag_number else shown
            )

        def translate(utterance: SourceUtterance, mention: ChainMention) -> ChainMention:
            own = alone.get(extract_mention(utterance, mention).forms, _NOTHING)
            name = write_name(self._language, utterance, mention, human) if self._names else None
            return replace(mention, translation=own.text if name is None else name)

        return classify(part, evidence).with_mentions(translate)

    def _realise(
        self,
        parts: Sequence[DocumentPart],
        alone: Mapping[MentionWords, TranslatedAlone],
        context: Context,
    ) -> list[list[tuple[SourceUtterance, Realised]]]:
        """Translate the utterances, put the mentions back in place, and count failures."""
        given = [utterance for part in parts for utterance in part.utterances]
        # What has a placeholder waits for its mentions' translations, which decide on the classes.
        early = [
            waits and bool(utterance.mentions)
            for part in parts
            for waits in [any(alone.get(one, _NOTHING).awaited for one in mention_texts(part))]
            for utterance in part.utterances
        ]
        asked = [utterance for utterance, waits in zip(given, early, strict=True) if not waits]
        tried = iter(self._try(asked, context))
        results = [_EARLY if waits else next(tried) for waits in early]
        # Only what may move away from its placeholder needs a tree: a pronoun, which may become a
        # clitic, and any mention where the target has a preposition before persons.
        parsed = [
            result.text
            if isinstance(result, Translated)
            and self._mode == "clean"
            and any(
                self._language.persons or utterance.is_pronoun(mention)
                for mention in utterance.select(marked=False)
            )
            else None
            for utterance, result in zip(given, results, strict=True)
        ]
        trees = self._parser.read(text for text in parsed if text is not None)
        # In the order of the parts, so that rejects are recorded in it.
        rows = zip(results, parsed, strict=True)
        made = []
        for part in parts:
            own = []
            for utterance in part.utterances:
                result, text = next(rows)
                if isinstance(result, Failed):
                    last = result.reasons[-1]
                    why = (_WHY[one] for one in _WHY if last.startswith(one))
                    reasons = list(result.reasons)
                    reason = next(why, "no_words_left")
                    reject_utterance(part, utterance, reason, context, reasons=reasons)
                    continue
                if utterance.mentions:
                    context.count(f"draws.{result.draws}")
                marked = utterance.select(marked=True)
                context.count("marks.first", len(marked) - result.lost)
                for mention, span in zip(marked, result.around, strict=True):
                    if isinstance(span, MarkLost):
                        record = part.record(utterance, mention, translation=result.text)
                        context.reject(f"gamma.mentions.mark_{span}", record)
                tree = next(trees) if text is not None else None
                own.append((utterance, self._place(utterance, result, tree)))
            made.append(own)
        return made

    def _try(
        self, utterances: Sequence[SourceUtterance], context: Context, draws: int = DRAWS
    ) -> list[Translated | Failed]:
        """Translate utterances with up to `draws` draws of placeholders."""
        placeholders = Placeholders(
            self._placeholder_words, context.seed, rewording=self._rewording
        )
        return try_translate(utterances, self._translator, placeholders, draws)

    def _place(
        self, utterance: SourceUtterance, result: Translated, tree: Analysis | None
    ) -> Realised:
        """Replace the placeholders of a translation by the target's mentions."""
        mentions = [
            MentionToPlace.of(utterance, mention, span)
            for mention, span in zip(utterance.select(marked=False), result.spans, strict=True)
        ]
        around = {
            mention.key: span
            for mention, span in zip(utterance.select(marked=True), result.around, strict=True)
            if not isinstance(span, MarkLost)
        }
        return realise(
            self._language,
            result.text,
            mentions,
            tree,
            mode=self._mode,
            capitalised=begins_with_capital(utterance.text),
            around=around,
        )


def reject_utterance(
    part: DocumentPart,
    utterance: SourceUtterance,
    reason: str,
    context: Context,
    **more: list[str],
) -> None:
    """Count an utterance without a usable translation, and its mentions."""
    record = {"part": part.key, "text": utterance.text, **more}
    context.reject(f"gamma.utterances.{reason}", record)
    for mention in utterance.mentions:
        context.reject("gamma.mentions.utterance_lost", part.record(utterance, mention))


def split_into_words(
    source: SourceUtterance,
    realised: Realised,
    analysis: Analysis,
    context: Context,
    lang: str,
    *,
    nested: bool = False,
) -> TranslatedUtterance | None:
    """Split a translation into parsed words and map its mentions; None if it has no words.

    A mention without a word of its own, or with a word of another mention, is counted and left out.
    If mentions may be `nested`, only those are left out that hold a part of another or have the
    same words; and no mention begins with the preposition of a contraction (`del presidente`).
    """
    places = [(placed.start, placed.end) for placed in realised.mentions]
    words, spans = split_enclitics(
        analysis.text, make_tokens(analysis), analysis.words, places, lang
    )
    if not words:
        context.reject("gamma.utterances.no_words", {"text": source.text})
        for mention in source.mentions:
            lost = {"text": source.text, "words": list(source.words(mention))}
            context.reject("gamma.mentions.utterance_lost", lost)
        return None
    whole, pieces = documents.from_text(analysis.text, words, spans)
    found: list[KeyedMention] = []
    for placed in realised.mentions:
        record = {"text": analysis.text, "mention": placed.key}
        try:
            start = _move_start(spans, placed.start, placed.end)
            one = documents.mention(placed.key, start, placed.end, pieces)
        except ValueError:
            context.reject("gamma.mentions.no_words", record)
            continue
        # A marked mention of `del presidente` leaves the preposition out.
        begins = any(token.start == one.start for token in whole.written)
        longer = placed.role == "marked" and begins and one.end > one.start + 1
        if longer and whole.tokens[one.start].upos == "ADP":
            one = replace(one, start=one.start + 1)
        if any(_overlap(one, other, nested=nested) for other in found):
            context.reject("gamma.mentions.same_word", record)
        else:
            found.append(one)
    return TranslatedUtterance(source, replace(whole, mentions=tuple(found)))


def _overlap(one: KeyedMention, other: KeyedMention, *, nested: bool) -> bool:
    """Tell whether two mentions overlap: if `nested`, partly or in all their words."""
    if not (one.start < other.end and other.start < one.end):
        return False
    first, second = sorted((one, other), key=lambda mention: (mention.start, -mention.end))
    same = (first.start, first.end) == (second.start, second.end)
    return not nested or first.end < second.end or same


def _move_start(spans: Sequence[Span], start: int, end: int) -> int:
    """Move the start of a mention inside a contraction to the last character (del: l).

    The mention begins with an article in a preposition (`nella`: `in la`) or is an enclitic
    (`vederlo`): the token's last word. The exact number of its letters does not matter.
    """
    for left, right in spans:
        if left < start < right <= end and spans.count((left, right)) > 1:
            return right - 1
        if left >= start:
            break
    return start


def persons(part: DocumentPart) -> frozenset[int]:
    """Find the clusters of human beings by their pronouns."""
    return frozenset(
        mention.cluster
        for utterance, mention in part.mentions()
        if utterance.is_pronoun(mention)
        and PRONOUNS.get(utterance.forms[mention.root].lower(), ("",))[0] == "human"
    )


def write_name(
    language: TargetLanguage,
    utterance: SourceUtterance,
    mention: ChainMention,
    persons: frozenset[int],
) -> str | None:
    """Write a mention in the target language if it is one person's name, else None.

    A mention is a person's name if the pipeline says so, if a title stands before it, or if its
    cluster is among `persons`. A title takes the article, unless the person is spoken to.
    """
    words, tags = list(utterance.words(mention)), list(utterance.tags_of(mention))
    if len(words) > 1 and tags[-1] == "POS":
        del words[-1], tags[-1]
    # First, the form: at most one title, then names alone. "the Hales" and "Dr. and Mrs. Hale" are
    # several persons, and a bare "Sir" is not a name.
    title = language.titles.get(words[0].lower())
    name = words[1:] if title else words
    if not name or not all(
        tag == "NNP" and word[:1].isupper() for word, tag in zip(words, tags, strict=True)
    ):
        return None
    # "God" and "Mother" are tagged as names, and the target has words for them.
    others = table("english")["translated"]["words"]
    if any(word.lower() in others or is_person(word) for word in name):
        return None
    # Second, is it a person's name? Recognisers miss many in novels, so a pronoun of the cluster
    # also shows a person, except for nations ("the Turk ... he"), which are translated.
    label = utterance.tree.names[mention.root] if utterance.tree is not None else ""
    if not title and label != "PERSON" and (mention.cluster not in persons or label == "NORP"):
        return None
    if title is None:
        return " ".join(name)
    # Third, the title in the target, with its article.
    written, gender, with_article = title
    article = with_article and not _is_bare(utterance, mention)
    lead = language.articles.definite(gender, "s", written) if article else ""
    return " ".join(
        [f"{lead}{written}" if lead.endswith("'") else f"{lead} {written}".strip(), *name]
    )


def _is_bare(utterance: SourceUtterance, mention: ChainMention) -> bool:
    """Tell whether a title needs no article: the person is addressed, or an adjective precedes."""
    tree = utterance.tree
    if tree is not None and tree.relations and tree.relations[mention.root] == "vocative":
        return True
    before = utterance.tags[mention.start - 1] if mention.start else None
    if before in ("JJ", "DT", "PRP$"):
        return True
    address = table("english")["address"]
    beside = (
        *utterance.forms[max(0, mention.start - 1) : mention.start],
        *utterance.forms[mention.end : mention.end + 1],
    )
    apart = all(form in address["marks"] for form in beside)
    return apart and any(form.lower() in address["words"] for form in utterance.forms)


def mention_texts(part: DocumentPart) -> dict[MentionWords, SourceUtterance]:
    """Collect the mentions to translate out of context, by their words."""
    found = {}
    for utterance, mention in part.mentions():
        if mention.marked and not is_noun(utterance.tags[mention.root]):
            continue
        if mention.length > 1 or not utterance.is_pronoun(mention):
            given = extract_mention(utterance, mention)
            found[given.forms] = given
    return found


def extract_mention(utterance: SourceUtterance, mention: ChainMention) -> SourceUtterance:
    """Make an utterance of a mention's words alone, without its possessive ending."""
    words, tags = list(utterance.words(mention)), list(utterance.tags_of(mention))
    if len(words) > 1 and tags[-1] == "POS":
        del words[-1], tags[-1]
    if mention.start == 0 and tags[0] not in _NAMES:
        words[0] = words[0][:1].lower() + words[0][1:]
    return SourceUtterance(utterance.index, tuple(words), tuple(tags), ())
