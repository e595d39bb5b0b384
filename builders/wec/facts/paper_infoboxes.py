"""`--mode paper`: which pages the original takes for events (extract-wec, its own configuration).

1. A page has one infobox: from the first `{{Infobox`, written just so, to the brace that closes it.
2. It is looked at in lower case and without blanks. A type has it if after "{{infobox" come any
   letters, digits and pipes, and one of the type's names: a search without an end, so that "award"
   is found in "filmawards" too. The first type of the configuration wins.
3. Awards need a title with a date (`title_with_date`); nothing else is validated.
4. A page is skipped whose title has the name of a namespace anywhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from corefmill.builders.wec.facts.event_page import EventPage
from corefmill.corpora.errors import UsageError

_OPENING = "{{Infobox"
_BRACE = re.compile(r"[{}]")
_SKIPPED = ("portal:", "category:", "file:", "wikipedia:", "draft:", "template:")

# The included part of en_infobox_config.json, in its order: 31 names, of which three (busaccident,
# publictransitaccident, civilconflict) have no row in the paper's table 7. The rows' names for the
# others; the names of the configuration's own types are what its JSON gives as mention_type.
CONFIGURATION: Mapping[str, Mapping[str, str]] = {
    "ACCIDENT_EVENT": {
        "airlinerincident": "Airliner Accident",
        "airlineraccident": "Airliner Accident",
        "aircraftcrash": "Airliner Accident",
        "aircraftaccident": "Airliner Accident",
        "aircraftincident": "Airliner Accident",
        "aircraftoccurrence": "Airliner Accident",
        "railaccident": "Rail Accident",
        "busaccident": "Transit Accident",
        "publictransitaccident": "Transit Accident",
    },
    "ATTACK_EVENT": {
        "civilianattack": "Civilian Attack",
        "terroristattack": "Terrorist Attack",
        "civilconflict": "Civil Conflict",
    },
    "AWARD_EVENT": {
        "award": "Awards",
        "awards": "Awards",
        "contest": "Contest",
        "beautypageant": "Beauty Pageant",
    },
    "DISASTER_EVENT": {
        "earthquake": "Earthquake",
        "wildfire": "Wildfire",
        "flood": "Flood",
        "eruption": "Eruption",
        "oilspill": "Oilspill",
    },
    "GENERAL_EVENT": {
        "newsevent": "News Event",
        "concert": "Concert",
        "summit": "Meetings",
        "convention": "Meetings",
        "conference": "Meetings",
        "summitmeeting": "Meetings",
        "festival": "Festival",
    },
    "OTHERS": {
        "solareclipse": "Solar Eclipse",
        "weaponstest": "Weapons Test",
        "explosivetest": "Weapons Test",
    },
}
_TITLE_WITH_DATE = (
    re.compile(r"\s?\d\d?th\s", re.ASCII),
    re.compile(r"[12][90][0-9][0-9]"),
    re.compile(r"\b[MDCLXVI]+\b", re.ASCII),
)
_SEARCHES = {
    coref_type: re.compile(rf"\{{\{{infobox[\w|]*?({'|'.join(names)})", re.ASCII)
    for coref_type, names in CONFIGURATION.items()
}

_SPACED = "|".join(" *".join(name) for names in CONFIGURATION.values() for name in names)
PATTERN = rf"\{{\{{Infobox[^\n=]*?(?i:{_SPACED})"
"""What only a page that can be an event has in its wikitext."""


class PaperInfoboxes:
    """Says which pages are events as a `InfoboxTable` does, in the original's way."""

    names: frozenset[str] = frozenset()
    """Whole names do not matter: `PATTERN` finds the pages."""

    def __init__(self, lang: str) -> None:
        """Raises `UsageError` for a language but English: no other configuration was published."""
        if lang != "en":
            raise UsageError(
                f"the paper has no list of infoboxes for {lang!r}", remedy="--mode clean has"
            )

    def with_redirects(self, template_aliases: Mapping[str, str], /) -> PaperInfoboxes:
        """The same: the original knows of no template redirects."""
        return self

    def event_page_of(
        self,
        title: str,
        wikitext: str,
        *,
        page_id: int = 0,
        template_prefixes: Sequence[str] = (),
    ) -> EventPage | None:
        """The page as an event, by the row of table 7, with the name that was found."""
        if any(word in title.lower() for word in _SKIPPED):
            return None
        infobox = first_infobox(wikitext).lower().replace(" ", "")
        for coref_type, search in _SEARCHES.items():
            match = search.search(infobox)
            if match and (coref_type != "AWARD_EVENT" or title_with_date(title)):
                return EventPage(title, page_id, CONFIGURATION[coref_type][match[1]], match[1], {})
        return None


def first_infobox(wikitext: str) -> str:
    """From the first `{{Infobox` to the brace that closes it, or to the end; "" without one."""
    start = wikitext.find(_OPENING)
    if start < 0:
        return ""
    depth = 0
    for brace in _BRACE.finditer(wikitext, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return wikitext[start : brace.end()]
    return wikitext[start:]


def title_with_date(title: str) -> bool:
    """The original's `TitleWithDate`: misses 1st, 2nd and 3rd, takes any capitals for Roman."""
    return any(expression.search(title) for expression in _TITLE_WITH_DATE)
