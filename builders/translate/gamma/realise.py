"""Put mentions back into a translation with placeholders (section 4.2.6).

The mention's own words replace its placeholder. A nominal mention becomes its translation with its
article. Prepositions contract with an article behind them, and words elided before a vowel are
written in full before a consonant. Pronouns, possessives, reflexives and demonstratives come from
the language's pronouns.toml by role and class. In clean mode, and if the translation's tree is
given, objects become clitics of their verbs; in paper mode they stay in place.

Nothing outside the placeholders changes but articles, prepositions and conjunctions right before
them, a clitic beside a new one, the last letter of a verb that takes an enclitic, the determiner
before a possessive, a blank where a placeholder goes away, and capitals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from corefmill.builders.nlp.backend import Analysis
from corefmill.builders.translate.gamma import pronouns
from corefmill.builders.translate.gamma.edits import (
    DATIVES,
    OBJECTS,
    LeftContext,
    MentionToPlace,
    Mode,
    TextEdits,
    begins_sentence,
    capital,
    capitalise,
    find_word_between,
    fit_before,
    fit_to_sound,
    read_left,
    small,
    with_blank,
)
from corefmill.builders.translate.gamma.language import TargetLanguage, table
from corefmill.builders.translate.gamma.pronouns import find_verb, look_up_lemma
from corefmill.builders.translate.gamma.target import TranslationTree
from corefmill.corpora.records import Span
from corefmill.rules.tree import with_initial_of


@dataclass(frozen=True, slots=True)
class PlacedMention:
    """A mention in the finished utterance: its span in code points, and its role.

    A span may begin within a token: at the letters of the article in a preposition (`del` holds
    `l`), or at an enclitic (`vederlo` holds `lo`). Such a mention has the last words of the token
    alone. `role` is nominal, subject, object, strong, clitic, enclitic, dative, possessive,
    possessive_after, reflexive, emphatic, demonstrative or marked.
    """

    key: str
    start: int
    end: int
    role: str


@dataclass(frozen=True, slots=True)
class Realised:
    """The finished utterance and the places of its mentions, in their given order."""

    text: str
    mentions: tuple[PlacedMention, ...]


def realise(
    language: TargetLanguage,
    translation: str,
    mentions: Sequence[MentionToPlace],
    analysis: Analysis | None = None,
    *,
    mode: Mode = "clean",
    capitalised: bool = True,
    around: Mapping[str, Span] = MappingProxyType({}),
) -> Realised:
    """Replace the placeholders of a translation by mentions; `analysis` is the translation's tree.

    `capitalised` says whether the utterance begins with a capital. `around` are the spans of marked
    mentions, by their keys.
    """
    tree = TranslationTree(analysis if mode == "clean" else None)
    spans = [mention.span for mention in mentions]
    edits = TextEdits(language, translation, spans, tree, mode, list(around.values()))
    roles = [""] * len(mentions)
    # From the right, so that the words left of a placeholder are still the analysed ones.
    for index in sorted(range(len(mentions)), key=lambda at: mentions[at].span, reverse=True):
        roles[index] = _place(edits, index, mentions[index])
    text = capitalise(edits.text) if capitalised else edits.text
    placed = tuple(
        PlacedMention(mention.key, start, end, role)
        for (start, end), mention, role in zip(
            edits.spans[: len(mentions)], mentions, roles, strict=True
        )
    )
    marked = (
        PlacedMention(key, start, end, "marked")
        for key, (start, end) in zip(around, edits.around, strict=True)
    )
    return Realised(text, (*placed, *marked))


def _place(edits: TextEdits, owner: int, mention: MentionToPlace) -> str:
    """Place a mention, with a capital at the beginning of a sentence, and return its role."""
    if len(mention.words) == 1 and pronouns.is_pronoun(mention.form, mention.tag):
        role = pronouns.place(edits, owner, mention)
    else:
        _place_nominal(edits, owner, mention)
        role = "nominal"
    start, end = edits.spans[owner]
    if mention.words[0][:1].isupper() and start and begins_sentence(edits.text, start):
        edits.replace(start, start + 1, capital(edits.text[start]), owner)
        edits.spans[owner] = (start, end)
    return role


_FIRST_WORD = re.compile(r"([^\W\d_]+['’])\s*|([^\W\d_]+)\s+(?=\S)")
_OUTSIDE = " \t\n\r.,;:!?"


def clean(language: TargetLanguage, noun: MentionToPlace) -> str:
    """Remove the final full stop and the initial capital from a mention's translation."""
    words = " ".join((noun.translation or "").split())
    words = words.strip(_OUTSIDE if len(noun.words) > 1 else " ") or " ".join(noun.words)
    first = noun.words[0]
    english = table("english")["determiners"]
    lower = {*english["definite"], *english["quantified"]}
    if first[:1].islower() or first.lower() in lower or noun.tag in ("NN", "NNS"):
        head = re.match(r"[^\W\d_]+", words)
        if head is not None and (len(head[0]) == 1 or not head[0][1:].isupper()):
            determined = language.articles.split(head[0]) is not None
            determined |= head[0].lower() in language.pronouns["quantifiers"]
            if determined or not (noun.tag.startswith("NNP") and first.lower() in lower):
                words = small(words)
    return words


