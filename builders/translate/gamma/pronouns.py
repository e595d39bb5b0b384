"""Puts a pronoun or demonstrative in its place, by its syntactic role and its entity's class."""

from __future__ import annotations

from dataclasses import replace

from corefmill.builders.translate.gamma import clitics, possessive
from corefmill.builders.translate.gamma.context import left, longer, word_before
from corefmill.builders.translate.gamma.edits import TextEdits
from corefmill.builders.translate.gamma.language import TargetLanguage, table
from corefmill.builders.translate.gamma.mention import (
    DATIVES,
    OBJECTS,
    MentionToPlace,
    Mode,
)
from corefmill.builders.translate.gamma.nominal import fit_before
from corefmill.builders.translate.gamma.target import TranslationTree
from corefmill.rules.tree import feature, is_relation


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
        return _demonstrative(edits, owner, pronoun)
    if pronoun.tag == "PRP$":
        how = possessive.place(edits, owner, pronoun.entity.number, tree, word)
        how = how or possessive.before_noun(edits, owner, pronoun.entity.number, tree)
        return how or _in_place(edits, owner, pronoun, "strong")
    if pronoun.form in english["reflexive"]:
        return _reflexive(edits, owner, pronoun, tree, word)
    return _personal(edits, owner, pronoun, tree, mode)


def _personal(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, mode: Mode
) -> str:
    """A personal pronoun: behind a preposition, as a subject, or as its verb's object."""
    language, word = edits.language, tree.at(pronoun.span[0])
    preposition = left(language, edits.text, edits.spans[owner][0]).preposition
    # What a language puts before persons who are objects is no preposition of a pronoun.
    if preposition and not (preposition == language.persons and pronoun.relation in OBJECTS):
        if tree.spans and (how := _after_preposition(edits, owner, pronoun, tree, preposition)):
            return how
        return _in_place(edits, owner, pronoun, "strong")
    verb = None
    if pronoun.relation in ("", *OBJECTS, *DATIVES, "xcomp"):
        verb = clitics.verb_of(language, tree, word, pronoun.relation)
    role = _role(pronoun, tree, word, verb) or _by_position(edits, edits.spans[owner][0])
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
    """Whether a verb takes the dative, or says what its object is: they deemed him a victim."""
    return clitics.lemma_of(language, tree, verb) in language.pronouns["verbs"][kind]


def _after_preposition(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, preposition: str
) -> str | None:
    """Where what stands before a pronoun is none of its prepositions after all; else None.

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


def _by_position(edits: TextEdits, at: int) -> str:
    """Where the pronoun shows no role: subject at the beginning of a clause, else object."""
    word = word_before(edits.text, at)
    opener = word is None or word.form.lower() in edits.language.pronouns["openers"]
    return "subject" if opener else "object"


def _in_place(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, role: str, mode: Mode = "clean"
) -> str:
    known = edits.language.pronouns
    forms = known["forms"]
    if role == "dative":
        strong = forms["strong"][pronoun.forms_key]
        return _written(edits, owner, pronoun, strong, role, known["prepositions"]["to"])
    name = f"paper_{role}" if mode == "paper" and f"paper_{role}" in forms else role
    person = role == "object" and pronoun.entity.type == "human" and pronoun.relation in OBJECTS
    preposition = edits.language.persons if person else ""
    return _written(edits, owner, pronoun, forms[name][pronoun.forms_key], role, preposition)


def _demonstrative(edits: TextEdits, owner: int, pronoun: MentionToPlace) -> str:
    number = table("english")["pronouns"]["demonstrative"][pronoun.form]
    name = "near" if pronoun.form in ("this", "these") else "far"
    key = f"{pronoun.entity.type}-{pronoun.entity.gender}{number}"
    form = edits.language.pronouns["demonstratives"][name][key]
    return _written(edits, owner, pronoun, form, "demonstrative")


def _reflexive(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, word: int | None
) -> str:
    language, how = edits.language, edits.language.pronouns["clitics"]
    forms = language.pronouns["forms"]
    itself = forms["reflexive"][pronoun.forms_key]
    if left(language, edits.text, edits.spans[owner][0]).preposition:
        return _written(edits, owner, pronoun, itself, "reflexive")
    verb = clitics.verb_of(language, tree, word, pronoun.relation)
    if pronoun.relation and pronoun.relation not in (*OBJECTS, *DATIVES, "obl", "xcomp"):
        form = forms["emphatic"][pronoun.forms_key]
        if pronoun.relation != "appos":
            form = f"{forms['strong'][pronoun.forms_key]} {form}"
        return _written(edits, owner, pronoun, form, "emphatic")
    # With an auxiliary, si would turn avere into essere: ha ferito se stesso, si ferì.
    simple = verb is not None and feature(tree.tokens[verb], "VerbForm") != "Part"
    simple = simple or how["reflexive_before_auxiliary"]
    third = verb is not None and feature(tree.tokens[verb], "Person") in (None, "3")
    leans = verb is not None and simple and third
    if verb is None or not (leans and clitics.lean(edits, owner, tree, verb, how["reflexive"])):
        _written(edits, owner, pronoun, itself, "reflexive", language.persons)
    return "reflexive"


def _written(
    edits: TextEdits,
    owner: int,
    pronoun: MentionToPlace,
    form: str,
    role: str,
    preposition: str = "",
) -> str:
    """Puts `form` where the placeholder is; the article before it goes, a preposition stays."""
    start, end = edits.spans[owner]
    before = left(edits.language, edits.text, start)
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
