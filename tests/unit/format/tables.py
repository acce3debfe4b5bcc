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


def macro_rows(text, macro):
    """Each X(...) row of a macro as a list of its arguments, without quotes."""
    body = re.search(r"#define %s\(X\)\s*\\\n((?:.*\\\n)*.*\n)" % macro, text).group(1)
    body = re.sub(r'"\s+"', "", body.replace("\\\n", "\n"))
    rows = []
    for row in re.findall(r"X\(((?:\"(?:\\.|[^\"])*\"|[^()\"])*)\)", body):
        args = re.findall(r"\"(?:\\.|[^\"])*\"|[^,\s][^,]*", row)
        rows.append([a.strip().strip('"').replace('\\"', '"') for a in args])
    return rows


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


def main():
    root = pathlib.Path(sys.argv[1])
    page = read(root, "doc/FORMAT.md")
    record, event = read(root, "src/format/record.h"), read(root, "src/format/event.h")
    block, api = read(root, "src/format/block.h"), read(root, "include/pathline/event.h")
    stack = read(root, "src/format/stack.h")
    check = Check()

    check.same("records", [row[:4] for row in page_table(page, "records")],
               [[n, name, word, fields] for name, n, word, fields in macro_rows(record, "RECORD_KINDS")])
    check.same("events", [row[:3] for row in page_table(page, "events")],
               [[n, name, fields[0] if fields else ""] for name, n, *fields in macro_rows(event, "EVENT_KINDS")])
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
