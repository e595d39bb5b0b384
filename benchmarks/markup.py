"""Compares the wikitext cleaner with mwparserfromhell on the articles of a dump, in one run.

    python benchmarks/markup.py DUMP [--lang en] [--limit PAGES] [--rounds 3]

Speed is in megabytes of UTF-8 wikitext per second of processor time, on one core; the best round
counts. mwparserfromhell's strip_code gives text alone: no spans, no kinds of paragraph.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice

from corefmill.builders.wiki.articles import markup_settings
from corefmill.builders.wiki.dump.chunks import chunks
from corefmill.builders.wiki.dump.pages import pages
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.builders.wiki.markup import clean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--limit", type=int, help="use this many articles only")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    site, texts = read(options.dump, options.lang, options.limit)
    if site is None or not texts:
        sys.exit(f"{options.dump}: holds no articles")
    settings = markup_settings(site)
    size = sum(len(text.encode()) for text in texts)
    print(f"{len(texts)} articles, {size / 1e6:.1f} MB of wikitext, best of {options.rounds}\n")
    print("cleaner                       s     MB/s   relative")

    ours = best(lambda: [clean(text, settings) and None for text in texts], options.rounds)
    report("corefmill.builders.wiki.markup", ours, size, ours)
    try:
        import mwparserfromhell
    except ImportError:
        print("mwparserfromhell is not installed, so it is left out: pip install mwparserfromhell")
    else:
        parse = mwparserfromhell.parse
        theirs = best(lambda: [parse(text).strip_code() and None for text in texts], 1)
        report("mwparserfromhell strip_code", theirs, size, ours)

    cleaned = [clean(text, settings) for text in texts]
    paragraphs = [paragraph for page in cleaned for paragraph in page.paragraphs]
    prose = [paragraph for paragraph in paragraphs if paragraph.kind == "prose"]
    print(
        f"\n{len(paragraphs)} paragraphs, {len(prose)} of them prose with "
        f"{sum(len(paragraph.text) for paragraph in prose)} characters, "
        f"{sum(len(paragraph.links) for paragraph in prose)} links; "
        f"{sum(paragraph.lost > 0 for paragraph in prose)} lost words to unknown templates"
    )


def read(dump: str, lang: str, limit: int | None) -> tuple[SiteInfo | None, list[str]]:
    """The dump's header and the wikitext of its articles, redirects left out."""
    site: SiteInfo | None = None

    def texts() -> Iterator[str]:
        nonlocal site
        for chunk in chunks([dump]):
            site = chunk.site.for_language(lang)
            for page in pages(chunk, lang):
                if page.ns == 0 and page.redirect is None:
                    yield page.text

    found = list(islice(texts(), limit))
    return site, found


def best(act: Callable[[], object], rounds: int) -> float:
    """Seconds of processor time that the fastest of `rounds` took."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        act()
        times.append(time.process_time() - start)
    return min(times)


def report(name: str, seconds: float, size: int, ours: float) -> None:
    print(f"{name:28}{seconds:6.2f} {size / 1e6 / seconds:8.1f} {ours / seconds:10.3f}")


if __name__ == "__main__":
    main()
