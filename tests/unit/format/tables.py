"""doc/FORMAT.md against the code: its tables must have the rows of the X-macros, fields and numbers
that the code has.

A table of the page is announced by a comment in front of it, <!-- table: NAME -->. usage: tables.py
SOURCE-ROOT
"""

import pathlib
import re
import sys

FIXED = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}


def read(root, name):
    return (root / name).read_text()


def arguments(text):
    """Those of a call whose text begins after its parenthesis, without quotes; commas in strings and
    in parentheses are part of them."""
    found, word, depth = [], "", 0
    for token in re.findall(r'"(?:\\.|[^"])*"|[^"]', text):
        if depth == 0 and token in ",)":
            found.append(re.sub(r'"\s+"', "", word.strip()).strip('"').replace('\\"', '"'))
            word = ""
            if token == ")":
                return found
            continue
        depth += (token == "(") - (token == ")")
        word += token
    sys.exit("a row does not end: %s" % text[:80])


def macro_rows(text, macro):
    """Each X(...) row of a macro as a list of its arguments, without quotes."""
    body = re.search(r"#define %s\(X\)\s*\\\n((?:.*\\\n)*.*\n)" % macro, text).group(1)
    body = body.replace("\\\n", "\n")
    return [arguments(body[match.end():]) for match in re.finditer(r"\bX\(", body)]


def page_table(page, name):
    """The rows of a table of the page; backquotes are taken off."""
    match = re.search(r"<!-- table: %s -->\n+((?:\|.*\n)+)" % name, page)
    if not match:
        sys.exit("FORMAT.md has no table %s" % name)
    rows = match.group(1).splitlines()[2:]
    return [[cell.strip().strip("`") for cell in row.strip("|").split(" | ")] for row in rows]


def struct_fields(text, name):
    """(name, bytes) of a struct of fixed-size integers, in order."""
    body = re.search(r"struct %s \{(.*?)\n\};" % name, text, re.S).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    fields = []
    for kind, field, count in re.findall(r"uint(\d+)_t (\w+)(?:\[(\d+)\])?;", body):
        fields.append((field, int(kind) // 8 * int(count or 1)))
    return fields


def constants(text):
    """#define NAME value, of simple values."""
    found = {}
    for name, value in re.findall(r"#define (\w+)\s+(\(?[0-9][^/\n]*)", text):
        try:
            found[name] = eval(re.sub(r"(?<=\d)u\b", "", value.strip()))
        except (SyntaxError, NameError):
            pass
    return found


class Check:
    def __init__(self):
        self.differences = 0

    def same(self, what, page, code):
        for row in page:
            if row not in code:
                print("%s: only FORMAT.md has %s" % (what, row))
                self.differences += 1
        for row in code:
            if row not in page:
                print("%s: only the code has %s" % (what, row))
                self.differences += 1


TRAITS = {"EVENT_FRAME": "a frame", "EVENT_APART": "apart"}


def check_events(check, page, table):
    """The page's table of events, and which row is made by which, as event_table.h has them."""
    stacks = {name: text for name, _, text in macro_rows(table, "EVENT_STACKS")}
    kinds = macro_rows(table, "EVENT_KINDS")
    rows = []
    for name, number, _, row, stack, traits, since, text in kinds:
        shown = [TRAITS[trait] for trait in traits.split(" | ") if trait in TRAITS]
        counts = "no" if row == "EVENT_NO_ROW" else "yes"
        rows.append([number, name, text, counts, ", ".join(shown), "1." + since, stacks[stack].strip("`")])
    check.same("events", page_table(page, "events"), rows)
    made = {}
    for name, _, _, row, *_ in kinds:
        made.setdefault(row.removeprefix("PL_EVENT_").lower(), set()).add(name)
    for _, row, by in page_table(page, "rows"):
        named = set(re.findall(r"[A-Z_]{2,}", by))
        if named != made.get(row, set()):
            print("rows: %s is made by %s in the code" % (row, made.get(row)))
            check.differences += 1


def main():
    root = pathlib.Path(sys.argv[1])
    page = read(root, "doc/FORMAT.md")
    record, event = read(root, "src/format/record.h"), read(root, "src/format/event.h")
    block, api = read(root, "src/format/block.h"), read(root, "include/pathline/event.h")
    stack = read(root, "src/format/stack.h")
    check = Check()

    check.same("records", [row[:4] for row in page_table(page, "records")],
               [[n, name, word, fields] for name, n, word, fields in macro_rows(record, "RECORD_KINDS")])
    check_events(check, page, read(root, "src/format/event_table.h"))
    check.same("gap reasons", [row[:2] for row in page_table(page, "gaps")],
               [[str(i), row[1]] for i, row in enumerate(macro_rows(api, "PL_GAP_REASONS"))])
    check.same("rows", [row[:2] for row in page_table(page, "rows")],
               [[str(i), row[1]] for i, row in enumerate(macro_rows(api, "PL_EVENT_KINDS"))])
    check.same("places", [row[:2] for row in page_table(page, "places")],
               [[n, name] for name, n in re.findall(r"PLACE_(\w+) = (\d)", stack)])

    offset, fields = 0, []
    for name, size in struct_fields(block, "block_head"):
        fields.append([str(offset), str(size), name])
        offset += size
    check.same("block head", [row[:3] for row in page_table(page, "block head")],
               fields + [[str(offset), "8", "check"]])

    offset, fields = 0, []
    for name, size in struct_fields(read(root, "src/format/samples.h"), "samples_head"):
        fields.append([str(offset), str(size), name])
        offset += size
    check.same("samples head", [row[:3] for row in page_table(page, "samples head")], fields)

    offset, fields = 0, []
    for name, size in struct_fields(read(root, "src/format/source_events.h"), "source_head"):
        fields.append([str(offset), str(size), name])
        offset += size
    check.same("source head", [row[:3] for row in page_table(page, "source head")], fields)

    values = macro_rows(read(root, "src/format/value_table.h"), "VALUE_KINDS")
    check.same("values", page_table(page, "values"), [[n, name, *rest] for name, n, *rest in values])
    shown = [row for row in values if row[0] not in ("END", "TYPED")]
    check.same("values of the API", [row[:2] for row in macro_rows(read(root, "include/pathline/values.h"), "PL_VALUE_KINDS")],
               [[name, n] for name, n, *_ in shown])

    known = constants(record) | constants(event) | constants(block)
    version = "Version %d.%d." % (known["FORMAT_MAJOR"], known["FORMAT_MINOR"])
    minors = [row[0] for row in page_table(page, "versions")]
    if version not in page or minors != [str(n) for n in range(1, known["FORMAT_MINOR"] + 1)]:
        print("versions: the code writes %s FORMAT.md says otherwise, or its table does" % version)
        check.differences += 1
    for name, value in (row[:2] for row in page_table(page, "limits")):
        if known.get(name) != eval(value.replace(",", "").replace(" MiB", " * 1048576")):
            print("limits: %s is %s in FORMAT.md, %s in the code" % (name, value, known.get(name)))
            check.differences += 1

    offset = 0
    for at, kind, name in (row[:3] for row in page_table(page, "record head")):
        if int(at) != offset:
            print("record head: %s is at %s in FORMAT.md, not at %d" % (name, at, offset))
            check.differences += 1
        offset += FIXED.get(kind, 0)
    if offset != known["RECORD_HEAD_BYTES"]:
        print("record head: FORMAT.md makes it %d bytes" % offset)
        check.differences += 1
    sys.exit(1 if check.differences else 0)


main()
