"""What templates show: those of the table, and a user's own."""

from pathlib import Path

import pytest

from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.builders.wiki.markup.templates import read_templates
from corefmill.corpora.files.errors import DataError
from tests.commands import command

LOST = "lost"


def shown(wikitext: str, lang: str, settings: MarkupSettings | None = None) -> str:
    """The clean text of a paragraph, LOST where some of its words are."""
    (paragraph,) = clean(f"So {wikitext} it.", settings or MarkupSettings(lang)).paragraphs
    text = paragraph.text.removeprefix("So ").removesuffix(" it.")
    return LOST if paragraph.lost else text


@pytest.mark.parametrize(
    ("lang", "wikitext", "text"),
    [
        # Letters that hang on a word, notes that do, and what is not known.
        ("fr", "M{{lles}} Roy", "Mlles Roy"),
        ("fr", "XIX{{e|siècle}}", "XIXe siècle"),
        ("fr", "I{{er}} et I{{re}}", "Ier et Ire"),
        ("fr", "n{{os|5}}", "nos 5"),
        # An apostrophe beside italics is no markup.
        ("en", "''Time''{{'}}s and ''Life''{{'s}}", "Time's and Life's"),
        ("en", "''Time''{{'}}s }} end", LOST),
        # A passage in want of a source is shown.
        ("es", "dice{{cita requerida|fecha=mayo}} que", "dice que"),
        ("es", "dice que {{cita requerida|él murió}}", LOST),
        ("fr", "dit {{refsou|il mourut}}", LOST),
        ("pl", "on {{fakt|umarł|data=2010}}", LOST),
        ("es", "{{ill|en|John Smith}} y {{ill|Jan Smit|nl|x}}", "John Smith y Jan Smit"),
        ("en", "{{HMS|Hood|51|2}} or {{USS|Maine|ACR-1|6}}", "Hood or USS Maine"),
        ("en", "{{USS|Maine|ACR-1|3}} and {{ship|HMS|Hood|51|2}}", "Maine (ACR-1) and Hood"),
        ("en", "{{convert|5|e6acre|km2}}", LOST),
        ("en", "{{convert|5|mi|km|spell=in}}", LOST),
        ("fr", "{{M.|Petit}} et {{Mme|Roy}}", "M. Petit et Mme Roy"),
        ("fr", "M{{gr}} Roy", "Mgr Roy"),
        ("fr", "D{{r}} Roy, mort{{r|name}},", "Dr Roy, mort,"),
        ("fr", "L'{{japonais|Tōkyō|東京}}", "L'Tōkyō (東京)"),
        ("fr", "mort{{refnec}} et {{refnec|ici}}", "mort et ici"),
        ("fr", "M{{zzz}} Roy", LOST),
        ("en", "the ${{formatprice|1200}} prize", "the $1,200 prize"),
        ("en", "a 3{{frac|1|2}} mile", LOST),
        ("en", "H{{sub|2}}O", "H2O"),
        ("en", "he died{{better source needed|date=May 2010}},", "he died,"),
        ("en", "he{{why?}} died{{when?|date=x}} so{{Weasel-inline|date=x}} on", "he died so on"),
        ("en", "died{{inflation-fn|US}}{{#tag:Ref|x|name=y}}", "died"),
        ("en", "the {{audio|a.ogg|Vesk}} of {{IPA|/a/}}{{IPA|fr|a}}", "the Vesk of /a/"),
        ("de", "die {{Audio|a.ogg|Vesk}} und {{Audio|a.ogg}}", LOST),
        ("en", "he{{citation needed span|text=died}}", "hedied"),
        ("en", "he died{{zzz}},", LOST),
        ("en", "the number<math>n</math>,", LOST),
        ("nl", "de 19{{e}} eeuw{{Bron?||2011|05|07}}", "de 19e eeuw"),
        ("nl", "{{Bron?|hij stierf|2011}}", LOST),
        ("el", "πέθανε{{πηγή}}", "πέθανε"),
        ("pt", "o 1{{º}} dia{{carece de fontes|data=maio}}", "o 1º dia"),
        ("es", "murió{{cita requerida}}", "murió"),
        ("it", "morì{{citazione necessaria}} e {{citazione necessaria|qui}}", "morì e qui"),
        ("pl", "zmarł{{fakt|data=2010}}", "zmarł"),
        ("de", "starb{{Belege fehlen}}", "starb"),
        # Measures and numbers.
        ("en", "{{convert|45|m}} of {{convert|5|mi}}", "45 metres (148 ft) of 5 miles (8.0 km)"),
        ("en", "{{convert|1200|lb|kg|abbr=on}}", "1,200 lb (540 kg)"),
        ("en", "{{convert|6|ft|2|in|m}}", "6 feet 2 inches (1.88 m)"),
        ("en", "{{convert|5|ft|1|in|cm|abbr=on}}", "5 ft 1 in (155 cm)"),
        ("en", "{{convert|5|-|10|sqmi|km2|0}}", "5–10 square miles (13–26 km2)"),
        ("en", "{{cvt|-20|C}}, {{cvt|98.6|F}}", "−20 °C (−4 °F), 98.6 °F (37.0 °C)"),
        ("en", "a {{convert|100|km|0|sp=us|adj=on}}", "a 100-kilometer (62 mi)"),
        ("en", "{{convert|20|kn}}", "20 knots (37 km/h; 23 mph)"),
        ("en", "{{convert|1|mi|km|order=flip|abbr=off}}", "1.6 kilometres (1 mile)"),
        ("en", "{{convert|25|mm|disp=or|sigfig=3}}", "25 millimetres or 0.984 in"),
        ("en", "{{convert|3|acre}}", "3 acres (1.2 ha)"),
        ("en", "{{convert|3|by|4|by|5|m|ft|1}}", LOST),
        ("en", "{{convert|50|to|75|m|ft}}", LOST),
        ("en", "{{convert|11|st|4|lb|abbr=on}}", LOST),
        ("en", "{{convert|5|koilbbl/d}}", LOST),
        ("en", "{{convert|5|km|kg}}", LOST),
        ("en", "{{convert|2|ft|6|in|by|4|ft|m}}", LOST),
        ("en", "{{convert|5|km|mi|disp=output only}}", LOST),
        ("en", "{{convert|5|km|mi|adj=mid|-long}}", "5-kilometre-long (3.1 mi)"),
        ("en", "{{convert|5|mi|km|adj=mid| long}}", LOST),
        ("en", "{{convert|10|ft|m|adj=mid}}", LOST),
        ("en", "{{convert|6|ft|2|in|order=flip}}", LOST),
        ("en", "{{convert|-5|ft|2|in}}", LOST),
        ("en", "{{convert|-273.15|C|F}}", LOST),
        ("en", "{{convert|,|km|mi}}", LOST),
        ("en", "{{convert|6|ft|,|in}}", LOST),
        ("en", "{{convert|5}}", LOST),
        ("en", "{{val|5|e=-3|u=m|up=s}}", "5×10^-3 m/s"),
        ("en", "{{val|5|0.1|u=m}}", LOST),
        ("en", "{{sfrac|3|1|2}} or {{frac|7}}", "3 1/2 or 1/7"),
        ("it", "{{M|5|M|B}}, {{M|2|e=6|u=K}} e {{M|1|-|Pa}}", "5 MB, 2×10^6 K e 1 Pa"),
        ("fr", "{{unité|30|km|2}} et {{nombre|5|hommes}}", "30 km2 et 5 hommes"),
        ("fr", "{{nombre|5|hommes|et|6}}", LOST),
        ("es", "{{unidad|12000|km}} y {{unidad|1.5|km}}", "12 000 km y 1,5 km"),
        ("es", "{{convertir|3|a|5|km|mi}}", LOST),
        ("pt", "{{fmtn|5000|km}} e {{fmtn|12345|km}}", "5000 km e 12 345 km"),
        ("de", "{{formatnum:1234567.5}}", "1.234.567,5"),
        ("pl", "{{formatnum:1234.5}} i {{formatnum:-12345}}", "1234,5 i -12 345"),
        ("ru", "{{formatnum:1234}} и {{formatnum:12345}}", "1234 и 12 345"),
        ("sv", "{{formatnum:1234.5}}", "1 234,5"),
        ("zh", "{{formatnum:1234567.5}}", "1,234,567.5"),
        ("ja", "{{formatnum:12345}}", "12,345"),
        ("ar", "{{formatnum:12345}}", LOST),
        ("en", "{{formatnum:1234567.5}} or {{formatnum:1234|NOSEP}}", "1,234,567.5 or 1234"),
        ("en", "{{formatnum:1,234|R}}", LOST),
        # Dates and names.
        ("en", "{{circa|1850|1860}} or {{circa}} 1870", "c. 1850 – c. 1860 or c. 1870"),
        ("en", "{{sclass-|Vesk|tug}}", "Vesk-class tug"),
        ("en", "{{asof|2011|lc=on}}", "as of 2011"),
        ("en", "{{floruit|1850}}", "fl. 1850"),
        ("en", "{{start date|1919|12|5}}", "December 5, 1919"),
        ("en", "{{start date|1919|12|df=y}}", "December 1919"),
        ("en", "{{birth date|1919|2|05|df=yes}}", "5 February 1919"),
        ("en", "{{birth date and age|1950|5|12}}", LOST),
        ("en", "{{as of|2011|8|19|lc=y}}", "as of 19 August 2011"),
        ("en", "{{as of|2011|since=y}} and {{as of|2011|alt=in 2011}}", "Since 2011 and in 2011"),
        ("en", "{{ill|Ann Lee|fr|Anne Lee|lt=Ann}}", "Ann"),
        ("en", "{{USS|Durham|LKA-114}} and {{HMS|Hood|51|2}}", "USS Durham (LKA-114) and Hood"),
        ("en", "{{sic|recieve}}", "recieve [sic]"),
        ("fr", "au {{s-|XIX|e}} et le {{date|1|1|1995}}", "au XIXe siècle et le 1er janvier 1995"),
        ("es", "el {{siglo|XV||s}}", "el siglo XV"),
        # Words of other languages.
        (
            "en",
            "{{langx|ru|Москва|Moskva|lit=fort}}",
            "Russian: Москва, romanized: Moskva, lit. 'fort'",
        ),
        ("en", "{{langx|de|Wort|label=none}}", "Wort"),
        ("en", "{{lang-fr|mot}}", "French: mot"),
        ("en", "{{langx|qqq|x}}", LOST),
        ("en", "{{transliteration|ar|ALA|alif}} and {{tlit|ja|aiki}}", "alif and aiki"),
        ("en", "{{nihongo||京|kyō}}", "kyō (京)"),
        ("en", "({{zh|c=京|p=jīng}})", "(Chinese: 京; pinyin: jīng)"),
        ("de", "{{enS|word|de=Wort}}", "englisch word ‚Wort‘"),
        ("de", "{{arS|مصر|d=Miṣr|b=Rand}}", "arabisch مصر, DMG Miṣr ‚Rand‘"),
        ("de", "{{arS|مصر|w=x}}", LOST),
        ("de", "{{Zitat|ja|Ann Lee}}", LOST),
        pytest.param("en", f"{{{{nowrap|{'a' * 2000}}}}}", LOST, id="long"),
        ("it", "{{cita|Rossi|p. 5}} in {{ROU}}", "Rossi, p. 5 in Romania"),
        ("es", "{{Harvsp|Ruiz|2000}}", "Ruiz, 2000"),
        ("fr", "un{{espace}}deux à {{St|Jean}}", "un deux à St Jean"),
        ("it", "{{nihongo|casa|家|ie|qui}}", "casa (家 ie, qui)"),
        # Nothing is half said.
        ("en", "{{small|a|b}}", LOST),
        ("en", "{{snd|a}}", LOST),
        ("en", "{{angbr|{{IPA|a}}}}", "⟨a⟩"),
        ("en", "{{angbr|{{cn}}}}", LOST),
        ("en", "{{ill|de|Ann Lee|Anne Lee}}", "Ann Lee"),
        ("en", "{{nbsp|}}a", "a"),
        ("en", "{{lang|fr}}", LOST),
        ("en", "{{uc:ab}}{{lcfirst:AB}}", "ABaB"),
    ],
)
def test_what_a_template_shows(lang: str, wikitext: str, text: str) -> None:
    assert shown(wikitext, lang) == text


