"""Dropped subjects as empty nodes: where they stand, what they are, and on what they depend."""

from __future__ import annotations

from typing import Any

import pytest

from corefmill.builders.translate.delta import build_empty_nodes, find_dropped
from corefmill.rules.languages import load
from corefmill.rules.rule import Utterance
from corefmill.rules.subject_deletion import SubjectDeletion
from corefmill.rules.tree import table
from tests.rules.trees import utterance


def extra(given: Utterance, lang: str = "it") -> tuple[Utterance, dict[str, Any]]:
    """The utterance without its subjects, and what CorefUD's columns are told of them."""
    (rule,) = [rule for rule in load(lang).rules("clean") if rule.name == SubjectDeletion.name]
    after, changes = rule.apply(given)
    return after, build_empty_nodes(after, find_dropped(given, after, changes), lang)


def test_a_node_stands_where_the_pronoun_stood_and_names_its_verb() -> None:
    given = utterance(
        "Ada/Ada/name/2/nsubj dice/dire/v.s3r/0/root che/che/that/8/mark lei/lei/who.s3/8/nsubj "
        "non/non/not/8/advmod l'~/lo/cl/8/obj ha/avere/aux.s3r/8/aux visto/vedere/part/2/ccomp",
        [("a", 0, 1), ("b", 3, 4), ("c", 5, 6)],
    )
    after, found = extra(given)
    assert [(m.key, m.start) for m in after.mentions] == [("a", 0), ("b", 5), ("c", 4)]
    feats = "Gender=Fem|Number=Sing|Person=3|PronType=Prs"
    columns = ["_", "lei", "PRON", "_", feats, "_", "_", "7:nsubj", "Entity|OnVerb=6"]
    assert found["empty"] == {"3.1": "\t".join(columns)}
    assert found["deps"].split("\t") == ["="] * 7


def test_a_pronoun_without_a_mention_of_its_own_has_no_node() -> None:
    rows = "Ella/él/pron.3/2/nsubj canta/cantar/v.s3r/0/root"
    after, found = extra(utterance(rows), "es")
    assert [token.form for token in after.tokens] == ["Canta"]
    assert found == {"deps": "="}
    _, found = extra(utterance(rows, [("a", 0, 1)]), "es")
    assert found["empty"]["0.1"].startswith("_\tél\tPRON\t_\tGender=Fem|")


@pytest.mark.parametrize("lang", ["fr", "de"])
def test_a_language_that_keeps_its_subjects_has_no_enhanced_dependencies(lang: str) -> None:
    assert build_empty_nodes(utterance("Canta/cantar/v.s3r/0/root"), {}, lang) == {}


@pytest.mark.parametrize("lang", ["it", "es"])
def test_every_subject_pronoun_has_a_lemma_and_features(lang: str) -> None:
    pronouns = table(lang, "pronouns")
    assert pronouns["dropped"].keys() == pronouns["subject"].keys()
    for form, (lemma, feats) in pronouns["dropped"].items():
        ((person, number),) = pronouns["subject"][form]
        assert f"Number={'Sing' if number == 's' else 'Plur'}|Person={person}|" in feats and lemma
