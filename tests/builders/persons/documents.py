"""What becomes of marked lines: what their names are called, and the examples they make."""

from __future__ import annotations

from corefmill.builders.persons.drafts import DraftContext, drafts
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.names import with_article
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.spread import spread
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wikicrem.stages import make_clean_example
from tests.builders.wikicrem.passages import analysed, article


def called(lang: str, *lines: str) -> list[str]:
    """Each name of a document as its text has it, and as it is called: "Annas = Anna"."""
    analyses = [analysed(line) for line in lines]
    named = spread(analyses, load(lang))
    return [
        f"{analysis.text[name.start : name.end]} = {name.text}"
        for analysis, names in zip(analyses, named, strict=True)
        for name in (with_article(name, analysis.text, load(lang)) for name in names)
    ]


def views(lang: str, line: str, *elsewhere: str) -> list[DraftContext]:
    """The drafts of a line; the other lines are paragraphs of the same document."""
    words = load(lang)
    analyses = [analysed(text) for text in (line, *elsewhere)]
    found = spread(analyses, words)[0]
    names = [with_article(name, analyses[0].text, words) for name in found]
    whole = article(*(analysis.text for analysis in analyses))
    usage = Usage(whole, analyses, words)
    return [
        DraftContext(
            article=whole,
            paragraph=whole.paragraphs[0],
            draft=draft,
            read=analyses[0],
            read_from=0,
            usage=usage,
            persons=Persons(usage, Genders(lang, words)),
            table=words,
        )
        for group in drafts(analyses[0].sentences, names)
        for draft in group
    ]


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


def named(lang: str, *lines: str) -> list[str]:
    """The names of the last line of a document, whose names in [ ] the recogniser has found."""
    analyses = [analysed(line) for line in lines]
    return [name.text for name in spread(analyses, load(lang))[-1]]


def masked(lang: str, line: str) -> list[str]:
    """What a mask would hide of a line, name by name: an article may go with the name."""
    analysis, words = analysed(line), load(lang)
    names = (with_article(name, analysis.text, words) for name in spread([analysis], words)[0])
    return [analysis.text[name.start : name.end] for name in names]


def persons(lang: str, *texts: str) -> Persons:
    """What a document of these paragraphs says of its persons."""
    return Persons(Usage(article(*texts), []), Genders(lang, load(lang)))
