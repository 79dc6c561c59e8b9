"""Every malformed file is one line: where, what was found, what was expected; nothing else is raised."""

import gzip
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deppa_nb.corpus.conllu import read_conllu
from deppa_nb.corpus.conllu_errors import first_error
from deppa_nb.corpus.conllu_scan import scan
from deppa_nb.corpus.sequences import read_columns
from deppa_nb.corpus.slots import read_slots
from deppa_nb.errors import FormatError


def row(id: object, head: object, form: str = "x") -> str:
    return f"{id}\t{form}\t_\t_\t_\t_\t{head}\t_\t_\t_\n"


GOOD = "# c\n" + row(1, 2) + row(2, 0) + "\n"  # lines 1 to 4: an error after it starts at line 5

CONLLU = {
    "nine columns": (GOOD + row(1, 0)[:-3] + "\n", "f:5: 9 columns in '1", "expected 10"),
    "eleven columns": (GOOD + row(1, 0)[:-1] + "\t_\n", "f:5: 11 columns", "expected 10"),
    "spaces for tabs": (GOOD + row(1, 0).replace("\t", " "), "f:5: 1 columns", "separated by tabs"),
    "nine, then eleven": (
        "1\t_\t_\t_\t_\t_\t0\t_\t_\n2\t2\tx\t_\t_\t_\t_\t1\t_\t_\t_\n",
        "f:1: 9 columns",
        "expected 10",
    ),
    "head not a number": (GOOD + row(1, "two"), "f:5: HEAD 'two'", "expected a number from 0 to 1 or _"),
    "negative head": (GOOD + row(1, -1), "f:5: HEAD '-1'", "expected a number from 0 to 1"),
    "head with a plus": (GOOD + row(1, "+0"), "f:5: HEAD '+0'", "expected"),
    "head with a zero": (GOOD + row(1, 0) + row(2, "01"), "f:6: HEAD '01'", "expected"),
    "head in other digits": (GOOD + row(1, "\u0661"), "f:5: HEAD '\u0661'", "expected"),
    "head past the end": (GOOD + row(1, 0) + row(2, 19), "f:6: HEAD 19 is past", "last token 2"),
    "head of 5,000 digits": (GOOD + row(1, "9" * 5000), "f:5: HEAD '999", "expected a number"),
    "head is itself": (GOOD + row(1, 1), "f:5: HEAD 1 is the word itself", "expected another word"),
    "cycle": (GOOD + row(1, 2) + row(2, 3) + row(3, 1), "f:5: HEADs form a cycle (1 -> 2 -> 3 -> 1)", "tree"),
    "cycle below a tree": (GOOD + row(1, 0) + row(2, 3) + row(3, 2), "f:6: HEADs form a cycle (2 -> 3 -> 2)", ""),
    "duplicate id": (GOOD + row(1, 0) + row(1, 0), "f:6: ID 1 again", "expected 2"),
    "gap in ids": (GOOD + row(1, 0) + row(3, 1), "f:6: ID 3", "expected 2"),
    "ids from 0": (GOOD + row(0, 0), "f:5: ID '0'", "expected 1"),
    "ids from 2": (GOOD + row(2, 0), "f:5: ID 2", "expected 1"),
    "id not a number": (GOOD + row("a", 0), "f:5: ID 'a'", "expected 1 (or a range"),
    "id with a zero": (GOOD + row(1, 0) + row("01", 1) + row(2, 1), "f:6: ID '01'", "expected 2"),
    "id of 11 digits": (GOOD + row(1, 0) + row("10000000000", 1), "f:6: ID '10000000000'", "expected 2"),
    "id in other digits below": (GOOD + row(1, 0) + row("\u0661", 1) + row(2, 1), "f:6: ID '\u0661'", "expected 2"),
    "id in other digits": (GOOD + row("\u0661", 0), "f:5: ID '\u0661'", "expected 1"),
    "range that ends first": (GOOD + row("2-1", "_") + row(1, 0), "f:5: range 2-1", "expected"),
    "range ends before start": (GOOD + row(1, 0) + row("2-1", "_") + row(2, 1), "f:6: range 2-1 ends before", ""),
    "range in the wrong place": (GOOD + row(1, 0) + row("1-2", "_") + row(2, 1), "f:6: range 1-2", "right above word 1"),
    "range past the end": (GOOD + row("1-3", "_") + row(1, 0), "f:5: range 1-3 is past", "last token 1"),
    "overlapping ranges": (
        GOOD + row("1-2", "_") + row(1, 0) + row("2-3", "_") + row(2, 1) + row(3, 1),
        "f:7: range 2-3 overlaps",
        "ends at 2",
    ),
    "empty node out of turn": (GOOD + row(1, 0) + row("1.2", "_"), "f:6: empty node 1.2", "expected 1.1"),
    "range with nine columns": (GOOD + "1-2\tx\n" + row(1, 0) + row(2, 1), "f:5: 2 columns", "expected 10"),
    "empty form": (GOOD + row(1, 0, ""), "f:5: column FORM is empty", "expected _"),
    "empty misc": (GOOD + row(1, 0)[:-2] + "\n", "f:5: column MISC is empty", "expected _"),
    "blank line of spaces": (GOOD + row(1, 0) + "  \n" + row(1, 0), "f:6: line of white space", "empty line"),
    "comment inside": (GOOD + row(1, 0) + "# x\n" + row(2, 1), "f:6: comment inside a sentence", "above"),
    "only comments": (GOOD + "# a\n# b\n\n", "f:7: no words below the comments", "expected"),
    "only a range": (GOOD + row("1-2", "_"), "f:5: range 1-2 is past", "last token 0"),
    "only an empty node": (GOOD + row("0.1", "_"), "f:5: no words", "expected"),
    "bad utf-8": (GOOD.encode() + b"1\tcaf\xe9\n", "f:5: byte 0xe9 is not UTF-8", "expected a UTF-8"),
    "latin-1 later": (GOOD.encode() * 9000 + b"\xff", "f:36001: byte 0xff", "UTF-8"),
    "nul byte": (GOOD.encode() + b"1\t\0\n", "f:5: NUL byte", "expected a text file"),
    "binary": (bytes(range(256)) * 40, "f:1: NUL byte", "text"),
    "one crlf among lf": (GOOD + row(1, 0)[:-1] + "\r\n", "f:5: carriage return", "expected"),
    "mixed line ends": ("# c\r\n" + row(1, 0), "f:2: line ends in LF", "expected CR LF"),
    "bare carriage return": (GOOD + row(1, 0, "a\rb"), "f:5: carriage return", "expected"),
    "10 MB line": (GOOD + row(1, 0, "x" * 10_000_000), "f:5: line of over 1,000,000 bytes", "shorter"),
    "100 MB without a blank line": (row(1, 0)[:-1] * 6_000_000, "f:1: ", ""),
    "empty": ("", "f: is empty", "expected at least one sentence"),
    "blank lines only": ("\n\n\n", "f: has only blank lines", "expected at least one sentence"),
    "cut gzip": (gzip.compress(GOOD.encode())[:-9], "f: broken gzip", ""),
    "spoilt gzip": (b"\x1f\x8b" + b"nonsense" * 20, "f: broken gzip", ""),
}  # fmt: skip

