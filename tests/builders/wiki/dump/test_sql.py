"""Rows of mysqldump's files, as servers write them and as somebody who means harm might."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from corefmill.builders.wiki.dump import sql
from corefmill.corpora.files.errors import DataError

HEAD = b"""-- MySQL dump 10.19  Distrib 10.3.38-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: db1    Database: itwiki
-- ------------------------------------------------------
DROP TABLE IF EXISTS `langlinks`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `langlinks` (
  `ll_from` int(8) unsigned NOT NULL DEFAULT 0,
  `ll_lang` varbinary(35) NOT NULL DEFAULT '',
  `ll_title` varbinary(255) NOT NULL DEFAULT '',
  PRIMARY KEY (`ll_from`,`ll_lang`),
  KEY `ll_lang` (`ll_lang`,`ll_title`)
) ENGINE=InnoDB DEFAULT CHARSET=binary;
/*!40000 ALTER TABLE `langlinks` DISABLE KEYS */;
"""
LINKS = ("ll_from", "ll_lang", "ll_title")


def written(folder: Path, body: bytes, head: bytes = HEAD, *, packed: bool = True) -> Path:
    path = folder / f"itwiki-latest-langlinks.sql{'.gz' * packed}"
    path.write_bytes(gzip.compress(head + body, mtime=0) if packed else head + body)
    return path


def rows(path: Path, *columns: str) -> list[tuple[bytes, ...]]:
    return list(sql.open_table(path).rows(*(columns or LINKS)))


@pytest.mark.parametrize("packed", [True, False])
def test_rows_of_one_line_and_of_many(tmp_path: Path, packed: bool) -> None:
    body = (
        b"INSERT INTO `langlinks` VALUES (1,'en','Flood'),(2,'en','');\n"
        b"INSERT INTO `langlinks` VALUES\n(3,'de','Flut'),\n(4,'de',_binary 'Brand');\n"
        b"UNLOCK TABLES;\n"
    )
    path = written(tmp_path, body, packed=packed)
    table = sql.open_table(path)
    assert (table.name, table.database, table.columns) == ("langlinks", "itwiki", LINKS)
    assert sql.is_sql(path)
    found = [b" ".join(row) for row in rows(path)]
    assert found == [b"1 en Flood", b"2 en ", b"3 de Flut", b"4 de Brand"]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (rb"'it\'s'", b"it's"),
        (rb"'it''s'", b"it's"),
        (rb"'a),(1,\\'", b"a),(1,\\"),
        (rb"'a\nb\tc\0'", b"a\nb\tc\0"),
        (rb"'\"\%'", b'"%'),
        (rb"'; DROP TABLE x;'", b"; DROP TABLE x;"),
        (rb"NULL", b""),
        (rb"-1.5e3", b"-1.5e3"),
        ("'Überschwemmung'".encode(), "Überschwemmung".encode()),
    ],
)
def test_values(tmp_path: Path, literal: bytes, value: bytes) -> None:
    path = written(tmp_path, b"INSERT INTO `langlinks` VALUES (1,'en'," + literal + b");\n")
    assert rows(path, "ll_title") == [(value,)]


def test_columns_in_another_order_and_of_the_statement_itself(tmp_path: Path) -> None:
    body = (
        b"INSERT INTO `langlinks` (`ll_title`, `ll_from`, `ll_lang`) VALUES ('Flood',1,'en');\n"
        b"INSERT INTO `langlinks` VALUES (2,'en','Fire');\n"
    )
    assert rows(written(tmp_path, body)) == [(b"1", b"en", b"Flood"), (b"2", b"en", b"Fire")]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"(1,'en');\n", r"no valid row of langlinks at byte 32"),
        (b"(1,'en','Flood'\n", "no valid row of langlinks"),
        (b"(1,'en','Flood'),(2,sleep(9),'x');\n", "no valid row of langlinks at byte 49"),
        (b"(1,'en','Flood'),\n", "ends within an SQL statement"),
        (b"(1,'en','Flood),\n(2,'en','a');\n", "no valid row of langlinks"),
        (b"(1,'en'" + b",'a'" * 200_000 + b");\n", "no valid row of langlinks"),
        (b"(1,'en','" + b"\\'" * 500_000 + b"\n", "no valid row of langlinks"),
    ],
)
def test_what_is_no_row_is_refused_where_it_stands(
    tmp_path: Path, body: bytes, message: str
) -> None:
    path = written(tmp_path, b"INSERT INTO `langlinks` VALUES " + body)
    with pytest.raises(DataError, match=message) as caught:
        rows(path)
    assert (caught.value.path, caught.value.line) == (str(path), 15)


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    path = written(tmp_path, b"INSERT INTO `langlinks` VALUES (1,'en','Flood');\n" * 9999)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match=str(path.name)):
        rows(path)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"-- MySQL dump\nCREATE TABLE `page` (\n", "holds the table page, not langlinks"),
        (b"-- MySQL dump\n", "holds no table"),
        (b"CREATE TABLE `langlinks` (\n" + b"  `a` int,\n" * 101, "the table has over 100 columns"),
    ],
)
def test_a_table_that_is_none_of_these(tmp_path: Path, head: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        sql.open_table(written(tmp_path, b"", head))