def split_determiner(language: TargetLanguage, words: str) -> tuple[str, str]:
    """Split the determiner off a noun phrase: `l'amico` is `l'` and `amico`."""
    found = _FIRST_WORD.match(words)
    if found is None:
        return "", words
    first = (found[1] or found[2]).replace("’", "'")
    rest = words[found.end() :]
    articles = language.articles
    known = articles.split(first)
    if known is None or not rest:
        whose = first.lower() in language.pronouns["prepositions"]["of"]
        return "", rest if rest and whose else words
    if known.preposition:
        own = known.readings[0]
        return articles.form(own.family, own.gender, own.number, rest), rest
    if known.family in ("definite", "indefinite", *_DEMONSTRATIVES):
        return articles.fit(first, rest), rest
    return "", words


def _place_nominal(edits: TextEdits, owner: int, noun: MentionToPlace) -> None:
    """Put a mention with a noun in place of its placeholder, and set its span.

    The preposition before it contracts with the article: the span of `del presidente` begins within
    `del`, at the letter of the article. The context's article is removed unless the mention has no
    article and needs one. A preposition that the target language needs is added: veo a Ana. In
    clean mode a preposition of towns is kept for towns alone: in città, but a Roma.
    """
    # First, the words before the placeholder; another mention there is left unchanged.
    start, end = edits.spans[owner]
    language, articles = edits.language, edits.language.articles
    before = read_left(edits, start)
    if not edits.free(before.start, end, owner):
        before = LeftContext(start)
    # Second, the mention's own words: its determiner, or one that the context asks for.
    determiner, rest = split_determiner(language, clean(language, noun))
    as_translated = before.preposition
    if edits.mode == "clean":
        before = _replace_preposition_of_towns(language, noun, rest, before)
    determiner = determiner or _choose_article(language, noun, rest, before)
    words = with_blank(determiner) + rest
    # Third, the prepositions: the text's, with its capital, and one that the target adds.
    lead = edits.text[before.start : start].strip().replace("’", "'")
    if before.article is not None or before.preposition != as_translated:
        lead = with_initial_of(lead, before.preposition)
    first, preposition = "", before.preposition
    if added := _find_added(edits, owner, noun, determiner, before):
        first, lead, preposition = with_blank(lead), added, added
    # Fourth, both together. The mention begins at `cut`: within a contraction at its article.
    known = articles.split(determiner) if determiner else None
    if not preposition:
        written, cut = words, 0
    elif articles.contracts(preposition) and known is not None and known.family == "definite":
        # What the preposition is when nothing is elided before a vowel: d' is di, ad is a.
        word = articles.contract(with_initial_of(lead, preposition), determiner)
        shown = articles.visible_part(preposition, determiner)
        written, cut = first + with_blank(word) + rest, len(first) + len(word) - len(shown)
    else:
        word = with_blank(fit_to_sound(language, lead, words) or lead)
        written, cut = first + word + words, len(first) + len(word)
    edits.put(owner, before.start, end, written[cut:], lead=written[:cut])
    if not preposition:
        fit_before(edits, owner, determined=bool(determiner))


