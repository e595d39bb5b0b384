"""Puts a pronoun or demonstrative in its place, by its syntactic role and its entity's class."""

from __future__ import annotations

import re
from dataclasses import replace

from corefmill.builders.translate.gamma import clitics
from corefmill.builders.translate.gamma.edits import (
    LeftContext,
    TextEdits,
    WordBefore,
    begins_sentence,
    capital,
    longer,
    read_left,
    small,
    word_before,
)
from corefmill.builders.translate.gamma.language import TargetLanguage, table
from corefmill.builders.translate.gamma.mention import (
    DATIVES,
    OBJECTS,
    MentionToPlace,
    Mode,
)
from corefmill.builders.translate.gamma.nominal import fit_before
from corefmill.builders.translate.gamma.target import TranslationTree
from corefmill.corpora.records import Span
from corefmill.rules.tree import GENDERS, NUMBERS, feature, is_relation, with_initial_of

_REACH = 4
"""Words to the left of `di` among which a determiner is looked for."""
_NOUNS = ("NOUN", "PROPN")
_FOLLOWING = re.compile(r"[ \t]+([^\W\d_]+)")


def is_pronoun(form: str, tag: str) -> bool:
    """Whether the tables have the English word."""
    english = table("english")["pronouns"]
    lists = ("subject", "object", "either", "reflexive", "possessive")
    if tag == "DT":
        return form in english["demonstrative"]
    return tag in ("PRP", "PRP$") and any(form in english[name] for name in lists)


def place(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, mode: Mode
) -> str:
    """Puts the target's pronoun in its placeholder's place, sets its span and returns the role.

    Without a tree objects stay where they are.
    """
    word = tree.at(pronoun.span[0])
    english = table("english")["pronouns"]
    if mode == "clean" and pronoun.is_subject and pronoun.form in english["object"]:
        pronoun = replace(pronoun, relation="obj")  # of a clause without a finite verb: let her go
    if pronoun.tag == "DT":
        name = "near" if pronoun.form in ("this", "these") else "far"
        entity, number = pronoun.entity, english["demonstrative"][pronoun.form]
        forms = edits.language.pronouns["demonstratives"][name]
        form = forms[f"{entity.type}-{entity.gender}{number}"]
        return _write(edits, owner, pronoun, form, "demonstrative")
    if pronoun.tag == "PRP$":
        how = _place_possessive(edits, owner, pronoun.entity.number, tree, word)
        how = how or _before_noun(edits, owner, pronoun.entity.number, tree)
        return how or _in_place(edits, owner, pronoun, "strong")
    if pronoun.form in english["reflexive"]:
        return _reflexive(edits, owner, pronoun, tree, word)
    return _personal(edits, owner, pronoun, tree, mode)


def _personal(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, mode: Mode
) -> str:
    """A personal pronoun: behind a preposition, as a subject, or as its verb's object."""
    language, word = edits.language, tree.at(pronoun.span[0])
    preposition = read_left(language, edits.text, edits.spans[owner][0]).preposition
    # What a language puts before persons who are objects is no preposition of a pronoun.
    if preposition and not (preposition == language.persons and pronoun.relation in OBJECTS):
        if tree.spans and (how := _after_preposition(edits, owner, pronoun, tree, preposition)):
            return how
        return _in_place(edits, owner, pronoun, "strong")
    verb = None
    if pronoun.relation in ("", *OBJECTS, *DATIVES, "xcomp"):
        verb = clitics.verb_of(language, tree, word, pronoun.relation)
    role = _role(pronoun, tree, word, verb)
    if role is None:  # a subject at the beginning of a clause, else an object
        last = word_before(edits.text, edits.spans[owner][0])
        opens = last is None or last.form.lower() in language.pronouns["openers"]
        role = "subject" if opens else "object"
    if role == "subject":
        return _in_place(edits, owner, pronoun, role, mode)
    if verb is not None:
        if _is_of("dative", language, tree, verb) and pronoun.entity.type == "human":
            role = "dative"
        elif role == "dative" and _is_of("predicative", language, tree, verb):
            role = "object"
        name = "dative_clitic" if role == "dative" else "clitic"
        form = language.pronouns["forms"][name][pronoun.forms_key]
        if how := clitics.lean(edits, owner, tree, verb, form):
            return how
    return _in_place(edits, owner, pronoun, role, mode)


