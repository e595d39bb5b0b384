"""Makes the table of given names that ships, of the lists of all of Faker's locales and our own.

    pip install faker
    python -m tools.given_names

Faker (MIT) has 30,000 given names of men and women in 86 locales, most of people who live now;
given_names.toml adds those of older Italian and Polish novels. The table has a line for each name,
in small letters: the name, the languages in which men bear it, and those in which women do, each
with the number of the language's locales that list it.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module, resources
from pathlib import Path
from pkgutil import iter_modules

TABLE = Path(__file__).parents[1] / "corpora" / "given_names.tsv"
OWN = Path(__file__).with_suffix(".toml")
_LIST = re.compile(r"first_names?_(?:\w+_)?(?:(male|female)(?:_.*)?)|(last)_names.*")
_NAME = re.compile(r"[^\W\d_]+(?:[-'’ʼ][^\W\d_]+)*")
_UNSPACED = ("CJK", "HANGUL", "HIRAGANA", "THAI")
"""Scripts in which a given name does not stand apart."""


def main() -> None:
    """Write the table, and Faker's licence beside it."""
    found: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(
        lambda: (Counter(), Counter())
    )
    surnames: dict[str, set[str]] = defaultdict(set)
    for lang, kind, names in _of_faker():
        for name in sorted({name.strip().lower() for name in names}):
            if kind == "last":
                surnames[lang].add(name)
            elif len(name) > 1 and _NAME.fullmatch(name) and not _is_unspaced(name):
                found[name][kind == "female"][lang] += 1
    # "Smith" stands in one list of given names, and is a surname.
    for name, genders in found.items():
        for by in genders:
            for lang in [lang for lang, n in by.items() if n == 1 and name in surnames[lang]]:
                del by[lang]
    everywhere = set().union(*surnames.values())
    for name in [name for name, by in found.items() if name in everywhere and _total(by) == 1]:
        del found[name]
    for lang, is_female, own in _own():
        for name in map(str.lower, own):
            found[name][is_female][lang] = max(1, found[name][is_female][lang])
            del found[name][not is_female][lang]
    lines = (
        "\t".join(
            (name, *(" ".join(f"{lang}{n}" for lang, n in sorted(one.items())) for one in by))
        )
        for name, by in sorted(found.items())
        if any(by)
    )
    TABLE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    around = Path(str(resources.files("faker"))).parent
    licence = min(around.glob("faker-*/**/LICENSE.txt"))
    TABLE.with_name("LICENCE-given-names.txt").write_text(
        f"given_names.tsv is made of the lists of Faker (tools/given_names.py):\n\n"
        f"{licence.read_text('utf-8')}",
        encoding="utf-8",
    )
    print(f"{TABLE.stat().st_size:,} bytes")


def _of_faker() -> Iterator[tuple[str, str, set[str]]]:
    """Read each locale's lists: the language, the kind (male, female, last) and the names."""
    persons = import_module("faker.providers.person")
    for module in iter_modules(persons.__path__):
        provider = import_module(f"faker.providers.person.{module.name}").Provider
        of_locale: dict[str, set[str]] = defaultdict(set)
        for attribute, values in vars(provider).items():
            # Some locales weigh their names: a table. Others pair them with their reading.
            if (match := _LIST.fullmatch(attribute)) and not callable(values):
                names = (name for name in values if isinstance(name, str))
                of_locale[match[1] or match[2]].update(names)
        for kind, all_names in of_locale.items():
            yield module.name.partition("_")[0], kind, all_names


def _own() -> Iterator[tuple[str, bool, list[str]]]:
    for lang, lists in tomllib.loads(OWN.read_text("utf-8")).items():
        for gender, names in lists.items():
            yield lang, gender == "female", names.split()


def _total(genders: tuple[Counter[str], Counter[str]]) -> int:
    return sum(sum(by.values()) for by in genders)


def _is_unspaced(name: str) -> bool:
    return unicodedata.name(name[0], "").startswith(_UNSPACED)


if __name__ == "__main__":
    main()