COLUMNS = {
    "other width": ("a NN O\nb NN\n", "f:2: 2 columns in 'b NN'", "expected 3: word pos chunk"),
    "one column": ("a\n", "f:1: 1 columns", "expected 2 to 4"),
    "two spaces": ("a NN O\nb  O\n", "f:2: column pos is empty", "one separator"),
    "no iob": ("a NN NP\n", "f:1: label 'NP'", "expected O, B-... or I-..."),
    "long label": ("a NN " + "x" * 9000 + "\n", "f:1: label 'xxx", "expected O"),
    "bare prefix": ("a NN B-\n", "f:1: label 'B-'", "expected"),
    "wrong number": ("1\ta\tO\n3\tb\tO\n", "f:2: word number '3'", "expected 2"),
    "white space": ("a NN O\n \n", "f:2: line of white space", "empty line"),
    "blank lines only": ("\n", "f: has only blank lines", "expected"),
}

SLOTS = {
    "no tab": ("BOS a EOS\n", "f:1: 0 tabs", "expected one"),
    "no bos": ("a EOS\tO O\n", "f:1: words 'a EOS'", "expected BOS"),
    "too few labels": ("BOS a EOS\tO x\n", "f:1: 2 labels for 3 words", "as many"),
    "no words": ("BOS EOS\tO x\n", "f:1: no words", "expected"),
    "two spaces": ("BOS  EOS\tO O x\n", "f:1: two spaces", "expected one"),
    "label of bos": ("BOS a EOS\tB-x O x\n", "f:1: label 'B-x' of BOS", "expected O"),
    "no iob": ("BOS a EOS\tO city x\n", "f:1: label 'city'", "expected"),
    "iob1": ("BOS a EOS\tO I-city x\n", "f:1: slot that begins with I-", "IOB2"),
    "blank lines only": ("\n", "f: has only blank lines", "expected"),
}