def own(tmp_path: Path, toml: str) -> Path:
    file = tmp_path / "own.toml"
    file.write_text(toml, "utf-8")
    return file


def test_a_user_s_own_templates_come_first(tmp_path: Path) -> None:
    file = own(
        tmp_path,
        'coin = ["{1} crowns[ and {2} pence]", "crowns"]\nCn = "!"\nnote = ""\n'
        '[it]\ncoin = "corone"\n[en]\ncoin = "{1+ + } shillings"\n',
    )
    templates = read_templates(file)
    assert read_templates(None) == ()
    found = {
        lang: [
            shown(wikitext, lang, MarkupSettings(lang, own_templates=templates))
            for wikitext in ("{{coin|5}}", "{{Coin|5|6}}", "{{coin}}", "a{{cn}}", "a{{note|x}}")
        ]
        for lang in ("fr", "en", "it")
    }
    assert found == {
        "fr": ["5 crowns", "5 crowns and 6 pence", "crowns", "a!", "a"],
        "en": ["5 shillings", "5 + 6 shillings", LOST, "a!", "a"],
        "it": [LOST, LOST, "corone", "a!", "a"],
    }


@pytest.mark.parametrize(
    ("toml", "line", "message"),
    [
        ('a = "x"\nb = "{1"', 2, "bracket without its pair"),
        ('b = "]"', 1, "bracket without its pair"),
        ('b = "{1}{1}"', 1, "a field twice"),
        ('b = "{1@nope}"', 1, "a table of templates.toml"),
        ('b = "{}"', 1, "fields are"),
        ("b = 5", 1, "no string or list"),
        ("b = []", 1, "no string or list"),
        ('[words]\nb = "x"', 2, "no language of Wikipedia"),
        ('[it.en]\nb = "x"', 1, "no string or list"),
        ('b = "x"\nB = "y"', 2, "stands here twice"),
        ('"b|c" = "x"', 1, "no name of a template"),
        ('b = "\\u0001"', 1, "one line"),
        (f'b = "{"x" * 501}"', 1, "one line"),
        ('b = "x', 1, "not TOML"),
    ],
)
def test_a_file_of_templates_that_is_not_right(
    tmp_path: Path, toml: str, line: int, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_templates(own(tmp_path, toml))
    assert caught.value.line == line


DUMP = """<mediawiki xml:lang="fr"><siteinfo><dbname>frwiki</dbname></siteinfo>
<page><title>Roy</title><ns>0</ns><id>1</id>
<revision><text>Le 5{{zz}} jour.</text></revision></page>
</mediawiki>"""


def test_the_option_belongs_to_a_build(tmp_path: Path) -> None:
    from corefmill.builders.chains.options import ChainsOptions
    from corefmill.builders.corpus.builder import find_input
    from corefmill.builders.run.stages import Context
    from corefmill.builders.wec.options import WecRequest
    from corefmill.builders.wiki.articles import Article, DumpSource
    from corefmill.builders.wiki.dump.locate import ShippedSample

    dump = tmp_path / "frwiki.xml"
    dump.write_text(DUMP, "utf-8")
    file = own(tmp_path, '[fr]\nzz = "ième"')
    options = ChainsOptions(lang="fr", dump=str(dump), templates=file, nlp="wiki", as_json=True)
    given = find_input(options, ShippedSample.articles)
    assert isinstance(given.source, DumpSource)
    (article,) = given.reader(given.source.chunks(), Context(0, 0))
    assert isinstance(article, Article)
    assert [paragraph.text for paragraph in article.paragraphs] == ["Le 5ième jour."]
    assert options.identity()["templates"] == (("fr", "zz", "ième"),)
    (wec,) = WecRequest(lang="fr", dump=(str(dump),), templates=file).each()
    assert wec.own_templates == options.own_templates
    text = ("--text", str(dump), "--templates", str(file), "--nlp", "wiki")
    done = command("build", "chains", *text)
    assert done.returncode == 2 and "--templates works only with a dump" in done.stderr