def _is_of(kind: str, language: TargetLanguage, tree: TranslationTree, verb: int) -> bool:
    """Whether a verb takes the dative, or describes its object: they deemed him a victim."""
    return clitics.lemma_of(language, tree, verb) in language.pronouns["verbs"][kind]


def _after_preposition(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, preposition: str
) -> str | None:
    """Place a pronoun behind a word mistaken for its preposition; else None.

    `a X` of a verb that takes the dative is a clitic: diede a X, gli diede. Before the subject of a
    clause dopo, oltre and the like are adverbs: dopo X venne.
    """
    language = edits.language
    word = tree.at(pronoun.span[0])
    both = pronoun.is_subject and word is not None and is_relation(tree.tokens[word], "nsubj")
    subject = both or pronoun.form in table("english")["pronouns"]["subject"]
    if subject and longer(language, preposition):
        return _in_place(edits, owner, pronoun, "subject")
    receives = preposition == language.pronouns["prepositions"]["to"]
    verb = clitics.verb_of(language, tree, word) if receives else None
    if subject or verb is None or not _is_of("dative", language, tree, verb):
        return None
    form = language.pronouns["forms"]["dative_clitic"][pronoun.forms_key]
    return clitics.lean(edits, owner, tree, verb, form)


def _role(
    pronoun: MentionToPlace, tree: TranslationTree, word: int | None, verb: int | None
) -> str | None:
    english = table("english")["pronouns"]
    if pronoun.form in english["subject"] or pronoun.is_subject:
        return "subject"
    if word is not None and verb is None and tree.tokens[word].deprel in ("nsubj", "nsubj:pass"):
        return "subject"  # what English has as an object, Italian may have as a subject (piacere)
    if pronoun.relation in DATIVES:
        return "dative"
    if pronoun.form in english["object"] or pronoun.relation in OBJECTS:
        return "object"
    if word is not None and tree.tokens[word].deprel in ("obj", "iobj") and verb is not None:
        return "object"
    return None


def _in_place(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, role: str, mode: Mode = "clean"
) -> str:
    known = edits.language.pronouns
    forms = known["forms"]
    if role == "dative":
        strong = forms["strong"][pronoun.forms_key]
        return _write(edits, owner, pronoun, strong, role, known["prepositions"]["to"])
    name = f"paper_{role}" if mode == "paper" and f"paper_{role}" in forms else role
    person = role == "object" and pronoun.entity.type == "human" and pronoun.relation in OBJECTS
    preposition = edits.language.persons if person else ""
    return _write(edits, owner, pronoun, forms[name][pronoun.forms_key], role, preposition)


def _reflexive(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, word: int | None
) -> str:
    language, how = edits.language, edits.language.pronouns["clitics"]
    forms = language.pronouns["forms"]
    itself = forms["reflexive"][pronoun.forms_key]
    if read_left(language, edits.text, edits.spans[owner][0]).preposition:
        return _write(edits, owner, pronoun, itself, "reflexive")
    verb = clitics.verb_of(language, tree, word, pronoun.relation)
    if pronoun.relation and pronoun.relation not in (*OBJECTS, *DATIVES, "obl", "xcomp"):
        form = forms["emphatic"][pronoun.forms_key]
        if pronoun.relation != "appos":
            form = f"{forms['strong'][pronoun.forms_key]} {form}"
        return _write(edits, owner, pronoun, form, "emphatic")
    # With an auxiliary, si would turn avere into essere: ha ferito se stesso, si ferì.
    simple = verb is not None and feature(tree.tokens[verb], "VerbForm") != "Part"
    simple = simple or how["reflexive_before_auxiliary"]
    third = verb is not None and feature(tree.tokens[verb], "Person") in (None, "3")
    leans = verb is not None and simple and third
    if verb is None or not (leans and clitics.lean(edits, owner, tree, verb, how["reflexive"])):
        _write(edits, owner, pronoun, itself, "reflexive", language.persons)
    return "reflexive"


def _write(
    edits: TextEdits,
    owner: int,
    pronoun: MentionToPlace,
    form: str,
    role: str,
    preposition: str = "",
) -> str:
    """Put `form` in the placeholder's place; the article before it goes, a preposition stays."""
    start, end = edits.spans[owner]
    before = read_left(edits.language, edits.text, start)
    if not edits.free(before.start, end, owner):
        before = type(before)(start)
    lead = before.preposition or preposition
    if role in ("strong", "object"):
        lead = f"{lead} {longer(edits.language, lead)}".rstrip()
    if lead and edits.text[before.start].isupper() and before.start < start:
        lead = lead[:1].upper() + lead[1:]
    lead += " " * bool(lead)
    edits.put(owner, before.start, end, form, lead=lead)
    if not lead:
        fit_before(edits, owner, determined=True)
    return role


