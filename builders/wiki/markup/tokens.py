"""The pattern that finds inline markup, and the numbers of its alternatives.

Every repetition is possessive and stops at the next bracket, so a failed match costs no more than
the text up to that bracket and the whole scan is linear. Every alternative begins with a bare
character, outside any group: only then does `re` skip text by a table of first characters.
"""

import re

from corefmill.builders.wiki.markup.marks import ALL

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

# Tags whose words stay when they go; any other <...> is text, such as "x<y and y>z".
_TAGS = (
    "abbr|b|bdi|bdo|big|blockquote|br|caption|center|ce|chem|cite|code|col|colgroup|data|dd|del|"
    "dfn|div|dl|dt|em|font|gallery|h[1-6]|hiero|hr|i|includeonly|ins|kbd|langconvert|li|mark|math|"
    "nobr|noinclude|nowiki|ol|onlyinclude|p|poem|pre|q|rb|references|ref|rp|rt|rtc|ruby|s|samp|"
    "score|section|small|source|span|strike|strong|sub|sup|syntaxhighlight|table|tbody|td|"
    "templatestyles|tfoot|thead|th|timeline|time|tr|tt|u|ul|var|wbr"
)


def inline_tokens(link_trail: str) -> re.Pattern[str]:
    """The token pattern for a wiki whose links draw in `link_trail`, a regex such as `[a-z]+`."""
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
        rf"|<(?=[A-Za-z/])(/?(?i:{_TAGS}))(?=[\s/>])[^<>]*+>"
        r"|\]()"
        r"|\n()"
    )
