"""Parsers, and what works on programs as text."""
import functools

import program


@functools.cache
def python_source(functions):
    parts = ["import os, sys\nfrom collections import defaultdict as dd\n\n"]
    for n, name in enumerate(program.words(functions)):
        parts.append(f'''
class C{n}(dict):
    """{name}"""
    count: int = {n}

    def {name}_{n}(self, a, *rest, key=None, **more):
        total = sum(x * {n} for x in rest if x > a)
        with open(os.devnull) as file:
            for line in file:
                if line.startswith("{name}") and not key:
                    total += len(line) ** 2
                elif key in more:
                    break
        try:
            return {{k: v for k, v in more.items()}}, [lambda y: y + a, f"{{total!r}} {name}"]
        except (KeyError, ValueError) as error:
            raise SystemExit(unknown_{n}) from error
''')
    return "".join(parts)


@program.gives((("UndefinedName", 60), ("UnusedImport", 2)))
def pyflakes():
    """Names that are used and not defined, and imports that are not used."""
    import ast
    from pyflakes.checker import Checker
    found = Checker(ast.parse(python_source(60)), "x.py").messages
    return tuple(sorted({(type(m).__name__, sum(type(m) is type(o) for o in found)) for m in found}))


@program.gives("a13aa33e9ad2")
def parso():
    """A parser of Python in Python, which keeps its text to the letter; for one grammar."""
    import parso
    source = python_source(30)
    tree = parso.load_grammar(version="3.11").parse(source)
    names = sum(len(each) for each in tree.get_used_names()._dict.values())
    return program.digest((names, tree.get_code() == source))


@program.gives("432e0dbd7720")
def ast_rewrite():
    """A tree that is transformed, written as text, compiled and walked."""
    import ast

    class Renames(ast.NodeTransformer):
        def visit_Name(self, node):
            return ast.copy_location(ast.Name(node.id + "_", node.ctx), node)

        def visit_BinOp(self, node):
            self.generic_visit(node)
            return ast.BinOp(node.right, node.op, node.left)

    tree = ast.fix_missing_locations(Renames().visit(ast.parse(python_source(50))))
    text = ast.unparse(tree)
    compile(tree, "x.py", "exec")
    return program.digest((sum(isinstance(node, ast.Name) for node in ast.walk(tree)), text.count("\n")))


@program.gives("11015b9b4ad6")
def pycparser():
    """C, parsed and written again."""
    from pycparser import c_generator, c_parser
    text = "typedef struct node { struct node *next; int value[4]; } node_t;\n" + "".join(f"""
static int {w}_{n}(const node_t *n, unsigned k) {{
    int sum = 0, i;
    for (i = 0; i < {n} && n; i++, n = n->next) {{
        if (n->value[i % 4] > (int)k) sum += n->value[i & 3] * {n} - ~k;
        else switch (k) {{ case 1: sum--; break; default: goto out; }}
    }}
out:
    return sum ? sum : -1;
}}
""" for n, w in enumerate(program.words(32)))
    return program.digest(c_generator.CGenerator().visit(c_parser.CParser().parse(text)))


GRAMMAR = r"""
start: (statement ";")*
?statement: NAME "=" sum -> assign | "print" sum -> show
?sum: product | sum "+" product -> add | sum "-" product -> sub
?product: atom | product "*" atom -> mul | product "/" atom -> div
?atom: NUMBER -> number | "-" atom -> neg | NAME -> var | "(" sum ")"
%import common.CNAME -> NAME
%import common.NUMBER
%import common.WS
%ignore WS
"""


@program.gives("b1ed112b914d")
def lark():
    """A calculator: the tables of its grammar are made, then sums are parsed and computed."""
    import lark

    class Computes(lark.Transformer):
        def __init__(self):
            super().__init__()
            self.names, self.shown = {}, []

        def number(self, parts):
            return float(parts[0])

        def var(self, parts):
            return self.names[parts[0]]

        def assign(self, parts):
            self.names[str(parts[0])] = parts[1]

        def show(self, parts):
            self.shown.append(round(parts[0], 6))

        def neg(self, parts):
            return -parts[0]

        def add(self, parts):
            return parts[0] + parts[1]

        def sub(self, parts):
            return parts[0] - parts[1]

        def mul(self, parts):
            return parts[0] * parts[1]

        def div(self, parts):
            return parts[0] / parts[1]

    text = "".join(f"{w} = ({n} + 2 * {n}) / (1 + {n}) - -3; print {w} * ({w} - {n});\n" for n, w in enumerate(program.words(150)))
    computes = Computes()
    computes.transform(lark.Lark(GRAMMAR, parser="lalr").parse(text))
    return program.digest(computes.shown)


