"""What becomes of marked lines: what their names are called, and the examples they make."""

from __future__ import annotations

from dataclasses import replace

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext, draft_by_paper
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.names import Name, extend_to_article
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.spread import spread_names
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wikicrem.stages import make_clean_example
from tests.builders.wikicrem.passages import analysed, article, show_draft, words_of


def read_names(lang: str, *lines: str) -> list[list[tuple[Name, str]]]:
    """The names of each line of a document, with what a mask would hide of it."""
    analyses, words = [analysed(line) for line in lines], load(lang)
    return [
        [
            (name, analysis.text[name.start : name.end])
            for name in (extend_to_article(name, analysis.text, words) for name in names)
        ]
        for analysis, names in zip(analyses, spread_names(analyses, words), strict=True)
    ]


def called(lang: str, line: str) -> str:
    """Each name as the text has it, and as it is called: "Anna = Anna, Annas = Anna"."""
    return ", ".join(f"{hidden} = {name.text}" for name, hidden in read_names(lang, line)[0])


def named(lang: str, *lines: str) -> list[str]:
    """The names of the last line of a document, whose names in [ ] the recogniser has found."""
    return [name.text for name, _ in read_names(lang, *lines)[-1]]


def views(lang: str, line: str, *elsewhere: str) -> list[DraftContext]:
    """The drafts of a line; the other lines are paragraphs of the same document."""
    words = load(lang)
    analyses = [analysed(text) for text in (line, *elsewhere)]
    usage = Usage(article(*(analysis.text for analysis in analyses)), analyses, words)
    known = Persons(usage, Genders(lang, words))
    names = [name for name, _ in read_names(lang, line, *elsewhere)[0]]
    groups = draft_by_paper(analyses[0].sentences, names)
    return [show_draft(draft, analyses[0], known) for group in groups for draft in group]


def made(lang: str, line: str, *elsewhere: str) -> list[str]:
    """The examples of a line: what is masked, and the candidates, the right one in brackets."""
    found = []
    for view in views(lang, line, *elsewhere):
        for record in make_clean_example(view, lang):
            shown = [
                f"[{name}]" if index == record.label else name
                for index, name in enumerate(record.candidates)
            ]
            found.append(f"{record.text[slice(*record.target)]}: {' '.join(shown)}")
    return found


def with_word(
    view: DraftContext, form: str, head: int, feats: str, deprel: str = "dep"
) -> DraftContext:
    """The draft with a parse of nouns, the last word of this form so many words from its head."""
    words = words_of(view.passage)
    forms = [view.passage[start:end] for start, end in words]
    at = len(forms) - 1 - forms[::-1].index(form)
    read = Analysis(
        view.passage,
        words,
        ((0, len(view.passage)),),
        (),
        upos=("NOUN",) * len(words),
        deprel=tuple(deprel if word == at else "dep" for word in range(len(words))),
        head=tuple(word + head if word == at else word for word in range(len(words))),
        feats=tuple(feats if word == at else "" for word in range(len(words))),
    )
    return replace(view, syntax=read)


def persons(lang: str, *texts: str) -> Persons:
    """What a document of these paragraphs says of its persons."""
    words = load(lang)
    return Persons(Usage(article(*texts), [], words), Genders(lang, words))
