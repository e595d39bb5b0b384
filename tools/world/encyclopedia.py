"""All pages about one country in the order of the dump."""

from __future__ import annotations

from tools.world.articles import Articles
from tools.world.draw import World
from tools.world.pages import Page
from tools.world.traps import Traps
from tools.world.words import Words


def country(world: World, index: int, lang: str) -> list[Page]:
    """The pages of the country `index`."""
    words = Words(world, index, lang)
    traps = Traps(words)
    articles = Articles(words, traps)
    land = words.land
    pages = [articles.country()]
    people = [articles.person(person) for person in land.people]
    pages += people
    pages += [articles.town(town) for town in land.towns]
    pages += [articles.firm(firm) for firm in land.firms]
    pages += articles.works()
    pages += [articles.event(event) for event in land.events]
    pages += articles.redirects()
    pages += traps.decoys(people)
    traps.on_persons(people)
    articles.last_mentions(people)
    for page in people:
        articles.close_person(page)
    pages += traps.other_pages()
    words.rng.shuffle(pages)
    traps.settle_surplus(pages)
    return pages
