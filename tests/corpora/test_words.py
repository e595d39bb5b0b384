"""How many words a text has, in scripts with and without blanks."""

import pytest

from corefmill.builders.persons.prose import is_debris
from corefmill.builders.wec.filters.surface import mention_length
from corefmill.corpora.words import count_words
from tests.builders.wec.filters.views import facts, view
from tests.waiting import processor_seconds


@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [
        ("She saw the old mill — twice.", 7, 7),
        ("Она увидела мельницу.", 3, 3),
        ("她看见了老磨坊。", 3, 5),
        ("这场大火在五月发生，很多人在这场火灾中受伤。", 9, 14),
        ("1974年5月，他去世。", 5, 7),
        ("彼女は古い水車小屋を二度見た。", 6, 9),
        ("ノルマンディー上陸作戦", 4, 7),
        ("ประชาชนใช้เวลาสิบปีในการสร้างท่าเรือ", 6, 10),
        ("ປະຊາຊົນໃຊ້ເວລາສິບປີ", 3, 6),
        ("ပြည်သူများသည် ဆိပ်ကမ်းကို ပြန်ဆောက်ကြသည်။", 5, 11),
        ("ប្រជាជនបានសាងសង់កំពង់ផែឡើងវិញ", 4, 9),
        ("그녀는 오래된 방앗간을 보았다.", 4, 4),
        ("The town of Tokyo (東京) burned down in May.", 8, 9),
        ("磨。。。！", 1, 1),
        ("", 0, 0),
    ],
)
def test_words_are_counted_in_any_script(text: str, fewest: int, most: int) -> None:
    assert fewest <= count_words(text) <= most


def test_time_grows_with_length_alone() -> None:
    with processor_seconds(2):
        count_words("。" * 200_000 + "磨")


LONG = {
    "zh": "人们用了十年时间才重建了这座城市的港口、桥梁和学校，因为[大火]烧毁了整个城市。",
    "ja": "人々は十年をかけて港や橋や学校を建て直した。それは[大火]の後であった。",
    "th": "ประชาชนใช้เวลาสิบปีในการสร้างท่าเรือและโรงเรียนขึ้นใหม่หลังจาก[ไฟไหม้]",
    "en": "It took ten years to build the town again after [it].",
}


@pytest.mark.parametrize("lang", LONG)
def test_wec_counts_them(lang: str) -> None:
    event = facts("大火")
    assert not mention_length(view(LONG[lang], event, filler=""))
    whole = f"[{LONG[lang].replace('[', '').replace(']', '')}]"
    assert mention_length(view(whole, event, filler=""))


def test_a_year_makes_no_debris_of_a_chinese_sentence() -> None:
    assert not is_debris("他在1974年离开了这座城市，后来在另一座城市去世。")
    assert is_debris("1974年，1975年，1976年。")