def _place_possessive(
    edits: TextEdits, owner: int, number: str, tree: TranslationTree, word: int | None
) -> str | None:
    """Puts the possessive of one (s) or many (p) possessors to its noun and sets the span.

    It stands behind the noun's determiner, and where there is none instead of `di X` (a casa sua),
    or with an article before a noun whose kind is said between (disturbi di cuore di X). In a
    language that has no article before it, it stands instead of that, or before the noun; behind
    any other determiner it comes after the noun (un amigo suyo).
    Returns "possessive" or "possessive_after", or None with nothing changed where no `di` stands
    before the placeholder, or no noun before that.
    """
    start, end = edits.spans[owner]
    before = read_left(edits.language, edits.text, start)
    whose = before.preposition in edits.language.pronouns["prepositions"]["of"]
    last = word_before(edits.text, before.start)
    if not whose or last is None or last.form.endswith("'"):
        return None
    if not edits.free(before.start, end, owner):
        return None
    # First, the possessed noun: the placeholder hangs on a noun to its left, or on one that says of
    # what kind that is (disturbi di cuore di X), and its determiner.
    noun = None if word is None else tree.head(word)
    if word is None or noun is None or noun > word or tree.tokens[noun].upos not in _NOUNS:
        noun = None
    last_noun, noun = noun, None if noun is None else _find_owned(edits.language, tree, noun)
    determiner = _determiner(edits, owner, before.start, tree, noun)
    if determiner is None and noun is None:
        return None
    # Second, the form. Third, its place: without a determiner before the noun (i suoi disturbi),
    # with an article or a definite determiner behind or instead of that, else after the noun.
    key = "".join(_agreement(edits, last, determiner, tree, noun))
    possessives = edits.language.pronouns["possessives"]
    form, article = possessives[number][key], possessives["article"]
    known = edits.language.articles.split(determiner.form) if determiner is not None else None
    bare = before.start - (edits.text[before.start - 1] == " "), end  # di X, with its blank
    if known is None or determiner is None:
        inner = noun is not None and (noun != last_noun or not article)
        first = _beginning(edits, owner, tree, noun or 0) if inner else None
        if first is not None:
            edits.put(owner, *bare, "")
            before = read_left(edits.language, edits.text, first)
            _put_before(edits, owner, before, (first, first), form, key)
            return "possessive"
    elif article or known.family == "definite":
        edits.put(owner, *bare, "")
        after = edits.text[determiner.start + len(determiner.form) :]
        stop = len(edits.text) - len(after.lstrip(" \t"))  # where the next word begins
        if article:
            lead = edits.language.articles.fit(determiner.form, form, key[0], key[1]) + " "
            edits.put(owner, determiner.start, stop, form, lead=lead, rest=" ")
        else:
            before = LeftContext(determiner.start, known.preposition)
            _put_before(edits, owner, before, (stop, stop), form, key)
        return "possessive"
    edits.put(owner, before.start, end, possessives.get("after", possessives)[number][key])
    return "possessive_after"


def _find_owned(language: TargetLanguage, tree: TranslationTree, noun: int) -> int:
    """Of disturbi di cuore it is disturbi: a noun with such a preposition and no determiner says
    of what kind the noun before it is."""
    kinds = language.pronouns["prepositions"]["of_kind"]
    while (head := tree.head(noun)) is not None and head < noun:
        before = [tree.form(child).lower() for child in tree.children(noun) if child < noun]
        if tree.tokens[head].upos not in _NOUNS or len(before) != 1 or before[0] not in kinds:
            break
        noun = head
    return noun


def _beginning(edits: TextEdits, owner: int, tree: TranslationTree, noun: int) -> int | None:
    """Find the beginning of a noun, or of an adjective before it; None where another mention is in
    the way, and at the beginning of a sentence, if an article would stand there."""
    first = min([noun, *tree.children(noun, "amod", "nummod")])
    span = edits.words[first]
    if span is None or not edits.free(span[0], span[0] + 1, owner):
        return None
    article = edits.language.pronouns["possessives"]["article"]
    if begins_sentence(edits.text, span[0]) and (article or tree.tokens[first].upos == "PROPN"):
        return None
    before = read_left(edits.language, edits.text, span[0])
    return span[0] if edits.free(before.start, span[0], owner) else None


