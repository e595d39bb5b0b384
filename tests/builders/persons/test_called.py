"""What names are called, in texts of seven languages, and how examples show them."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.name_filters import odd_name
from corefmill.builders.persons.names import choose_canonical_names, decline_name
from corefmill.builders.persons.table import load
from tests.builders.persons.documents import called, made, named, read_names, views
from tests.builders.rows import rows

POLISH = load("pl")
DARTAGNAN = "Au soir, M. [d'Artagnan] salua, et de [d'Artagnan] on ne vit plus rien."
EMMA = "[Emma] rit. | Alors [Emma] partit."


@pytest.mark.parametrize(
    ("lang", "line", "wanted"),
    rows("""
        de  [Anna] kam. Das war [Annas] Buch.  Anna = Anna, Annas = Anna
        # An apostrophe is not the name's.
        de  [Anna] kam. Das war [Anna's] Buch.  Anna = Anna, Anna = Anna
        # No genitive of a name that the document has not.
        de  [Klaus] kam mit [Thomas].  Klaus = Klaus, Thomas = Thomas
        # The surname, not Peter's.
        de  [Carl Peters] sah [Peter].  Carl Peters = Carl Peters, Peter = Peter
        # Who of the two this is nobody knows.
        de  [Carl Peters] sah [Peter] in [Peters] Garten.
            Carl Peters = Carl Peters, Peter = Peter, Peters = Peter/Peters
        de  [Eva Kern] las. Es war [Eva Kerns] Brief.  Eva Kern = Eva Kern, Eva Kerns = Eva Kern
        # Forms of old novels.
        de  [Charlotte] ging. Er sah [Charlotten] in [Charlottens] Zimmer.
            Charlotte = Charlotte, Charlotten = Charlotte, Charlottens = Charlotte
        # Honorifics.
        de  Herr [Kern] traf Herrn [Kern].  Herr Kern = Herr Kern, Herrn Kern = Herr Kern
        # A noun beside a genitive is no part of the name.
        de  [Caspar] kam. Groß war [Schreck Caspars].  Caspar = Caspar, Caspars = Caspar
        de  [Caspar] kam. Groß war [Schreck Carl Caspars].  Caspar = Caspar, Caspars = Caspar
        de  [Carl Fink] kam. Dort war [Fink]. Das ist [Carl Finks Haus].
            Carl Fink = Carl Fink, Fink = Fink, Carl Finks = Carl Fink
        de  [Fritz] kam mit [Fritz Holm].  Fritz = Fritz, Fritz Holm = Fritz Holm
        # Articles are masked with the name, and no part of it.
        de  Da kam der [Peter] mit [Anna].  der Peter = Peter, Anna = Anna
        de  Es war ein Mann, der [Anna] liebte.  Anna = Anna
        # "von" behind an honorific or a first name, and as a preposition.
        de  Herr von [Stein] kam.  Herr von Stein = Herr von Stein
        de  Da ging [Lotte] von [Stein].  Lotte von Stein = Lotte von Stein
        de  Es war ein Brief von [Anna].  Anna = Anna
        # Two that the recogniser takes for one, and one that is one.
        de  [Max] sah [Eva], und [Max und Eva] gingen.
            Max = Max, Eva = Eva, Max = Max, Eva = Eva
        de  Da kam [Thurn und Taxis] mit [Max].  Thurn und Taxis = Thurn und Taxis, Max = Max
        # Compounds are no persons.
        de  Er stand in der [Schillerstraße] vor dem [Goethe-Haus].  ''
        de  Der [Gedanke] an [Anna] blieb.  Anna = Anna
        nl  [Jan van den Berg] kwam.  Jan van den Berg = Jan van den Berg
        # The recogniser cut the name in two, or at its beginning.
        nl  Toen kwam [Jan] van den [Berg].  Jan van den Berg = Jan van den Berg
        nl  Toen kwam De [Vries] binnen.  De Vries = de Vries
        # A preposition.
        nl  Dit is het boek van [Anna].  Anna = Anna
        # Behind an honorific the particle has a capital.
        nl  Mevrouw Ter [Horst] riep meneer Van [Dam].
            Mevrouw Ter Horst = mevrouw ter Horst, meneer Van Dam = meneer van Dam
        nl  [Jan] riep. Het was [Jans] hond en [Anna's] kat.  Jan = Jan, Jans = Jan, Anna = Anna
        nl  Hij liep door de [Kerkstraat] naar [Hans].  Hans = Hans
        # The table knows the name, so it is not in doubt.
        pl  [Hieronim] znał [Hieronimę]. Nie było [Hieronima].
            Hieronim = Hieronim, Hieronimę = Hieronima, Hieronima = Hieronim
    """),
)
def test_what_a_name_is_called(lang: str, line: str, wanted: str) -> None:
    assert called(lang, line) == wanted


def test_a_known_name_is_carried_over_in_its_other_forms() -> None:
    """The recogniser missed the dative."""
    line = "[Anna] wstała, [Anny] nikt nie słyszał, [Annę] bolało. | Annie było zimno."
    assert called("pl", line).endswith("Annie = Anna")


@pytest.mark.parametrize(
    ("lang", "lines", "names"),
    [
        # Elided words are no part of the name, with either apostrophe.
        ("fr", ["Il crut [qu'Emma] viendrait."], ["Emma"]),
        ("fr", ["Il crut [qu’Emma] viendrait."], ["Emma"]),
        ("fr", ["[L'Emma] du village."], ["Emma"]),
        ("fr", [EMMA, "Le chapeau [d'Emma] tomba."], ["Emma"]),
        ("fr", [EMMA, "Le chapeau [d’Emma] tomba."], ["Emma"]),
        # Nothing says that it is her name.
        ("fr", ["Le chapeau [d'Emma] tomba."], ["Emma"]),
        # A particle is, where the document has the name with it alone.
        ("fr", [DARTAGNAN, "Puis [d'Artagnan] sortit."], ["d'Artagnan"]),
        ("fr", [DARTAGNAN, "Puis d'[Artagnan] sortit."], ["d'Artagnan"]),
        ("fr", [DARTAGNAN, "[D'Artagnan] sortit."], ["d'Artagnan"]),
        ("fr", ["Il vit Charles [d'Ormel]. | [D'Ormel] sortit."], ["d'Ormel", "d'Ormel"]),
        # Honorifics: abbreviated, in small letters, two with an article between, before particles.
        ("fr", ["M. [Lenoir] et Mme [Lenoir]"], ["M. Lenoir", "Mme Lenoir"]),
        ("fr", ["Puis M. le comte de la [Tour] vint."], ["M. le comte de la Tour"]),
        ("fr", ["Vint «monsieur [Morin]»."], ["monsieur Morin"]),
        # Behind kin "de" says whose.
        ("fr", ["Vint le père de [Julien]."], ["Julien"]),
        ("fr", ["Vint le père [Julien]."], ["père Julien"]),
        # An accent in the word before was taken for a capital.
        ("fr", [EMMA, "Puis [Emma] lut.", "« Oui », répondit Emma."], ["Emma"]),
        ("es", ["Vino don [Juan] con doña [Inés]."], ["don Juan", "doña Inés"]),
        ("es", ["Vino el Sr. D. [Juan]."], ["Sr. D. Juan"]),
        ("es", ["Vino la tía de [Juan]."], ["Juan"]),
        ("es", ["[¡Juan], ven!"], ["Juan"]),
        ("es", ["¡Don [Juan]!"], ["Don Juan"]),
        # An accent at the end of the word before was taken for a capital.
        ("es", ["[Juan] rio. | Vio a [Juan]. | Y [Juan] calló.", "—Sí —exclamó Juan."], ["Juan"]),
        ("pt", ["Veiu o sr. D. [João]."], ["sr. D. João"]),
        ("pt", ["Veio o tio da [Maria]."], ["Maria"]),
        ("pt", ["Veio Fr. [Dinis]."], ["Fr. Dinis"]),
        ("pt", ["Veio [Fr]. Dinis."], []),
        ("pt", ["Veio Luiz [d'Armar], e com [d'Armar] o frade."], ["d'Armar", "d'Armar"]),
    ],
)
def test_names(lang: str, lines: list[str], names: list[str]) -> None:
    assert named(lang, *lines) == names


@pytest.mark.parametrize(
    ("lang", "line", "hidden"),
    [
        ("fr", "Le comte [Morin] rit.", ["Le comte Morin"]),
        ("fr", "Il pleuvait, et l'abbé [Morin] rit.", ["l'abbé Morin"]),
        ("fr", "On vit le comte [Morin].", ["comte Morin"]),
        ("es", "El conde [Ruiz] rio.", ["El conde Ruiz"]),
        ("es", "Vio al conde [Ruiz].", ["conde Ruiz"]),
        ("es", "Vio a la [Pepa].", ["Pepa"]),
        ("pt", "O [João] riu, e a [Maria] leu.", ["O João", "a Maria"]),
        ("pt", "Viu o [João] e falou do [Pedro] a [Maria].", ["João", "Pedro", "Maria"]),
    ],
)
def test_an_article_goes_with_a_subject(lang: str, line: str, hidden: list[str]) -> None:
    assert [text for _, text in read_names(lang, line)[0]] == hidden


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Dann lag Annas Hut dort.", ["Anna"]),
        ("Dann nahm er [Annas Hand].", ["Anna"]),
        ("Dann gab ihr Anna Wasser.", ["Anna"]),
        ("Dann kam zur Nacht Anna.", ["Anna"]),
        ("Dann kam die Tobsucht Annas.", ["Anna"]),
        ("Dann kam Herr Anna.", ["Herr Anna"]),
        ("Dann kam Anna Seghers.", []),
        ("Dann kam Klara Anna.", []),
    ],
)
def test_a_noun_beside_a_name_is_no_part_of_it(line: str, names: list[str]) -> None:
    assert named("de", "[Anna] kam. Es war [Anna]. Da ging [Anna].", line) == names


@pytest.mark.parametrize(
    ("lang", "line", "wanted"),
    rows("""
        de  [Anna] sah [Peter]. | Das war [Annas] Buch.  Annas: [Annas] Peters
        de  [Anna] sah [Peter]. | Dann ging der [Peter] heim.  der Peter: Anna [Peter]
        de  [Peters] Frau sah [Max]. | Dann ging [Peter] heim.  Peter: [Peter] Max
        de  Herr [Kern] sah Frau [Lenz]. | Man rief Herrn [Kern].
            Herrn Kern: [Herrn Kern] Frau Lenz
        nl  [Van Dam] zag [De Vries]. | Toen ging [Van Dam] weg.  Van Dam: [Van Dam] De Vries
        nl  [Anna] zag [Jan]. | Dit was [Jans] hond.  Jans: Annas [Jans]
        # Masked in the genitive, the other candidate is put into it.
        pl  [Anna] znała [Marka]. | Nie było tam [Anny].  Anny: [Anny] Marka
        pl  [Anna] i [Basia] czekały. | [Annie] było zimno.  Annie: [Annie] Basi
        # The passage has the form that is wanted.
        pl  [Marek] bał się [Ewy], a ona [Marka].  Marka: [Marka] Ewy
        pl  [Zosia] śmiała się z [Tomka], lecz [Zosi] nie słyszał.  Zosi: [Zosi] Tomka
        pl  [Pan Nowak] ukłonił się [pani Górskiej]. | [Panu Nowakowi] drżały ręce.
            Panu Nowakowi: [Panu Nowakowi] pani Górskiej
    """),
)
def test_examples_show_all_candidates_in_one_case(lang: str, line: str, wanted: str) -> None:
    assert made(lang, line) == [wanted]


@pytest.mark.parametrize(
    ("names", "wanted"),
    rows("""
        Kowalski,Kowalskiego,Kowalskiemu,Kowalskim  Kowalski
        Anna,Anny,Annie,Annę,Anną,Anno  Anna
        Kowalska,Kowalskiej,Kowalską  Kowalska
        Paweł,Pawła,Pawłowi,Pawłem,Pawle  Paweł
        Maciek,Maćka,Maćkowi,Maćkiem  Maciek
        Jerzy,Jerzego,Jerzemu,Jerzym  Jerzy
        Grzegorz,Grzegorza,Grzegorzem,Grzegorzu  Grzegorz
        Magda,Magdy,Magdzie,Magdę,Magdą  Magda
        Kościuszko,Kościuszki,Kościuszce,Kościuszkę  Kościuszko
        Staś,Stasia,Stasiowi,Stasiem  Staś
        Jan Kowalski,Jana Kowalskiego,Janowi Kowalskiemu  Jan Kowalski
        Anna Nowak,Anny Nowak,Annie Nowak  Anna Nowak
        pan Kowalski,pana Kowalskiego,Panu Kowalskiemu  pan Kowalski
        ksiądz Piotr,księdza Piotra,księdzem Piotrem  ksiądz Piotr
        # The nominative stands nowhere.
        Jana Kowalskiego,Janem Kowalskim  Jan Kowalski
        Nałkowskiej,Nałkowską  Nałkowska
        # A husband and his wife.
        Kowalski,Kowalska,Kowalskiego,Kowalskiej  Kowalski,Kowalska,Kowalski,Kowalska
        pan Nowak,pani Nowak,panią Nowak  pan Nowak,pani Nowak,pani Nowak
        Adam,Ada,Adama,Ady  Adam,Ada,Adam,Ada
        # His genitive, or her nominative: others speak for either.
        Józef,Józefa,Józefę  Józef,Józef/Józefa,Józefa
        # The surname, which is in one case with it, and the honorific tell.
        Józefa Kowalskiego,Józefa  Józef Kowalski,Józef
        Józef,pana Józefa,Józefę  Józef,pan Józef,Józefa
        Jan,Jana,Janina,Janiny  Jan,Jan,Janina,Janina
        Karol,Karolem,Karolina,Karoliną  Karol,Karol,Karolina,Karolina
    """),
)
def test_forms_of_one_name_and_names_that_are_two(names: str, wanted: str) -> None:
    """One name for each, or one for all."""
    read, called = names.split(","), wanted.split(",")
    found = choose_canonical_names(read, POLISH)
    assert [found[name] for name in read] == called * (len(read) // len(called))


def test_names_without_evidence_stay() -> None:
    names = ["Hans", "Klaus", "Max", "Fritz", "Agnes", "Doris", "Lars"]
    assert choose_canonical_names(names, load("de")) == {name: name for name in names}


def test_a_name_that_may_be_eithers_is_no_candidate() -> None:
    line = "[Adam] widział, jak [Józefa] śpi, i [Adam] wyszedł."
    view = views("pl", line, "[Józef] i [Józefę].")[0]
    assert view.candidates == ("Adam", "Józef/Józefa") and odd_name(view)


@pytest.mark.parametrize(
    ("name", "case", "wanted"),
    [
        ("Barbara Górska", 2, "Barbarze Górskiej"),
        ("pan Marek", 1, "pana Marka"),
        ("Andrzej", 4, "Andrzejem"),
        ("Jagienka", 3, "Jagienkę"),
        ("Goethe", 1, "Goethego"),
        ("Zbyszek", 6, "Zbyszku"),
        ("Olga", 5, "Oldze"),
        ("pani Nowak", 1, "pani Nowak"),
        ("hrabina Reuss", 3, "hrabinę Reuss"),
        ("panna Castelli", 4, "panną Castelli"),
        ("panna Zaręba", 2, "pannie Zarębie"),
        ("hrabia Reuss", 1, "hrabiego Reussa"),
        ("Górskich", 1, "Górskich"),
    ],
)
def test_a_name_in_a_case(name: str, case: int, wanted: str) -> None:
    assert decline_name(name, case, POLISH) == wanted
