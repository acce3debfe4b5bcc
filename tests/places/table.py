"""The README's table version x build x place: what tests found, in doc/places.json, and its text.

A test notes what it found (`note`): a line in BUILD/places, which tools/places-table gathers into doc/places.json and the
README. From then on a test whose finding is another one than what is written there fails, and tests/places/test_table.py
holds the two against each other. A row of doc/places.json is a test by name:

    {"place": "no /proc", "test": "places.test_places.FileSystems.test_no_proc", "found": {"3.13.0 shared": ["exact", ""]}}

A finding is a result and how. Results: `exact` (the oracle agrees, the program says the same as without Pathline), `same` (only the
latter is asked), `whole` (each request and each process is in it, and no gap), `refused` (not recorded, and named, by how).
"""
import json
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = TOP / "doc" / "places.json"
README = TOP / "README.md"
BEGIN, END = "<!-- tools/places-table -->\n", "<!-- end -->\n"


def column_of(row):
    return f"{row['python']} {row['build']}" + ("" if row["machine"] == "x86_64" else f", {row['machine']}")


def kept(path=KEPT):
    """{(place, test): found}"""
    rows = json.loads(path.read_text()) if path.exists() else []
    return {(row["place"], row["test"]): row["found"] for row in rows}


def note(build, row):
    """Keep a finding; it must be what is written. In what record said, paths of here are no finding."""
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


def in_short(places):
    """Of places that begin alike, what they share is said once."""
    words, last = [], ""
    for place in places:
        head = re.match(r"((embedded|gunicorn|uvicorn)[,:]|python) |", place)[0]
        words.append(place.removeprefix(head) if head and head == last else place)
        last = head
    return "; ".join(words)


def text(table):
    """The table in Markdown: a row has the places that are alike in all columns. Builds that are refused anywhere follow as a list."""
    found = {}
    for (place, test), row in table.items():
        found.setdefault((place, test.split(".")[1]), {}).update(row)
    all_columns = sorted({c for row in found.values() for c in row}, key=in_order)
    never = [c for c in all_columns if all(row[c][0] == "refused" for row in found.values() if c in row)]
    columns, hows, alike = [c for c in all_columns if c not in never], [], {}
    for (place, file), row in sorted(found.items(), key=lambda item: item[0][::-1]):
        cells = []
        for column in columns:
            result, how = row.get(column, ["", ""])
            if how and how not in hows:
                hows.append(how)
            cells.append(f"{result} ({hows.index(how) + 1})" if how else result)
        if any(cells):
            alike.setdefault((file, *cells), []).append(place)
    if not columns:
        return ""
    lines = ["| place | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {in_short(places)} | " + " | ".join(key[1:]) + " |" for key, places in alike.items()]
    lines += ["", *(f"({n}) {how}  " for n, how in enumerate(hows, 1)), ""]
    for column in never:
        lines += [f"- {column}{', ' * (place != 'anywhere')}{place.removeprefix('anywhere')}: refused: {row[column][1]}"
                  for (place, _), row in sorted(found.items()) if column in row]
    return "\n".join(lines).replace("\n\n\n", "\n\n").strip() + "\n"


def in_readme():
    """(what is before the table, the table, what is after)"""
    before, rest = README.read_text().split(BEGIN)
    inside, after = rest.split(END)
    return before, inside, after


def main(builds):
    table = kept()
    gather(builds, table)
    write(table)
    before, _, after = in_readme()
    README.write_text(before + BEGIN + text(table) + END + after)
