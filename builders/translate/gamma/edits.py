"""A mention to be placed, the text where it is placed, and the words before it.

`TextEdits` is a text whose spans move with each edit. The functions read the words before an
offset, such as a preposition or an article, and fit them to a new word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from corefmill.builders.translate.gamma.language import TargetLanguage
from corefmill.builders.translate.gamma.target import TranslationTree
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    EntityClass,
    SourceUtterance,
)
from corefmill.corpora.records import Span
from corefmill.rules.articles import Determiner
from corefmill.rules.tree import with_initial_of

Mode: TypeAlias = Literal["paper", "clean"]
OBJECTS = ("obj", "dobj")
DATIVES = ("iobj", "dative")
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer", "nsubjpass", "csubj", "expl")


@dataclass(frozen=True, slots=True)
class MentionToPlace:
    """A mention and the placeholder that stands for it in the translation.

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
        """Make the mention to place from an utterance, its mention and the placeholder's span."""
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
        """Whether the mention is a subject in English."""
        return self.relation in _SUBJECTS


class TextEdits:
    """A translation in a language and a mode, with owners' protected spans and moving words.

    `tree` is that of the text before any edit. `spans` and `words` are half-open offsets in code
    points of the text as it stands; a word that an edit has changed in part is None. Behind the
    spans of the owners come, in clean mode, those of Roman numerals, which nobody may change.
    `around` are spans that edits may change: they hold what has come in their place.
    """

    def __init__(
        self,
        language: TargetLanguage,
        text: str,
        spans: Sequence[Span],
        tree: TranslationTree,
        mode: Mode,
        around: Sequence[Span] = (),
    ) -> None:
        self.language = language
        self.text = text
        self.tree = tree
        self.mode = mode
        self.spans = [*spans, *(numerals(text) if mode == "clean" else ())]
        self.words: list[Span | None] = list(tree.spans)
        self.around = list(around)

    def free(self, start: int, end: int, owner: int) -> bool:
        """Tell whether [start, end) touches no span of another owner."""
        return all(
            end <= left or right <= start
            for number, (left, right) in enumerate(self.spans)
            if number != owner
        )

    def put(
        self, owner: int, start: int, end: int, own: str, *, lead: str = "", rest: str = ""
    ) -> None:
        """Replace [start, end) by `lead`, `own` and `rest`, and make `own` the owner's span."""
        self.replace(start, end, f"{lead}{own}{rest}", owner, lead=len(lead))
        self.spans[owner] = (start + len(lead), start + len(lead) + len(own))

    def replace(self, start: int, end: int, new: str, owner: int, *, lead: int = 0) -> None:
        """Replace [start, end) by `new`, and shift the spans of all mentions behind.

        What begins at `end` moves; an insertion at the border of two spans goes between them. A
        span around a mention that begins within [start, end) begins behind the `lead` of `new`.
        Callers ask `free` first.
        """
        assert self.free(start, end, owner)
        shift = len(new) - (end - start)
        self.text = self.text[:start] + new + self.text[end:]
        for number, (left, right) in enumerate(self.spans):
            if number != owner and left >= end:
                self.spans[number] = (left + shift, right + shift)
        for number, (left, right) in enumerate(self.around):
            if right <= start:
                continue
            if left >= end:
                left += shift
            # What has come in the place of text within the span is within it.
            elif left > start or (left == start == self.spans[owner][0]):
                left = start + lead
            right = right + shift if right >= end else start + len(new)
            self.around[number] = (left, max(left, right))
        for number, word in enumerate(self.words):
            if word is None or word[1] <= start:
                continue
            if word[0] >= end:
                self.words[number] = (word[0] + shift, word[1] + shift)
            elif shift:
                self.words[number] = None


_BEFORE = re.compile(r"(?:([^\W\d_]+)[ \t]+|([^\W\d_]+['’])[ \t]*)\Z")
_LONGEST = 60
"""Code points that are looked at to the left; no word that matters is longer."""
_NOTHING_SAID = re.compile(r"[\W_]*\Z")
_NUMERAL = re.compile(r"(?<=\w )I(?= )")
_ENDED = re.compile(r"[.!?…][\W_]*\Z")


@dataclass(frozen=True, slots=True)
class WordBefore:
    """The word right before an offset, without blanks; `form` has a straight apostrophe."""

    form: str
    start: int


def word_before(text: str, at: int) -> WordBefore | None:
    """Find the word before an offset; None behind punctuation or at the beginning."""
    lowest = max(0, at - _LONGEST)
    found = _BEFORE.search(text[lowest:at])
    if found is None:
        return None
    return WordBefore((found[1] or found[2]).replace("’", "'"), lowest + found.start())


