"""Puts a nominal mention in its place: its article, and the preposition that goes with it."""

from __future__ import annotations

import re
from dataclasses import replace

from corefmill.builders.translate.gamma.clitics import lemma_of, verb_of
from corefmill.builders.translate.gamma.edits import (
    LeftContext,
    TextEdits,
    fitting,
    longer,
    read_left,
    small,
    word_before,
)
from corefmill.builders.translate.gamma.language import TargetLanguage, table
from corefmill.builders.translate.gamma.mention import DATIVES, OBJECTS, MentionToPlace, Mode
from corefmill.builders.translate.gamma.target import TranslationTree
from corefmill.rules.tree import with_initial_of

_FIRST = re.compile(r"([^\W\d_]+['’])\s*|([^\W\d_]+)\s+(?=\S)")
_OUTSIDE = " \t\n\r.,;:!?"


def clean(language: TargetLanguage, noun: MentionToPlace) -> str:
    """Remove the end mark and capital of a sentence from a mention's translation."""
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


def take_apart(language: TargetLanguage, words: str) -> tuple[str, str]:
    """The determiner, "" for none, and the rest: `l'amico` is `l'` and `amico`; a preposition
    before the phrase is dropped (`del presidente`: `il`, `presidente`): the context has its own."""
    found = _FIRST.match(words)
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


def place(
    edits: TextEdits, owner: int, noun: MentionToPlace, tree: TranslationTree, mode: Mode
) -> None:
    """Puts the mention in its placeholder's place and sets its span.

    The preposition before it contracts with the article: the span of `del presidente` begins within
    `del`, at the letter of the article. The context's article goes unless the mention has none of
    its own and needs one. A preposition that the target asks for is put before it: veo a Ana. In
    clean mode a town's placeholder leaves its preposition to towns alone: in città, for a Roma.
    """
    start, end = edits.spans[owner]
    language, articles = edits.language, edits.language.articles
    before = read_left(language, edits.text, start)
    if not edits.free(before.start, end, owner):
        before = LeftContext(start)
    determiner, rest = take_apart(language, clean(language, noun))
    as_translated = before.preposition
    if mode == "clean":
        before = _of_no_town(language, noun, rest, before)
    determiner = determiner or _lent(language, noun, rest, before)
    words = _with_blank(determiner) + rest
    lead = edits.text[before.start : start].strip().replace("’", "'")
    if before.article is not None or before.preposition != as_translated:
        lead = with_initial_of(lead, before.preposition)
    first, preposition = "", before.preposition
    if added := _find_added(edits, owner, noun, determiner, before, tree):
        first, lead, preposition = _with_blank(lead), added, added
    known = articles.split(determiner) if determiner else None
    if not preposition:
        written, cut = words, 0
    elif articles.contracts(preposition) and known is not None and known.family == "definite":
        # What the preposition is when nothing is elided before a vowel: d' is di, ad is a.
        word = articles.contract(with_initial_of(lead, preposition), determiner)
        shown = articles.visible_part(preposition, determiner)
        written, cut = first + _with_blank(word) + rest, len(first) + len(word) - len(shown)
    else:
        word = _with_blank(fitting(language, lead, words) or lead)
        written, cut = first + word + words, len(first) + len(word)
    edits.put(owner, before.start, end, written[cut:], lead=written[:cut])
    if not preposition:
        fit_before(edits, owner, determined=bool(determiner))


def _of_no_town(
    language: TargetLanguage, noun: MentionToPlace, rest: str, before: LeftContext
) -> LeftContext:
    """Replace the preposition of towns before a noun or a country: a noun, or a country."""
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
    tree: TranslationTree,
) -> str:
    """Find a preposition of the target missing in the translation, "" for none.

    It is that of persons before who receives something, and before an object that is a name or
    determined, except of verbs that go without (tiene al hijo); or what stands between another
    preposition and any noun (detrás de la casa).
    """
    language = edits.language
    prepositions = language.pronouns["prepositions"]
    if before.preposition:
        between = longer(language, before.preposition)
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
    verb = verb_of(language, tree, tree.at(edits.spans[owner][0]), noun.relation)
    lemma = None if verb is None else lemma_of(language, tree, verb)
    if verb is None or lemma in language.pronouns["verbs"]["without_persons"]:
        return ""
    # What somebody is called is no object: me llamó Sol.
    called = lemma in language.pronouns["verbs"]["predicative"]
    clitics = language.pronouns["clitics"]["words"]
    others = (tree.form(child).lower() in clitics for child in tree.children(verb))
    return "" if called and any(others) else language.persons


def fit_before(edits: TextEdits, owner: int, *, determined: bool) -> None:
    """Fit the word before the mention to its new next sound: ed Anna, e il sindaco."""
    start = edits.spans[owner][0]
    word = word_before(edits.text, start)
    if word is None or not edits.free(word.start, start, owner):
        return
    known = edits.language.articles.split(word.form)
    if determined and known is not None:
        return
    fit = fitting(edits.language, word.form, edits.text[start:])
    if fit is not None:
        span = edits.spans[owner]
        edits.replace(word.start, start, _with_blank(fit), owner)
        shift = len(_with_blank(fit)) - (start - word.start)
        edits.spans[owner] = (span[0] + shift, span[1] + shift)


def _with_blank(word: str) -> str:
    return word if not word or word.endswith("'") else word + " "


def _lent(language: TargetLanguage, noun: MentionToPlace, rest: str, before: LeftContext) -> str:
    """Choose the article for a phrase without one, or ""."""
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
