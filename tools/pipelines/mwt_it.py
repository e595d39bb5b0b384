"""Italian multiword tokens: "della" is cut into "de" + "lla", and these stand for "di" + "la".

The pieces of a multiword token follow each other in the text without a gap, so offsets stay exact;
the word of the grammar that a piece stands for is its NORM ("de" -> "di", "lla" -> "la"). A piece
that is written like its word ("dir" + "lo") keeps its own. All rules end up in the tokenizer's file
(exceptions and one infix pattern), so that a finished pipeline loads without this module.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from spacy.language import Language
from spacy.util import compile_infix_regex, compile_prefix_regex

from corefmill.corpora.files import disk
from tools.pipelines import multiword
from tools.pipelines.multiword import Piece


def tables() -> dict[str, Any]:
    """The word tables of mwt_it.toml."""
    return disk.read_package_table(__file__, "mwt_it")


@cache
def articulated() -> dict[str, tuple[Piece, Piece]]:
    """Lower-case articulated preposition -> its two pieces."""
    articles = tables()["articles"]
    cut = {}
    for preposition, forms in tables()["articulated"].items():
        for form in forms:
            ending = max((e for e in articles if form.endswith(e) and e != form), key=len)
            if ending == "i" and form.endswith("gli"):
                ending = "gli"
            piece = Piece(form[: -len(ending)], preposition)
            cut[form] = (piece, Piece(ending, articles[ending]))
    return cut


def pieces(written: str, forms: Sequence[str]) -> list[Piece]:
    """The pieces of a multiword token of a treebank, whose words have the given forms."""
    known = articulated().get(written.lower().replace("’", "'"))
    if known is not None and len(forms) == 2 and "".join(forms) != written:
        at = len(known[0].text)
        return [Piece(written[:at], known[0].form), Piece(written[at:], known[1].form)]
    return multiword.pieces(written, forms)


def verb_pattern(infinitives: Iterable[str]) -> str:
    """The places inside a word where a verb's form ends and clitics begin, as an infix pattern."""
    clitics = tables()["clitics"]
    single, second = "|".join(clitics["single"]), "|".join(clitics["second"])
    pair = f"(?:{'|'.join(clitics['first'])})(?:{second})"
    after = f"(?=(?:{single}|{pair})$)"
    stems = {re.sub(r"r?re$", "r", verb) for verb in infinitives if verb.endswith(("ere", "rre"))}
    stems |= set(clitics["short"])
    known = "|".join(
        rf"(?<=(?<![a-zà-ù])(?:{'|'.join(group)}))"
        for _, group in groupby(sorted(stems, key=lambda s: (len(s), s)), key=len)
    )
    general = "(?<=[a-zà-ù]{2}[ai]r)|(?<=[a-zà-ù][ae]ndo)|(?<=[a-zà-ù]{2}[au]t[oaie])(?=si$)"
    first = f"{after}(?:{known}|{general})"
    doubled = "|".join(
        f"(?<={stem}{clitic})" for stem in ("[aeiou]r", "ndo") for clitic in clitics["first"]
    )
    return f"{first}|(?=(?:{second})$)(?:{doubled})"


def elision_pattern() -> str:
    """Words that end in an apostrophe, as a prefix pattern: "dell'" in "dell'arte".

    What is split off as a prefix is compared with the exceptions again; what an infix leaves is
    not.
    """
    low = [form[:-1] for form in articulated() if form.endswith("'")] + tables()["elided"]["words"]
    found = {way for word in low for way in _written_ways(word)}
    ways = sorted(found, key=lambda way: (-len(way), way))  # in one order, run by run
    return f"(?:{'|'.join(ways)})['’]"


def _written_ways(low: str) -> Iterable[str]:
    ways = [low, low.capitalize()]
    if len(low) > 2:
        ways.append(low.upper())
    for way in ways:
        yield way
        if "'" in way:
            yield way.replace("'", "’")


def set_tokenizer(nlp: Language, infinitives: Iterable[str], seen: dict[str, list[str]]) -> None:
    """Gives the tokenizer the rules; `seen` maps further lower-case words to their pieces.

    A word with one piece is kept whole.
    """
    tokenizer: Any = nlp.tokenizer
    verbs = set(infinitives) | set(tables()["verbs"]["infinitives"])
    infixes = [*(nlp.Defaults.infixes or ()), verb_pattern(verbs)]
    tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    prefixes = [elision_pattern(), *(nlp.Defaults.prefixes or ())]
    tokenizer.prefix_search = compile_prefix_regex(prefixes).search
    for low in tables()["whole"]["words"]:
        tokenizer.add_special_case(low, [{"ORTH": low}])
    for low, parts in seen.items():
        for way in (low, low.capitalize()):
            cut, at = [], 0
            for part in parts:
                cut.append({"ORTH": way[at : at + len(part)]})
                at += len(part)
            tokenizer.add_special_case(way, cut)
    for low in tables()["clitics"]["always"]:
        for way in (low, low.capitalize()):
            tokenizer.add_special_case(way, [{"ORTH": way[:4]}, {"ORTH": way[4:]}])
    for low, (first, second) in articulated().items():
        for way in _written_ways(low):
            at = len(first.text)
            cut = [
                {"ORTH": way[:at], "NORM": first.form},
                {"ORTH": way[at:], "NORM": second.form},
            ]
            tokenizer.add_special_case(way, cut)
