"""Templates, markup languages and what is drawn as text."""
import functools
import io

import program

ROWS = [{"id": n, "name": name, "price": n * 7 % 1000 / 4, "tags": program.words(3, n % 10)}
        for n, name in enumerate(program.words(150))]


@functools.cache
def prose(paragraphs, bold="*{}*", code="`{}`", head="\n{}\n"):
    """Paragraphs with a word or two marked in each, and a heading to every sixth."""
    parts, draw = [], program.numbers(5)
    for n in range(paragraphs):
        if n % 6 == 0:
            parts.append(head.format(" ".join(program.words(3, n)).title()))
        some = [*program.words(40, n)]
        for mark in (bold, code):
            at = draw(len(some))
            some[at] = mark.format(some[at])
        parts.append(" ".join(some) + ".")
    return "\n\n".join(parts)


@program.gives("a3fafc1870ab")
def jinja2():
    """A page with a base, macros, loops and filters, compiled anew in each pass."""
    import jinja2
    templates = {
        "base": "<html><title>{% block title %}{% endblock %}</title>{% block body %}{% endblock %}</html>",
        "cells": "{% macro cell(v, k='') %}<td{% if k %} class='{{ k }}'{% endif %}>{{ v }}</td>{% endmacro %}",
        "page": "{% extends 'base' %}{% from 'cells' import cell %}{% block title %}{{ title|title }}{% endblock %}{% block body %}<table>"
                "{% for row in rows %}<tr>{{ cell(row.id) }}{{ cell(row.name|upper, 'name') }}{{ cell('%.2f'|format(row.price)) }}"
                "<td>{% for tag in row.tags if tag|length > 2 %}{{ loop.index }}: {{ tag }}{{ ', ' if not loop.last }}{% endfor %}</td></tr>"
                "{% else %}none{% endfor %}</table>{% endblock %}"}
    environment = jinja2.Environment(loader=jinja2.DictLoader(templates), autoescape=True)
    page = environment.get_template("page")
    return program.digest([page.render(title="the prices", rows=ROWS) for _ in range(10)])


@program.gives("56a166bc8ce0")
def mako():
    """The same table by Mako."""
    from mako.template import Template
    page = Template("""<%def name="cell(v, k='')"><td class="${k}">${v}</td></%def><table>
% for row in rows:
<tr>${cell(row["id"])}${cell(row["name"].upper(), "name")}${cell("%.2f" % row["price"])}
<td>${", ".join(f"{n}: {tag}" for n, tag in enumerate(row["tags"]) if len(tag) > 2) | h}</td></tr>
% endfor
</table>""")
    return program.digest([page.render(rows=ROWS) for _ in range(45)])


@program.gives("e50902b5705d")
def chameleon():
    """The same table by Chameleon."""
    from chameleon import PageTemplate
    page = PageTemplate("""<table><tr tal:repeat="row rows" class="${repeat.row.odd and 'odd'}"><td>${row['id']}</td>
<td tal:content="row['name'].upper()">name</td><td>${'%.2f' % row['price']}</td>
<td><b tal:repeat="tag [t for t in row['tags'] if t[2:]]">${tag}</b></td></tr></table>""")
    return program.digest([page(rows=ROWS) for _ in range(14)])


@program.gives("d095113e1938")
def django():
    """The same table by Django's templates."""
    import django
    from django.conf import settings
    from django.template import Context, Engine
    if not settings.configured:
        settings.configure(USE_I18N=False)
        django.setup()
    page = Engine().from_string(
        "<table>{% for row in rows %}<tr class='{% cycle 'a' 'b' %}'><td>{{ forloop.counter }}</td><td>{{ row.name|upper }}</td>"
        "<td>{{ row.price|floatformat:2 }}</td><td>{% for tag in row.tags %}{% if tag|length > 2 %}{{ tag|title }}{% endif %}"
        "{% empty %}none{% endfor %}</td></tr>{% endfor %}</table>")
    return program.digest([page.render(Context({"rows": ROWS})) for _ in range(5)])