Case = tuple[Callable[..., Any], str | bytes, str, str]
CASES: dict[str, Case] = {
    f"{kind}: {name}": (reader, *case)
    for kind, reader, cases in (
        ("conllu", read_conllu, CONLLU),
        ("columns", read_columns, COLUMNS),
        ("slots", read_slots, SLOTS),
    )
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_says_where_what_and_what_was_expected(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, content, start, end = CASES[name]
    monkeypatch.chdir(tmp_path)
    Path("f").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError, match=re.escape(start)) as caught:
        reader("f")
    message = str(caught.value)
    assert message.startswith(start)
    assert end in message
    assert "\n" not in message
    assert len(message) < 250


@pytest.mark.parametrize("reader", [read_conllu, read_columns, read_slots])
def test_what_is_no_file(reader: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a folder, expected a file"):
        reader(tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        reader(tmp_path / "none")


def try_readers(content: bytes) -> None:
    """Read bytes in every format: fine, or a FormatError of one line."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        for reader in (read_conllu, read_columns, read_slots):
            try:
                bank: Any = reader(file.name)
                assert len(bank) > 0
                if reader is read_conllu:
                    assert all(len(s.forms) == len(s.heads) for s in bank)
            except FormatError as error:
                assert str(error).startswith(file.name)


PIECES = [row(1, 0), row(2, 1), row("01", 1), row("00", 1), row("10000000000", 1), row("\uff12", 1), row("1-2", "_"), row("1.1", "_"), "# c\n", "\n", "\t", "1", "x NN O\n",
          "BOS a EOS\tO B-x y\n", "\r\n", "\ufeff", " ", "_", "9" * 20, "\u0661", "-", "."]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)).map("".join).map(str.encode) | st.binary())
@settings(max_examples=400)
def test_no_other_exception(content: bytes) -> None:
    try_readers(content)


@given(st.lists(st.sampled_from(PIECES), min_size=1).map("".join))
@settings(max_examples=400)
def test_the_scan_and_the_look_at_each_line_agree(text: str) -> None:
    """One block is right for the fast path if and only if it is right for the slow one."""
    lines = [line for line in text.replace("\r", "").split("\n") if line]
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    if lines:
        found = scan("\n".join(lines).encode())
        error = first_error("f", 1, lines)
        if found is not None and found.has_extras[0]:
            return  # the fast path leaves ranges and empty nodes to `extras_error`
        assert (found is None) == (error is not None), error
