"""Whether a sentence, before anything is parsed, names two persons of the pronoun's gender.

Only the names' own words and the article's use of them are asked, which is quicker than a parser.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prefilter import name_runs
from corefmill.builders.persons.table import Gender, PersonWords


def names_two(
    text: str, genders: Container[Gender | None], persons: Persons, words: PersonWords
) -> bool:
    """Whether two names of the text may be of one of the genders."""
    names = list(_names(text, words))
    wrong = 0
    for titles, name in names:
        wrong += not _may_be(titles, name, genders, persons, words)
        if wrong > len(names) - 2:  # the others need not be asked
            return False
    return len(names) > 1


def names_opposed(text: str, persons: Persons, words: PersonWords) -> bool:
    """Whether the text has a name that may be a man's and another that may be a woman's."""
    names = list(_names(text, words))

    def having(gender: Gender) -> list[str]:
        return [name for titles, name in names if _may_be(titles, name, (gender,), persons, words)]

    men = having("male")
    return bool(men) and bool(set(having("female")) - ({men[0]} if len(men) == 1 else set()))


def _names(text: str, words: PersonWords) -> Iterator[tuple[str, str]]:
    """What may be names in a text, each once, behind the honorifics that stand before it."""
    titles = ""
    seen: set[str] = set()
    for run in name_runs(text, words.no_names):
        joined = " ".join(run)
        if words.titles.issuperset(run):
            titles = f"{titles}{joined} "
            continue
        title, titles = titles, ""
        if title + joined not in seen:
            seen.add(title + joined)
            yield title, joined


def _may_be(
    titles: str,
    name: str,
    genders: Container[Gender | None],
    persons: Persons,
    words: PersonWords,
) -> bool:
    """Whether a name, or the first or last word of what may be more than one, is of a gender: or,
    where names decline, a word of which that may be a form ("Annie" is Anna's)."""
    first, last = name.split()[0], name.split()[-1]
    bare = dict.fromkeys((name, *words.may_be(last), *words.may_be(first)))
    forms = [titles + name] if titles else bare
    return any(persons.gender(form).form in genders for form in forms)