@program.gives("953d47e63515")
def pyparsing():
    """Conditions with and, or, not and parentheses, by combined parsers."""
    import pyparsing as pp
    pp.ParserElement.enable_packrat()
    word = pp.Word(pp.alphas, pp.alphanums)
    value = pp.pyparsing_common.number | pp.QuotedString("'")
    comparison = pp.Group(word + pp.one_of("< > = !=") + value)
    condition = pp.infix_notation(comparison, [(pp.CaselessKeyword("not"), 1, pp.OpAssoc.RIGHT), (pp.CaselessKeyword("and"), 2, pp.OpAssoc.LEFT),
                                               (pp.CaselessKeyword("or"), 2, pp.OpAssoc.LEFT)])
    texts = [f"{a} < {n} and not ({b} = '{c}' or {c} != {n}.5)" for n, (a, b, c) in enumerate(zip(*[iter(program.words(120))] * 3))]
    return program.digest([condition.parse_string(text, parse_all=True).as_list() for text in texts])


@program.gives("7eb8bcf25561")
def sqlglot():
    """Queries of one dialect of SQL, parsed, written in another, and optimised."""
    import sqlglot
    from sqlglot.optimizer import optimize
    schema = {"orders": {"id": "int", "customer": "int", "total": "double"}, "customers": {"id": "int", "name": "text"}}
    out = []
    for n, name in enumerate(program.words(10)):
        text = (f"WITH big AS (SELECT customer, SUM(total) AS s FROM orders WHERE total > {n} + 1 GROUP BY customer HAVING COUNT(*) > 2) "
                f"SELECT c.name, big.s, CASE WHEN big.s > 10 THEN '{name}' ELSE NULL END AS kind, DATE_ADD('2024-01-01', INTERVAL {n} DAY) "
                f"FROM customers AS c JOIN big ON big.customer = c.id WHERE c.name LIKE '{name}%' OR NOT c.id IN (1, 2, {n}) ORDER BY 2 DESC LIMIT 5")
        out.append(sqlglot.transpile(text, read="mysql", write="duckdb", pretty=True))
        if n < 3:
            out.append(optimize(sqlglot.parse_one(text, read="mysql"), schema=schema).sql())
    return program.digest(out)


@program.gives("123fdcaceda8")
def lisp():
    """An interpreter of a small Lisp: closures, lists, recursion."""
    def read(tokens):
        token = tokens.pop(0)
        if token == "(":
            form = []
            while tokens[0] != ")":
                form.append(read(tokens))
            tokens.pop(0)
            return form
        return int(token) if token.lstrip("-").isdigit() else token

    class Space(dict):
        def __init__(self, names=(), values=(), outer=None):
            super().__init__(zip(names, values))
            self.outer = outer

        def find(self, name):
            return self if name in self else self.outer.find(name)

    def value(form, space):
        while True:
            if isinstance(form, str):
                return space.find(form)[form]
            if not isinstance(form, list):
                return form
            head, *rest = form
            if head == "if":
                form = rest[1] if value(rest[0], space) else rest[2]
            elif head == "define":
                space[rest[0]] = value(rest[1], space)
                return None
            elif head == "lambda":
                names, body = rest
                return lambda *values: value(body, Space(names, values, space))
            else:
                function, *values = [value(each, space) for each in form]
                return function(*values)

    space = Space(outer=None)
    space.update({"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "<": lambda a, b: a < b,
                  "cons": lambda a, b: (a, b), "car": lambda p: p[0], "cdr": lambda p: p[1], "nil": None, "null": lambda p: p is None})
    text = """(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))
              (define range (lambda (n) (if (< n 1) nil (cons n (range (- n 1))))))
              (define fold (lambda (f x l) (if (null l) x (fold f (f x (car l)) (cdr l)))))"""
    for source in text.split("\n"):
        value(read(source.replace("(", " ( ").replace(")", " ) ").split()), space)
    ask = ["fold", ["lambda", ["a", "b"], ["+", "a", ["*", "b", "b"]]], 0, ["range", 60]]
    return program.digest((value(["fib", 16], space), [value(ask, space) for _ in range(20)]))


if __name__ == "__main__":
    program.main()
