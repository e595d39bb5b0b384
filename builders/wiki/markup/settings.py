"""The language-dependent part of the cleaner, compiled once."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape
from typing import Literal
from urllib.parse import unquote

from corefmill.builders.wiki.markup.records import ALL, Link, strip_marks
from corefmill.builders.wiki.markup.templates import OwnTemplates, Words, known_templates
from corefmill.corpora.files import disk

_QUALIFIER = re.compile(r" *\([^()]*\)\Z|,[^,]*\Z")

# Tokens of inline markup. Every repetition is possessive and stops at the next bracket, so a failed
# match costs no more than the text up to that bracket and the whole scan is linear. Every
# alternative begins with a bare character, outside any group: only then does `re` skip text by a
# table of first characters.

# The group that closes each alternative: `match.lastindex` is that of the one that matched.
LINK = 3  # [[target]]trail or [[target|label]]trail, nothing about it unusual
LINK_OPEN = 5  # [[target| or [[ or [[: of any other link, or of none at all
URL_OPEN = 6  # [http://... up to its label
LINK_CLOSE = 7  # ]]trail
QUOTES = 8  # two or more apostrophes
ENTITY = 9  # &name;
TAG = 10  # <name ...> or </name>
# 11 is a single ]
NEWLINE = 12
UNKNOWN_TAG = 13

# Tags whose words stay when they go. Any other may be one, too, or text such as "x<y and y>z".
_TAGS = (
    "abbr|b|bdi|bdo|big|blockquote|br[.,]?|caption|center|ce|chem|cite|code|col|colgroup|data|dd|del|"
    "dfn|div|dl|dt|em|font|gallery|h[1-6]|hiero|hr|i|includeonly|ins|kbd|langconvert|li|mark|math|"
    "nobr|noinclude|nowiki|ol|onlyinclude|p|poem|pre|q|rb|references|ref|rp|rt|rtc|ruby|s|samp|"
    "score|section|small|source|span|strike|strong|sub|sup|syntaxhighlight|table|tbody|td|"
    "templatestyles|tfoot|thead|th|timeline|time|tr|tt|u|ul|var|wbr"
)


def inline_tokens(link_trail: str) -> re.Pattern[str]:
    """Compile the token pattern for a wiki with this `link_trail`, a regex such as `[a-z]+`."""
    trail = f"((?:{link_trail})*+)"
    target = rf"(?!\ )[^][|<&'\n#:_%{ALL}]++(?:'(?!')[^][|<&'\n#:_%{ALL}]*+)*+(?<!\ )"
    label = r"(?!\ )[^][<&'\n]++(?:'(?!')[^][<&'\n]*+)*+(?<!\ )"
    close = r"\]\](?!\](?!\]))"  # of three brackets the last two
    return re.compile(
        rf"\[\[({target})(?:\|({label}))?+\]\]{trail}"
        r"|\[(?:\[(?!https?://|\[)(?:([^][|\n]*+)\||:)?+()"
        # a second bracket here is a mistake for a link of this kind
        r"|\[?(?:https?:|ftp:|mailto:|news:|irc:|//)[^]\[\s<>]*+\ *+())"
        rf"|{close}{trail}"
        r"|'('++)"
        r"|&(\#[0-9]{1,7}+|\#[xX][0-9a-fA-F]{1,6}+|[A-Za-z][A-Za-z0-9]{1,31}+);"
        rf"|<(?=[A-Za-z/\\])((?:[/\\]\s*+)?+(?i:{_TAGS}))(?=[\s/\\>])[^<>]*+>"
        r"|\]()"
        r"|\n()"
        r"|</?+([A-Za-z][\w:-]*+)(?:\s(?:[^][<>{}'&\n]|'(?!')|&(?!\w*+;))*+)?+/?+>"
    )


PrefixKind = Literal["file", "category", "language", "other"]


def normalise_prefix(prefix: str) -> str:
    """Normalise a namespace or interwiki prefix for look-ups."""
    return " ".join(prefix.replace("_", " ").split()).lower()


@dataclass(frozen=True)
class MarkupSettings:
    """Names and rules of one wiki.

    Prefixes are namespace names without the colon, in any case. Links to files, categories and
    other languages leave no text; links with one of the `other_prefixes` (further namespaces,
    sister projects) leave their words but are no `Link`. What every wiki understands
    (prefixes.toml) need not be repeated.
    """

    lang: str
    file_prefixes: frozenset[str] = frozenset()
    category_prefixes: frozenset[str] = frozenset()
    other_prefixes: frozenset[str] = frozenset()
    link_trail: str = "[a-z]+"  # a regex: what a link draws in after its ]]; "" for nothing
    own_templates: OwnTemplates = ()  # of --templates, before those of templates.toml

    prefixes: dict[str, PrefixKind] = field(init=False, repr=False, compare=False)
    templates: dict[str, Words] = field(init=False, repr=False, compare=False)
    tokens: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        prefixes: dict[str, PrefixKind] = {}

        def add(kind: PrefixKind, names: Iterable[str]) -> None:
            for name in names:
                prefixes[normalise_prefix(name)] = kind

        # The later win: a wiki's own names for files and categories over anything else.
        everywhere = disk.read_package_table(__file__, "prefixes")
        add("language", everywhere["languages"].split())
        add("other", everywhere["other"])
        add("other", self.other_prefixes)
        add("file", everywhere["file"])
        add("category", everywhere["category"])
        add("category", self.category_prefixes)
        add("file", self.file_prefixes)
        prefixes.pop("", None)  # the main namespace has no name
        object.__setattr__(self, "prefixes", prefixes)
        object.__setattr__(self, "templates", known_templates(self.lang, self.own_templates))
        object.__setattr__(self, "tokens", inline_tokens(self.link_trail))


def without_qualifier(target: str) -> str:
    """Shorten a title as [[target|]] does: without namespace, bracket or comma part."""
    return _QUALIFIER.sub("", target.rpartition(":")[2])


def make_link(start: int, end: int, target: str, settings: MarkupSettings) -> Link | None:
    """Make the link of [start, end), None if it leads to no article."""
    if "\n" in target:
        return None
    if "&" in target:
        target = unescape(target)
    if "%" in target:
        target = unquote(target)
    title, has_section, section = strip_marks(target).partition("#")
    title = " ".join(title.replace("_", " ").split()).removeprefix(":").lstrip()
    prefix, colon, _ = title.partition(":")
    if colon and normalise_prefix(prefix) in settings.prefixes:
        return None
    section = " ".join(section.replace("_", " ").split())
    if not title and not section:
        return None
    return Link(start, end, title, section if has_section else None)
