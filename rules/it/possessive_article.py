"""An article before a possessive that lacks it: mia macchina è -> la mia macchina è."""

from __future__ import annotations

from dataclasses import replace

from corefmill.corpora.records import Token
from corefmill.rules import nominal
from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.it.articles import definite
from corefmill.rules.it.kin_article import is_possessive
from corefmill.rules.it.nouns import NOUNS
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, feature, is_relation, like, low, strings
from corefmill.rules.word_rule import WordRule

NAME = "possessive-article"


class PossessiveArticle(WordRule):
    """Puts the article before a subject's or object's possessive.

    Elsewhere there are too many set phrases: a mio avviso, è mio amico, per sua natura. A plural
    subject after its verb may be meant without (lo hanno firmato nostri amici), and so may close
    kin without an adjective before it.
    """

    name = NAME

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        noun = tree.head(at)
        if noun is None or not _lacks(tree, at, noun):
            return
        found = nominal.of_noun(tree, noun, but=-1, around=True, nouns=NOUNS)
        if not found.known:
            return
        token = tree.tokens[at]
        article = like(token.form, definite(found.key[0], found.key[1], low(token)))
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
        edits.insert(NAME, at, inserted, within)
        if token.form[:1].isupper() and at == 0:
            # The capital was the sentence's, which begins with the article now.
            edits.adjust(at, replace(token, form=token.form[:1].lower() + token.form[1:]))


def _lacks(tree: Tree, at: int, noun: int) -> bool:
    words = table("it", "possessives")["words"]
    if not at < noun or not is_possessive(tree, at):
        return False
    token = tree.tokens[noun]
    return (
        (is_relation(token, "obj", "dislocated") or _is_subject(tree, noun))
        and token.upos == "NOUN"
        and not token.form[:1].isupper()
        and (at == 0 or not tree.tokens[at].form[:1].isupper())
        and low(token) not in strings(words, "bare")
        and not _is_single_kin(tree, noun)
        and not any(
            child < at and low(tree.tokens[child]) not in strings(words, "all")
            for child in tree.children(noun, "det", "nummod", "case", "amod")
        )
        and (
            at == 0
            or low(tree.tokens[at - 1]) in strings(words, "all")
            or not _below(tree, at - 1, noun)
        )
    )


def _is_subject(tree: Tree, noun: int) -> bool:
    """Before its verb, or in the singular after one that is no copula: è nostra cura."""
    token, head = tree.tokens[noun], tree.head(noun)
    if head is None or not is_relation(token, "nsubj"):
        return False
    copular = tree.children(head, "cop") or tree.tokens[head].lemma == "essere"
    return noun < head or (feature(token, "Number") == "Sing" and not copular)


def _is_single_kin(tree: Tree, noun: int) -> bool:
    token = tree.tokens[noun]
    kin = strings(table("it", "possessives")["words"], "kin")
    single = low(token) in kin and feature(token, "Number") != "Plur"
    # il suo nuovo genero, but mia sorella maggiore
    return single and all(child > noun for child in tree.children(noun, "amod"))


def _below(tree: Tree, at: int, top: int) -> bool:
    """Whether a word hangs on another, over any number of others."""
    for _ in tree.tokens:
        head = tree.head(at)
        if head is None or head == top:
            return head == top
        at = head
    return False