@dataclass(frozen=True, slots=True)
class LeftContext:
    """The preposition and the article before an offset.

    Both begin at `start`, which is the offset itself if there is neither. `preposition` is in full
    and in small letters, "" for none; `article` is the reading of the article, not its letters.
    """

    start: int
    preposition: str = ""
    article: Determiner | None = None


def read_left(edits: TextEdits, at: int) -> LeftContext:
    """Read the preposition and article before an offset: `della`, `con la`, `d'`, `ad`, `un'`."""
    text, language, articles = edits.text, edits.language, edits.language.articles
    word = word_before(text, at)
    if word is None:
        return LeftContext(at)
    known = articles.split(word.form)
    article = None
    start = at
    if known is not None and known.family in ("definite", "indefinite"):
        article, start = known.readings[0], word.start
        if known.preposition:
            return LeftContext(start, known.preposition, article)
        word = word_before(text, start)
        if word is None:
            return LeftContext(start, "", article)
    full = language.pronouns["restored"].get(word.form.lower())  # ad is a, d' is di
    preposition = word.form.lower() if full is None else str(full["full"])
    known_words = language.pronouns["prepositions"]
    words = (*known_words["others"], *(w for own in known_words["longer"].values() for w in own))
    if articles.contracts(preposition) or preposition in words:
        return LeftContext(word.start, preposition, article)
    return LeftContext(start, "", article)


def find_word_between(language: TargetLanguage, preposition: str) -> str:
    """Find the word between preposition and personal pronoun: di of su di lei; "" for none."""
    known = language.pronouns["prepositions"]["longer"]
    return next((word for word, own in known.items() if preposition in own), "")


def fit_to_sound(language: TargetLanguage, form: str, following: str) -> str | None:
    """Choose the form of a word that fits the sound of `following`; None for no change.

    Elided words and ad, ed, od are written in full before a consonant; quel and the like inflect.
    """
    known_full = language.pronouns["restored"].get(form.lower())
    if known_full is not None:
        vowel = language.elides(following)
        letter = next((c for c in following.lower() if c.isalnum()), "")
        suits = vowel and unicodedata.normalize("NFD", letter)[:1] in known_full["before"]
        return None if suits and letter else with_initial_of(form, known_full["full"])
    known = language.articles.split(form)
    if known is None or known.preposition or known.family == "definite":
        return None
    fit = language.articles.fit(form, following)
    return None if fit == form else fit


def numerals(text: str) -> list[Span]:
    """Find a Roman numeral one within a sentence (CAPITOLO I Marco): the plural article I cannot
    stand before the placeholder of a single entity."""
    return [found.span() for found in _NUMERAL.finditer(text)]


def begins_sentence(text: str, at: int) -> bool:
    """Whether an offset is at the beginning, or after a sentence's end mark."""
    ended = _ENDED.search(text[max(0, at - _LONGEST) : at])
    return ended is not None or _NOTHING_SAID.match(text[:at]) is not None


def capital(word: str) -> str:
    """Give a word a capital, at the same length."""
    return word[:1].upper() + word[1:] if len(word[:1].upper()) == 1 else word


def capitalise(text: str) -> str:
    """Give a text a capital at its first letter."""
    first = next((at for at, letter in enumerate(text) if letter.isalnum()), len(text))
    return text[:first] + capital(text[first:])


def begins_with_capital(text: str) -> bool:
    """Whether the first letter or digit of a text is not a small letter."""
    return not next((letter for letter in text if letter.isalnum()), "A").islower()


def small(word: str) -> str:
    """Give a word a small first letter."""
    return word[:1].lower() + word[1:] if len(word[:1].lower()) == 1 else word


def fit_before(edits: TextEdits, owner: int, *, determined: bool) -> None:
    """Fit the word before a mention to the mention's new first sound: ed Anna, e il sindaco."""
    start = edits.spans[owner][0]
    word = word_before(edits.text, start)
    if word is None or not edits.free(word.start, start, owner):
        return
    known = edits.language.articles.split(word.form)
    if determined and known is not None:
        return
    fit = fit_to_sound(edits.language, word.form, edits.text[start:])
    if fit is not None:
        span = edits.spans[owner]
        edits.replace(word.start, start, with_blank(fit), owner)
        shift = len(with_blank(fit)) - (start - word.start)
        edits.spans[owner] = (span[0] + shift, span[1] + shift)


def with_blank(word: str) -> str:
    """Add the blank behind a word, unless elided."""
    return word if not word or word.endswith("'") else word + " "