def _replace_preposition_of_towns(
    language: TargetLanguage, noun: MentionToPlace, rest: str, before: LeftContext
) -> LeftContext:
    """Replace a town's preposition before a noun or country: in città, not a città."""
    towns = language.places["towns"].get(before.preposition)
    if towns is None or before.article is not None or noun.preceding not in towns["english"]:
        return before
    others = (rest in language.places[key] for key in _GENDERS_AND_NUMBERS)
    if noun.tag.startswith("NNP") and not any(others):
        return before
    return replace(before, preposition=towns["others"])


_GENDERS_AND_NUMBERS = ("ms", "fs", "mp", "fp")
_DEMONSTRATIVES = ("this", "that", "yonder")


def _find_added(
    edits: TextEdits,
    owner: int,
    noun: MentionToPlace,
    determiner: str,
    before: LeftContext,
) -> str:
    """Find a preposition that the target language needs and the translation lacks, else "".

    The preposition of persons stands before a receiver, and before an object that is a name or has
    a determiner, except with some verbs (tiene al hijo). Some prepositions need another one before
    any noun (detrás de la casa).
    """
    language = edits.language
    prepositions = language.pronouns["prepositions"]
    if before.preposition:
        between = find_word_between(language, before.preposition)
        nouns = prepositions["longer_before_nouns"] and not noun.is_subject
        return between if nouns else ""
    if not language.persons or noun.entity.type != "human":
        return ""
    if noun.relation in DATIVES:
        return language.persons
    known = language.articles.split(determiner) if determiner else None
    whose = noun.form in table("english")["pronouns"]["possessive"]
    determined = known is not None and known.family in ("definite", *_DEMONSTRATIVES)
    if noun.relation not in OBJECTS or not (determined or whose or noun.tag.startswith("NNP")):
        return ""
    verb = find_verb(edits, edits.tree.at(edits.spans[owner][0]), noun.relation)
    lemma = None if verb is None else look_up_lemma(edits, verb)
    if verb is None or lemma in language.pronouns["verbs"]["without_persons"]:
        return ""
    # The name that somebody is called is not an object: me llamó Sol.
    called = lemma in language.pronouns["verbs"]["predicative"]
    clitics = language.pronouns["clitics"]["words"]
    others = (edits.tree.form(one).lower() in clitics for one in edits.tree.children(verb))
    return "" if called and any(others) else language.persons


def _choose_article(
    language: TargetLanguage, noun: MentionToPlace, rest: str, before: LeftContext
) -> str:
    """Choose the article for a noun phrase without determiner, "" for none."""
    english, articles = table("english")["determiners"], language.articles
    first = noun.form
    _, gender, number = noun.entity
    if first in english["quantified"] or first[:1].isdigit():
        return ""
    if noun.tag.startswith("NNP"):
        for key in _GENDERS_AND_NUMBERS:
            if rest in language.places[key]:
                if language.places["bare"].get(before.preposition) == key:
                    return ""
                return articles.definite(key[0], key[1], rest)
    own = articles.definite(gender, number, rest)
    if first in english["definite"]:
        return own
    if noun.tag not in ("NN", "NNS"):
        return ""
    if before.article is not None and before.article.family == "definite":
        return own
    if before.article is not None and number == "s":
        return articles.form("indefinite", gender, "s", rest)
    return own if noun.is_subject and not before.preposition else ""
