"""The tables of doc/PLACES.md (version, build, place): what tests found, in doc/places.json, and
its text.

A test notes what it found (`note`): a line in BUILD/places, which tools/places-table gathers into
doc/places.json and doc/PLACES.md. From then on a test that finds something else fails, and
tests/places/test_table.py compares the two files. A row of doc/places.json names its test:

    {"place": "no /proc", "test": "places.test_places.FileSystems.test_no_proc", "found": {"3.13.0 shared": ["exact", ""]}}

A finding is a result and how. Results: `exact` (the oracle agrees, the program says the same as
without Pathline), `same` (only the latter is asked), `whole` (each request and each process is in
it, and no gap), `refused` (not recorded, and named, by how).
"""
import json
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = TOP / "doc" / "places.json"
PAGE = TOP / "doc" / "PLACES.md"
BEGIN, END = "<!-- tools/places-table -->\n", "<!-- end -->\n"


def column_of(row):
    return f"{row['python']} {row['build']}" + ("" if row["machine"] == "x86_64" else f", {row['machine']}")


def kept(path=KEPT):
    """{(place, test): found}"""
    rows = json.loads(path.read_text()) if path.exists() else []
    return {(row["place"], row["test"]): row["found"] for row in rows}


def note(build, row):
    """Keep a finding; it must be what is written. In what record said, paths of here are no
    finding."""
    folder = pathlib.Path(build, "places")
    folder.mkdir(exist_ok=True)
    row["how"] = row["how"].removeprefix("pathline: ").replace(f"{build}/", "")
    name = re.sub(r"\W+", "-", f"{row['test']} {row['place']} {column_of(row)}")
    (folder / f"{name}.json").write_text(json.dumps(row) + "\n")
    written = kept().get((row["place"], row["test"]), {}).get(column_of(row))
    if written and written[0] != row["result"]:
        raise AssertionError(f"doc/places.json has for {row['place']} on {column_of(row)}: {written[0]}; now: {row['result']}")


def gather(builds, table):
    for build in builds:
        for path in sorted(pathlib.Path(build, "places").glob("*.json")):
            row = json.loads(path.read_text())
            table.setdefault((row["place"], row["test"]), {})[column_of(row)] = [row["result"], row["how"]]


def in_order(column):
    return [int(n) for n in re.findall(r"\d+", column.split()[0])], column


def write(table):
    rows = [json.dumps({"place": place, "test": test, "found": {c: found[c] for c in sorted(found, key=in_order)}}, ensure_ascii=False)
            for (place, test), found in sorted(table.items(), key=lambda item: (item[0][1].split(".")[:2], item[0][0]))]
    KEPT.write_text("[\n" + ",\n".join(rows) + "\n]\n")


# The sections of the page, in this order: the test classes of one, and its title.
SECTIONS = (
    (("test_options.Options",), "Options of the interpreter"),
    (("test_options.Variables",), "Variables of the environment"),
    (("test_places.Environment", "test_places.PathOfTheLibrary"), "Locale, home, and paths"),
    (("test_places.Virtual",), "Virtual environments and symbolic links"),
    (("test_places.Namespaces", "test_places.FileSystems"), "Namespaces and file systems"),
    (("test_debian11.Debian11",), "Older systems"),
    (("test_embedded.Embedded",), "Programs that embed Python"),
    (("test_gunicorn.Sync", "test_gunicorn.Gthread", "test_gunicorn.Gevent", "test_uvicorn.Uvicorn", "test_prefork.Prefork", "test_always.Always",
      "test_systemd.Systemd"),
     "Servers and worker pools"),
    (("test_places.LeftOut", "test_subinterpreters.Subinterpreters"), "What cannot be recorded"),
)
OTHERS = "Others"


def section_of(test):
    name = ".".join(test.split(".")[1:3])
    return next((title for classes, title in SECTIONS if name in classes), OTHERS)


def cell(result, how, hows):
    """The result, with the number of its explanation."""
    if how and how not in hows:
        hows.append(how)
    return f"{result} ({hows.index(how) + 1})" if how else result


def in_rows(places, columns):
    return ["| place | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|",
            *(f"| {place} | " + " | ".join(cells) + " |" for place, cells in places)]


def text(table):
    """The tables in Markdown, a row for each place. Builds that are refused everywhere follow as a
    list."""
    found = {}
    for (place, test), row in table.items():
        found.setdefault((section_of(test), place), {}).update(row)
    all_columns = sorted({c for row in found.values() for c in row}, key=in_order)
    never = [c for c in all_columns if all(row[c][0] == "refused" for row in found.values() if c in row)]
    columns, hows, lines = [c for c in all_columns if c not in never], [], []
    for title in [*(title for _, title in SECTIONS), OTHERS]:
        rows = [(place, [cell(*row.get(c, ("", "")), hows) for c in columns])
                for (section, place), row in sorted(found.items()) if section == title]
        rows = [(place, cells) for place, cells in rows if any(cells)]
        if rows:
            lines += [f"## {title}", "", *in_rows(rows, columns), ""]
    if hows:
        lines += ["## Explanations", "", *(f"({n}) {how}  " for n, how in enumerate(hows, 1)), ""]
    if never:
        lines += ["## Builds that are never recorded", ""]
        for column in never:
            lines += [f"- {column}{', ' * (place != 'anywhere')}{place.removeprefix('anywhere')}: {row[column][1]}"
                      for (_, place), row in sorted(found.items()) if column in row]
    return "\n".join(lines).strip() + "\n"


def in_page():
    """(what is before the tables, the tables, what is after)"""
    before, rest = PAGE.read_text().split(BEGIN)
    inside, after = rest.split(END)
    return before, inside, after


def main(builds):
    table = kept()
    gather(builds, table)
    write(table)
    before, _, after = in_page()
    PAGE.write_text(before + BEGIN + text(table) + END + after)
