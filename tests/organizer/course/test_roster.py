"""A roster becomes owners; a line that cannot be right is refused, with all others, before anything is done."""

import pytest

from arena.errors import NotationError, OptionsError
from arena.organizer.course.roster import MOST_LINES, parse_roster


def owners(text: str) -> list[tuple[str, str]]:
    return [(each.owner, ", ".join(each.mails)) for each in parse_roster(text, "roster.csv").require_complete()]


def faults(text: str) -> list[str]:
    with pytest.raises(OptionsError) as refused:
        parse_roster(text, "roster.csv").require_complete()
    return [str(each) for each in refused.value.faults]


def test_people_are_named_by_name_or_mail_and_groups_share_an_owner():
    text = "mail,name,group\nann@x.org,Ann,\nbob@x.org,Bob,Bluffers\n\neve@x.org,,Bluffers\nzoe.m@x.org,,\n"

    assert owners(text) == [("Ann", "ann@x.org"), ("Bluffers", "bob@x.org, eve@x.org"), ("zoe.m", "zoe.m@x.org")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_may_be_separated_as_spreadsheets_do_it(separator):
    lines = ["Name,Matriculation,MAIL", '"Ann",17,ann@x.org']

    assert owners("\r\n".join(lines).replace(",", separator)) == [("Ann", "ann@x.org")]


def test_every_refused_line_is_named():
    text = "mail,name\nann@x.org,Ann\nANN@x.org,Anna\nno mail,Bob\neve@x.org,Ann\n"

    assert faults(text) == [
        "line 3, column mail: 'ANN@x.org': it is on line 2 too",
        "line 4, column mail: 'no mail': expected an address such as ann@example.org",
        "line 5, column name: 'Ann': line 2 has this name; a group may share one",
    ]


@pytest.mark.parametrize(
    ("lines", "column"),
    [("ann@x.org,Duo,\nbob@x.org,,Duo\n", "group"), ("bob@x.org,,Duo\nann@x.org,Duo,\n", "name")],
)
def test_nobody_gets_into_a_group_by_its_name(lines, column):
    assert faults(f"mail,name,group\n{lines}") == [
        f"line 3, column {column}: 'Duo': line 2 has this name; a group may share one"
    ]


@pytest.mark.parametrize("mail", ["a@b\u202e.org", "ann@x.org>\nBcc: all@x.org", "ann", "@x.org", "a@b@c", '"a"@x.org'])
def test_address_that_could_say_more_than_an_address_is_refused(mail):
    quoted = mail.replace('"', '""')

    assert len(faults(f'mail,name\n"{quoted}",Ann\n')) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a first line with the columns mail"),
        ("name\nAnn\n", "a first line with the columns mail"),
        ("mail\n", "1 to 5,000 people"),
        ("mail\n" + "".join(f"a{n}@x.org\n" for n in range(MOST_LINES + 1)), "it has 5,001"),
        ('mail\n"ann@x.org\n', "CSV (line 2"),
    ],
)
def test_file_that_is_no_roster_is_refused_in_a_sentence(text, said):
    with pytest.raises(NotationError) as refused:
        parse_roster(text, "roster.csv")

    assert said in str(refused.value)
