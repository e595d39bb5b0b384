"""The article before a possessive: la mia macchina, but mio padre."""

from __future__ import annotations

from dataclasses import replace

from corefmill.corpora.records import Token
from corefmill.rules import nominal
from corefmill.rules.agreement import NeedlessArticle
from corefmill.rules.edits import UtteranceEdits, WordRule
from corefmill.rules.it.morphology import NOUNS
from corefmill.rules.it.writing import ARTICLES, join
from corefmill.rules.tree import Tree, feature, is_relation, low, read_words, recase, table


class KinArticle(NeedlessArticle):
    """Rule: delete the article before a bare relative (il mio padre -> mio padre)."""

    name = "kin-article"
    near = False

    def __init__(self) -> None:
        super().__init__(("il", "lo", "la", "l'", "i", "gli", "le"), (), join)

    def is_bare(self, tree: Tree, at: int) -> bool:
        """See `is_bare_kin`."""
        return is_bare_kin(tree, at)


def is_bare_kin(tree: Tree, at: int) -> bool:
    """Tell whether the word is a possessive right before a bare relative in the singular."""
    words = table("it", "possessives")["words"]
    noun = at + 1
    if noun >= len(tree.tokens) or tree.head(at) != noun or not is_possessive(tree, at):
        return False
    return (
        low(tree.tokens[at]) not in words["with_article"]
        and low(tree.tokens[noun]) in read_words(words, "kin")
        and feature(tree.tokens[noun], "Number") != "Plur"
        and not tree.children(noun, "amod")
    )


def is_possessive(tree: Tree, at: int) -> bool:
    """Tell whether the word is a possessive adjective; `loro` is, `cui` and `quale` are not."""
    token = tree.tokens[at]
    forms = {form for row in table("it", "possessives")["paradigm"] for form in row.values()}
    return low(token) in forms | {"loro"} and is_relation(token, "det")


class PossessiveArticle(WordRule):
    """Rule: insert the article before the possessive of a subject or object.

    Elsewhere there are too many set phrases: a mio avviso, è mio amico, per sua natura. A plural
    subject after its verb may have no article (lo hanno firmato nostri amici), and neither may
    close kin without an adjective before it.
    """

    name = "possessive-article"

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Insert the article before a possessive that lacks one."""
        noun = tree.head(at)
        if noun is None or not _lacks_article(tree, at, noun):
            return
        found = nominal.read_noun_agreement(tree, noun, but=-1, around=True, nouns=NOUNS)
        if not found.is_known:
            return
        token = tree.tokens[at]
        article = recase(token.form, ARTICLES.definite(found.key[0], found.key[1], low(token)))
        within = frozenset(
            number
            for number, mention in enumerate(edits.utterance.mentions)
            if mention.start == at and mention.end > noun
        )
        inserted = Token(
            article,
            lemma="il",
            upos="DET",
            feats=f"Definite=Def|Gender={found.gender}|Number={found.number}|PronType=Art",
            head=noun + 1,
            deprel="det",
        )
        edits.insert(self.name, at, inserted, within)
        if token.form[:1].isupper() and at == 0:
            # The capital was the sentence's, and moves to the article, which begins it now.
            edits.adjust(at, replace(token, form=token.form[:1].lower() + token.form[1:]))


def _lacks_article(tree: Tree, at: int, noun: int) -> bool:
    """Tell whether a possessive lacks the article before it."""
    words = table("it", "possessives")["words"]
    if not at < noun or not is_possessive(tree, at):
        return False
    token = tree.tokens[noun]
    # il suo nuovo genero, but mia sorella maggiore
    single_kin = (
        low(token) in read_words(words, "kin")
        and feature(token, "Number") != "Plur"
        and all(child > noun for child in tree.children(noun, "amod"))
    )
    # Only common nouns as subjects and objects, in small letters (Nostra Signora is a name); no
    # titles (sua maestà) and no kin in the singular, which stand without an article.
    return (
        (is_relation(token, "obj", "dislocated") or _is_subject(tree, noun))
        and token.upos == "NOUN"
        and not token.form[:1].isupper()
        and (at == 0 or not tree.tokens[at].form[:1].isupper())
        and low(token) not in read_words(words, "bare")
        and not single_kin
        # Only `tutti` may stand before the possessive: behind an article, numeral, preposition,
        # adjective or word of the same noun phrase it needs no article (quei miei amici).
        and not any(
            child < at and low(tree.tokens[child]) not in read_words(words, "all")
            for child in tree.children(noun, "det", "nummod", "case", "amod")
        )
        and (
            at == 0
            or low(tree.tokens[at - 1]) in read_words(words, "all")
            or not _depends_on(tree, at - 1, noun)
        )
    )


def _is_subject(tree: Tree, noun: int) -> bool:
    """Tell whether a noun is a subject before its verb, or a singular one after a full verb."""
    token, head = tree.tokens[noun], tree.head(noun)
    if head is None or not is_relation(token, "nsubj"):
        return False
    copular = tree.children(head, "cop") or tree.tokens[head].lemma == "essere"
    return noun < head or (feature(token, "Number") == "Sing" and not copular)


def _depends_on(tree: Tree, at: int, top: int) -> bool:
    """Tell whether a word depends on `top`, directly or through other words."""
    for _ in tree.tokens:
        head = tree.head(at)
        if head is None or head == top:
            return head == top
        at = head
    return False