@program.gives("9983229b6463")
def html5lib():
    """A page with errors in its markup, parsed to a tree, walked and written again."""
    import html5lib
    source = "<!doctype html><title>x</title><table>" + "".join(
        f"<tr class=r{row['id'] % 3}><td>{row['name']} &amp; <b>{row['price']}<td><ul><li>" + "<li>".join(row["tags"]) + "</ul></b>"
        for row in 2 * ROWS)
    tree = html5lib.parse(source)
    return program.digest(html5lib.serialize(tree, omit_optional_tags=False))


@program.gives("8df136158037")
def markdown():
    """Paragraphs, headings, lists and a table."""
    import markdown
    text = prose(110, "**{}**", "`{}`", "## {}") + "\n\n" + "\n".join(f"- {row['name']}\n    - [{row['tags'][0]}](x{row['id']})" for row in ROWS)
    return program.digest(markdown.markdown(text, extensions=["tables", "toc"]))


@program.gives("94c64c57e08b")
def docutils():
    """reStructuredText to HTML."""
    from docutils.core import publish_string
    text = prose(110, "**{}**", "``{}``", "{}\n" + 60 * "=") + "\n\n" + "\n".join(f"{row['name']}\n  | {row['tags'][0]}\n" for row in ROWS[:40])
    html = publish_string(text, writer="html5", settings_overrides={"report_level": 5, "embed_stylesheet": False, "_disable_config": True,
                                                                    "generator": False, "datestamp": None})
    return program.digest(html.decode().partition("<body")[2])


@program.gives("9439255f0292")
def pygments():
    """Python, C and JSON, coloured as HTML."""
    from pygments import highlight, lexers
    from pygments.formatters import HtmlFormatter
    some = list(enumerate(program.words(80)))
    texts = {"python": "".join(f"def {w}(x, y={n}):\n    '''{w}'''\n    return [x + {n} for x in y if x != \"{w}\"]  # {w}\n" for n, w in some),
             "c": "".join(f"static int {w}(const char *s) {{ /* {w} */ if (s[{n}] == '{n % 10}') return {n}; }}\n" for n, w in some),
             "json": "[" + ",\n".join(f'{{"{w}": [{n}, null, "{w}"]}}' for n, w in enumerate(program.words(150))) + "]"}
    return program.digest([highlight(text, lexers.get_lexer_by_name(name), HtmlFormatter()) for name, text in texts.items()])


@program.gives("1894f5b7f05f")
def rich():
    """A table, a tree and Markdown, drawn for a terminal of 100 columns."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.tree import Tree
    console = Console(file=io.StringIO(), width=100, color_system="truecolor", force_terminal=True, legacy_windows=False, _environ={})
    table = Table("id", "name", "tags", title="prices")
    for row in ROWS:
        table.add_row(str(row["id"]), f"[bold]{row['name']}[/]", ", ".join(row["tags"]))
    tree = Tree("all")
    for row in ROWS[:30]:
        tree.add(row["name"]).add(f"[red]{row['tags'][0]}")
    console.print(table, tree, Markdown(prose(18, "**{}**", "`{}`", "## {}")))
    return program.digest(console.file.getvalue())


@program.gives("1117a13f6c88")
def tinycss2():
    """A style sheet to tokens, rules and text again."""
    import tinycss2
    text = "".join(f".{row['name']} > a[href^='{row['tags'][0]}']:hover, #i{row['id']} {{ margin: {row['price']}px auto; color: #{row['id']:03}; "
                   f"background: url({row['name']}.png) no-repeat }} @media (min-width: {row['id']}em) {{ b {{ top: calc(1% + 2px) }} }}\n"
                   for row in 2 * ROWS)
    rules = tinycss2.parse_stylesheet(text)
    declarations = sum(len(tinycss2.parse_blocks_contents(rule.content)) for rule in rules if rule.type == "qualified-rule")
    return program.digest((declarations, tinycss2.serialize(rules)))


if __name__ == "__main__":
    program.main()
