"""Puts a pronoun or demonstrative in its place, by its syntactic role and its entity's class."""

from __future__ import annotations

from dataclasses import replace

from corefmill.builders.translate.gamma import clitics, possessive
from corefmill.builders.translate.gamma.context import left, table, word_before
from corefmill.builders.translate.gamma.edits import TextEdits
from corefmill.builders.translate.gamma.italian import TranslationTree
from corefmill.builders.translate.gamma.mention import MentionToPlace, Mode
from corefmill.builders.translate.gamma.nominal import fit_before
from corefmill.rules.tree import feature, is_relation

_OBJECTS = ("obj", "dobj")
_DATIVES = ("iobj", "dative")


def is_pronoun(form: str, tag: str) -> bool:
    """Whether the tables have the English word."""
    english = table("pronouns")["english"]
    lists = ("subject", "object", "either", "reflexive", "possessive")
    if tag == "DT":
        return form in english["demonstrative"]
    return tag in ("PRP", "PRP$") and any(form in english[name] for name in lists)


def place(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, mode: Mode
) -> str:
    """Puts the Italian pronoun in its placeholder's place, sets its span and returns the role.

    Without a tree objects stay where they are.
    """
    word = tree.at(pronoun.span[0])
    english = table("pronouns")["english"]
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
    preposition = left(edits.text, edits.spans[owner][0]).preposition
    if preposition:
        if tree.spans and (how := _after_preposition(edits, owner, pronoun, tree, preposition)):
            return how
        return _in_place(edits, owner, pronoun, "strong")
    verb = None
    if pronoun.relation in ("", *_OBJECTS, *_DATIVES, "xcomp"):
        verb = clitics.verb_of(tree, word)
    role = _role(pronoun, tree, word, verb) or _by_position(edits.text, edits.spans[owner][0])
    if role == "subject":
        return _in_place(edits, owner, pronoun, role, mode)
    dative = verb is not None and _takes_dative(tree, verb)
    if dative and pronoun.entity.type == "human":
        role = "dative"
    elif role == "dative" and verb is not None and _calls(tree, verb):
        role = "object"
    if verb is not None:
        name = "dative_clitic" if role == "dative" else "clitic"
        form = table("pronouns")["forms"][name][pronoun.forms_key]
        if how := clitics.lean(edits, owner, tree, verb, form):
            return how
    return _in_place(edits, owner, pronoun, role, mode)


def _takes_dative(tree: TranslationTree, verb: int) -> bool:
    return tree.tokens[verb].lemma in table("pronouns")["verbs"]["dative"]


def _calls(tree: TranslationTree, verb: int) -> bool:
    """Whether the second object of a verb says what the first is: they deemed him a victim."""
    return tree.tokens[verb].lemma in table("pronouns")["verbs"]["predicative"]


def _after_preposition(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, preposition: str
) -> str | None:
    """Where what stands before a pronoun is none of its prepositions after all; else None.

    `a X` of a verb that takes the dative is a clitic: diede a X, gli diede. Before the subject of a
    clause dopo, oltre and the like are adverbs: dopo X venne.
    """
    prepositions = table("pronouns")["prepositions"]
    word = tree.at(pronoun.span[0])
    both = pronoun.is_subject and word is not None and is_relation(tree.tokens[word], "nsubj")
    subject = both or pronoun.form in table("pronouns")["english"]["subject"]
    if subject and preposition in (*prepositions["with_di"], *prepositions["with_a"]):
        return _in_place(edits, owner, pronoun, "subject")
    verb = clitics.verb_of(tree, word) if preposition == "a" else None
    if subject or verb is None or not _takes_dative(tree, verb):
        return None
    form = table("pronouns")["forms"]["dative_clitic"][pronoun.forms_key]
    return clitics.lean(edits, owner, tree, verb, form)


def _role(
    pronoun: MentionToPlace, tree: TranslationTree, word: int | None, verb: int | None
) -> str | None:
    english = table("pronouns")["english"]
    if pronoun.form in english["subject"] or pronoun.is_subject:
        return "subject"
    if word is not None and verb is None and tree.tokens[word].deprel in ("nsubj", "nsubj:pass"):
        return "subject"  # what English has as an object, Italian may have as a subject (piacere)
    if pronoun.relation in _DATIVES:
        return "dative"
    if pronoun.form in english["object"] or pronoun.relation in _OBJECTS:
        return "object"
    if word is not None and tree.tokens[word].deprel in ("obj", "iobj") and verb is not None:
        return "object"
    return None


def _by_position(text: str, at: int) -> str:
    """Where the pronoun shows no role: subject at the beginning of a clause, else object."""
    word = word_before(text, at)
    opener = word is None or word.form.lower() in table("pronouns")["openers"]
    return "subject" if opener else "object"


def _in_place(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, role: str, mode: Mode = "clean"
) -> str:
    forms = table("pronouns")["forms"]
    if role == "dative":
        return _written(edits, owner, pronoun, forms["strong"][pronoun.forms_key], role, "a")
    name = f"paper_{role}" if mode == "paper" and f"paper_{role}" in forms else role
    return _written(edits, owner, pronoun, forms[name][pronoun.forms_key], role)


def _demonstrative(edits: TextEdits, owner: int, pronoun: MentionToPlace) -> str:
    number = table("pronouns")["english"]["demonstrative"][pronoun.form]
    name = "near" if pronoun.form in ("this", "these") else "far"
    form = table("pronouns")["demonstratives"][name][pronoun.entity.gender + number]
    return _written(edits, owner, pronoun, form, "demonstrative")


def _reflexive(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, tree: TranslationTree, word: int | None
) -> str:
    forms = table("pronouns")["forms"]
    if left(edits.text, edits.spans[owner][0]).preposition:
        return _written(edits, owner, pronoun, forms["reflexive"][pronoun.forms_key], "reflexive")
    verb = clitics.verb_of(tree, word)
    if pronoun.relation and pronoun.relation not in (*_OBJECTS, *_DATIVES, "obl", "xcomp"):
        form = forms["emphatic"][pronoun.forms_key]
        if pronoun.relation != "appos":
            form = f"{forms['strong'][pronoun.forms_key]} {form}"
        return _written(edits, owner, pronoun, form, "emphatic")
    # With an auxiliary, si would turn avere into essere: ha ferito se stesso, si ferì.
    simple = verb is not None and feature(tree.tokens[verb], "VerbForm") != "Part"
    third = verb is not None and feature(tree.tokens[verb], "Person") in (None, "3")
    if verb is None or not (simple and third and clitics.lean(edits, owner, tree, verb, "si")):
        _written(edits, owner, pronoun, forms["reflexive"][pronoun.forms_key], "reflexive")
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
    before = left(edits.text, start)
    if not edits.free(before.start, end, owner):
        before = type(before)(start)
    lead = before.preposition or preposition
    prepositions = table("pronouns")["prepositions"]
    if role in ("strong", "object"):
        lead += " di" * (lead in prepositions["with_di"]) + " a" * (lead in prepositions["with_a"])
    if lead and edits.text[before.start].isupper() and before.start < start:
        lead = lead[:1].upper() + lead[1:]
    lead += " " * bool(lead)
    edits.put(owner, before.start, end, form, lead=lead)
    if not lead:
        fit_before(edits, owner, determined=True)
    return role
