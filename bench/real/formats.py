"""What is written as text or bytes, and read again, in Python."""
import functools
import io

import program


@functools.cache
def records(count):
    return [{"id": n, "name": name, "ratio": n / 8, "on": n % 3 == 0, "none": None, "tags": program.words(4, n % 20),
             "at": {"x": n * 31 % 97, "y": [n, n + 1, [name]]}} for n, name in enumerate(program.words(count))]


@program.gives("5c841ef56e6b")
def yaml():
    """PyYAML's own loader and dumper, without its library in C."""
    import yaml
    text = yaml.dump(records(45), Dumper=yaml.SafeDumper)
    return program.digest((text, yaml.load(text, Loader=yaml.SafeLoader)))


@program.gives("e31e56b55ebb")
def toml():
    """tomllib over a few hundred tables."""
    import tomllib
    lines = []
    for row in records(500):
        lines.append(f"[[row]]\nid = {row['id']}\nname = \"{row['name']} \\u00e9\"\nratio = {row['ratio']}\non = {str(row['on']).lower()}\n"
                     f"when = 2024-02-{1 + row['id'] % 28:02}T07:{row['id'] % 60:02}:00Z\ntags = [{', '.join(map(repr, row['tags']))}]\n"
                     f"at = {{ x = {row['at']['x']}, y = [[1, 2], ['a']] }}\n[row.more.{row['name']}]\nhex = 0x{row['id']:x}\ntext = '''\na\nb'''\n")
    return program.digest(tomllib.loads("\n".join(lines)))


@program.gives("7c721f592be5")
def tomlkit():
    """A TOML document that is parsed with its layout, edited and written."""
    import tomlkit
    text = "".join(f"# {row['name']}\n[{row['name']}{row['id']}]\nid = {row['id']}  # the number\nratio = {row['ratio']}\n"
                   f"tags = [{', '.join(map(repr, row['tags']))}]\n\n" for row in records(90))
    document = tomlkit.parse(text)
    for table in document.values():
        table["id"] += 1
        table.add("new", tomlkit.inline_table().append("a", 1))
    return program.digest(tomlkit.dumps(document))


@program.gives("9589ef88e55f")
def json_in_python():
    """The parts of json that are in Python, in place of those in C."""
    import json.decoder
    import json.encoder
    import json.scanner
    json.encoder.c_make_encoder = None
    json.encoder.encode_basestring_ascii = json.encoder.py_encode_basestring_ascii
    decoder = json.decoder.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    text = json.dumps(records(700), indent=2, sort_keys=True)
    return program.digest((text, decoder.decode(text)))


@program.gives(("e68e1e39375b", 1200))
def pickle_in_python():
    """pickle's classes in Python: protocol 4, records and objects that refer to each other."""
    import pickle
    data = pickle._dumps(records(1200), protocol=4)
    return program.digest(data), len(pickle._loads(data))


@program.gives((10, 40))
def mail():
    """Messages with parts and long headers, written and parsed by email."""
    from email import message_from_string, policy
    from email.message import EmailMessage
    texts = []
    for row in records(10):
        message = EmailMessage()
        message["Subject"] = " ".join(program.words(20, row["id"])) + " é"
        message["From"] = f"{row['name'].title()} <{row['name']}@example.org>"
        message["To"] = ", ".join(f"{tag}@example.org" for tag in row["tags"])
        message.set_content("\n".join(program.words(50, row["id"])))
        message.add_alternative(f"<p>{row['name']}</p>", subtype="html")
        message.add_attachment(row["name"].encode() * 20, maintype="application", subtype="octet-stream", filename="a.bin")
        texts.append(message.as_string())
    read = [message_from_string(text, policy=policy.default) for text in texts]
    return sum("é" in m["Subject"] for m in read), sum(len(m["To"].addresses) for m in read)


@program.gives("b2a810f05a47")
def csv():
    """Rows that are read, grouped, summed, and written."""
    import csv
    import itertools
    out = io.StringIO()
    writer = csv.DictWriter(out, ["id", "name", "ratio", "group"])
    writer.writeheader()
    for n, name in enumerate(program.words(12000)):
        writer.writerow({"id": n, "name": name, "ratio": n / 4, "group": name[:2]})
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    for row in rows:
        row["ratio"] = float(row["ratio"])
    rows.sort(key=lambda row: (row["group"], -row["ratio"]))
    sums = {key: sum(row["ratio"] for row in group) for key, group in itertools.groupby(rows, lambda row: row["group"])}
    return program.digest((out.getvalue(), sums))


if __name__ == "__main__":
    program.main()
