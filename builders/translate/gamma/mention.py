"""A mention as it waits for its words in the target: its placeholder, and what decides its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    EntityClass,
    SourceUtterance,
)
from corefmill.builders.translate.source_side.selection import is_noun
from corefmill.corpora.records import Span

MentionWords: TypeAlias = tuple[str, ...]
Mode: TypeAlias = Literal["paper", "clean"]
OBJECTS = ("obj", "dobj")
DATIVES = ("iobj", "dative")
_NAMES = ("NNP", "NNPS", "PRP")
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer", "nsubjpass", "csubj", "expl")


@dataclass(frozen=True, slots=True)
class MentionToPlace:
    """A surviving placeholder and its mention.

    `span` is the placeholder's in the translation, half-open in code points; `words` are the
    English tokens, `tag` is the Penn tag of their root, and `relation` the root's in its utterance
    (UD's or spaCy's name, "" where not known). `translation` is what the translator makes of the
    mention alone, None where nothing; `preceding` is the English word before the mention, in small
    letters.
    """

    span: Span
    key: str
    entity: EntityClass
    words: tuple[str, ...]
    tag: str
    translation: str | None = None
    relation: str = ""
    preceding: str = ""

    @classmethod
    def of(cls, utterance: SourceUtterance, mention: ChainMention, span: Span) -> MentionToPlace:
        """Make it from an utterance's mention and the span of its placeholder."""
        relations = utterance.tree.relations if utterance.tree is not None else ()
        return cls(
            span,
            mention.key,
            mention.known_entity,
            utterance.words(mention),
            utterance.tags[mention.root] or "",
            mention.translation,
            relations[mention.root] if relations else "",
            utterance.forms[mention.start - 1].lower() if mention.start else "",
        )

    @property
    def form(self) -> str:
        """The first word in small letters: of a pronoun, its form."""
        return self.words[0].lower()

    @property
    def forms_key(self) -> str:
        """The class as the tables of pronouns have it, such as human-ms."""
        return f"{self.entity.type}-{self.entity.gender}{self.entity.number}"

    @property
    def is_subject(self) -> bool:
        """Whether English has it as a subject."""
        return self.relation in _SUBJECTS


def mention_texts(part: DocumentPart) -> dict[MentionWords, SourceUtterance]:
    """Collect the mentions to be translated alone, by their words: all but lone pronouns, and
    marked ones that show nothing of their entity."""
    found = {}
    for utterance, mention in part.mentions():
        if mention.marked and not is_noun(utterance.tags[mention.root]):
            continue
        if mention.length > 1 or not utterance.is_pronoun(mention):
            given = on_its_own(utterance, mention)
            found[given.forms] = given
    return found


def on_its_own(utterance: SourceUtterance, mention: ChainMention) -> SourceUtterance:
    """The words of a mention without its possessive ending, as in the middle of a sentence."""
    words, tags = list(utterance.words(mention)), list(utterance.tags_of(mention))
    if len(words) > 1 and tags[-1] == "POS":
        del words[-1], tags[-1]
    if mention.start == 0 and tags[0] not in _NAMES:
        words[0] = words[0][:1].lower() + words[0][1:]
    return SourceUtterance(utterance.index, tuple(words), tuple(tags), ())