def _put_before(
    edits: TextEdits, owner: int, before: LeftContext, old: Span, form: str, key: str
) -> None:
    """Replace `old` and the words before it by the possessive and its article."""
    start, end = old
    articles = edits.language.articles
    article = ""
    if edits.language.pronouns["possessives"]["article"]:
        article = articles.definite(key[0], key[1], form)
    lead = before.preposition
    both = articles.contracts(lead) and article
    lead = articles.contract(lead, article) if both else f"{lead} {article}".strip()
    if before.start < start:
        lead = with_initial_of(edits.text[before.start], lead)
        form = form if lead else with_initial_of(edits.text[before.start], form)
    if before.start == start == end and begins_sentence(edits.text, start):
        edits.replace(start, start + 1, small(edits.text[start]), owner)
        form = capital(form)
    rest = " " * (start == end)
    edits.put(owner, before.start, end, form, lead=lead + " " * bool(lead), rest=rest)


def _determiner(
    edits: TextEdits, owner: int, start: int, tree: TranslationTree, noun: int | None
) -> WordBefore | None:
    lowest = 0
    if noun is not None:
        before = [child for child in tree.children(noun, "det") if child < noun]
        children = [at for at in before if edits.language.articles.split(tree.form(at))]
        span = edits.words[children[0]] if children else None
        if span is None:
            return None
        lowest = span[0]
    # A tree that does not see the noun is trusted as far as its determiner's next word.
    reach = 2 * _REACH if noun is not None else 2 if tree.spans else _REACH
    words = edits.language.pronouns
    outside = (words["openers"], words["restored"], words["prepositions"]["outside"])
    for number in range(reach):
        word = word_before(edits.text, start)
        if word is None or word.start < lowest or not edits.free(word.start, start, owner):
            return None
        known = edits.language.articles.split(word.form)
        if known is not None and number and (noun is None or word.start == lowest):
            return word
        # These words are never within a noun phrase that a determiner opens.
        if noun is None and any(word.form.lower() in own for own in outside):
            return None
        start = word.start
    return None


def _before_noun(edits: TextEdits, owner: int, number: str, tree: TranslationTree) -> str | None:
    """Put article and possessive before the next word, in English order (X mom); the span is the
    possessive's.

    Returns "possessive", or None with nothing changed where no noun follows.
    """
    start, end = edits.spans[owner]
    before = read_left(edits.language, edits.text, start)
    following = _FOLLOWING.match(edits.text, end)
    if following is None or not edits.free(before.start, end, owner):
        return None
    starts = [None if span is None else span[0] for span in edits.words]
    noun = starts.index(following.start(1)) if following.start(1) in starts else None
    if noun is not None and tree.tokens[noun].upos not in (*_NOUNS, "ADJ", "NUM", "X"):
        return None
    if noun is not None and tree.tokens[noun].upos == "NUM":
        noun = max(noun, tree.head(noun) or 0)  # X due libri: i suoi due libri
    last = WordBefore(following[1], following.start(1))
    key = "".join(_agreement(edits, last, None, tree, noun))
    form = edits.language.pronouns["possessives"][number][key]
    _put_before(edits, owner, before, (start, end), form, key)
    return "possessive"


def _agreement(
    edits: TextEdits,
    last: WordBefore,
    determiner: WordBefore | None,
    tree: TranslationTree,
    noun: int | None,
) -> tuple[str, str]:
    """Gender and number of the possessed noun: the article shows them, whatever the tree says."""
    gender = number = None
    if noun is not None:
        gender = GENDERS.get(feature(tree.tokens[noun], "Gender") or "")
        number = NUMBERS.get(feature(tree.tokens[noun], "Number") or "")
    known = edits.language.articles.split(determiner.form) if determiner is not None else None
    if known is not None:
        readings = known.readings
        if len({reading.gender for reading in readings}) == 1:
            gender = readings[0].gender
        number = readings[0].number
    endings = edits.language.pronouns["nouns"]["endings"]
    guess = next((own for end, own in endings.items() if last.form.lower().endswith(end)), "  ")
    return gender or guess[0].strip() or "m", number or guess[1].strip() or "s"
