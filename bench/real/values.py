"""Classes, numbers, sorting, trees, exceptions, text."""
import program


@program.gives("d43a4bfcf9e8")
def attrs():
    """Classes of attrs, with validators and converters; evolved, compared, written as dicts."""
    import attr

    @attr.s(auto_attribs=True, order=True)
    class Point:
        x: int = attr.ib(converter=int, validator=attr.validators.instance_of(int))
        y: int = attr.ib(default=0, validator=[attr.validators.ge(0), attr.validators.lt(1000)])
        tags: list = attr.ib(factory=list)

    @attr.frozen
    class Line:
        a: Point
        b: Point
        name: str = attr.field(default="", kw_only=True)

    lines = [Line(Point(str(n), n % 7), Point(n * 3 % 11, n % 5, [name]), name=name) for n, name in enumerate(program.words(1800))]
    lines = [attr.evolve(line, name=line.name.upper()) for line in lines]
    lines.sort(key=lambda line: (line.b, line.name))
    return program.digest([attr.asdict(line) for line in lines])


@program.gives("3fbe855c1311")
def dataclasses():
    """Data classes, with slots or frozen; made, replaced, sorted, hashed, written as dicts."""
    import dataclasses

    @dataclasses.dataclass(order=True, frozen=True)
    class Key:
        town: str
        number: int = 0

    @dataclasses.dataclass(slots=True)
    class Row:
        key: Key
        values: list = dataclasses.field(default_factory=list)
        total: int = dataclasses.field(init=False, compare=False)

        def __post_init__(self):
            self.total = sum(self.values)

    rows = [Row(Key(name[:3], n % 50), [n, n + 1, n % 9]) for n, name in enumerate(program.words(9000))]
    by_key = {}
    for row in rows:
        by_key.setdefault(row.key, []).append(dataclasses.replace(row, values=row.values[::-1]))
    order = sorted(by_key)
    return program.digest((order[:20], [dataclasses.asdict(row) for key in order[:300] for row in by_key[key]]))


@program.gives("afa26af06840")
def fractions():
    """Series and a matrix of exact fractions."""
    from fractions import Fraction
    total = sum((Fraction(1, n * n + 1) for n in range(1, 700)), Fraction())
    size = 22
    rows = [[Fraction(1, i + j + 1) for j in range(size)] + [Fraction(i == j) for j in range(size)] for i in range(size)]
    for i in range(size):
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(size):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i])]
    return program.digest((total, [row[size:] for row in rows]))


@program.gives("6b762ce7680b")
def decimal_in_python():
    """decimal's module in Python: interest, roots, logarithms."""
    import _pydecimal as decimal
    with decimal.localcontext() as context:
        context.prec = 28
        balance, out = decimal.Decimal("1000.00"), []
        for n in range(2500):
            balance = (balance * decimal.Decimal("1.0137") - n).quantize(decimal.Decimal("0.01"), rounding=decimal.ROUND_HALF_EVEN)
            out.append(str(balance))
        out += [decimal.Decimal(n).sqrt() + decimal.Decimal(n).ln() for n in range(2, 60)]
    return program.digest(out)


@program.gives(True)
def sorting():
    """Sorts by hand: merging, partitions, a heap, insertion, by digits."""
    draw = program.numbers(2)
    numbers = [draw(100000) for _ in range(11000)]

    def merged(items):
        if len(items) < 2:
            return items
        a, b, out = merged(items[:len(items) // 2]), merged(items[len(items) // 2:]), []
        i = j = 0
        while i < len(a) and j < len(b):
            if a[i] <= b[j]:
                out.append(a[i])
                i += 1
            else:
                out.append(b[j])
                j += 1
        return out + a[i:] + b[j:]

    def parted(items, low, high):
        while low < high:
            pivot, i, j = items[(low + high) // 2], low, high
            while i <= j:
                while items[i] < pivot:
                    i += 1
                while items[j] > pivot:
                    j -= 1
                if i <= j:
                    items[i], items[j] = items[j], items[i]
                    i, j = i + 1, j - 1
            parted(items, low, j)
            low = i
        return items

    def heaped(items):
        def sift(at, end):
            while (child := 2 * at + 1) < end:
                if child + 1 < end and items[child] < items[child + 1]:
                    child += 1
                if items[at] >= items[child]:
                    return
                items[at], items[child] = items[child], items[at]
                at = child
        for at in reversed(range(len(items) // 2)):
            sift(at, len(items))
        for end in reversed(range(1, len(items))):
            items[0], items[end] = items[end], items[0]
            sift(0, end)
        return items

    def inserted(items):
        for i in range(1, len(items)):
            item, j = items[i], i
            while j and items[j - 1] > item:
                items[j] = items[j - 1]
                j -= 1
            items[j] = item
        return items

    def by_digits(items):
        for shift in range(0, 20, 5):
            buckets = [[] for _ in range(32)]
            for item in items:
                buckets[item >> shift & 31].append(item)
            items = [item for bucket in buckets for item in bucket]
        return items

    right = sorted(numbers)
    return (merged(numbers) == right and parted(numbers[:], 0, len(numbers) - 1) == right and heaped(numbers[:]) == right and
            by_digits(numbers) == right and inserted(numbers[:300]) == sorted(numbers[:300]))


@program.gives("a7a78475a7bb")
def trees():
    """Balanced trees of objects: insertion, rotations, walks by generators, removal, visitors."""
    class Node:
        __slots__ = ("key", "left", "right", "height")

        def __init__(self, key):
            self.key, self.left, self.right, self.height = key, None, None, 1

        def __iter__(self):
            if self.left:
                yield from self.left
            yield self.key
            if self.right:
                yield from self.right

    def height(node):
        return node.height if node else 0

    def update(node):
        node.height = 1 + max(height(node.left), height(node.right))
        return node

    def turn_right(node):
        new = node.left
        node.left, new.right = new.right, node
        update(node)
        return update(new)

    def turn_left(node):
        new = node.right
        node.right, new.left = new.left, node
        update(node)
        return update(new)

    def balanced(node):
        update(node)
        if height(node.left) - height(node.right) > 1:
            if height(node.left.left) < height(node.left.right):
                node.left = turn_left(node.left)
            return turn_right(node)
        if height(node.right) - height(node.left) > 1:
            if height(node.right.right) < height(node.right.left):
                node.right = turn_right(node.right)
            return turn_left(node)
        return node

    def insert(node, key):
        if node is None:
            return Node(key)
        if key < node.key:
            node.left = insert(node.left, key)
        elif key > node.key:
            node.right = insert(node.right, key)
        return balanced(node)

    def visit(node, on_key):
        if node:
            visit(node.left, on_key)
            on_key(node.key, node.height)
            visit(node.right, on_key)

    root, draw, heights = None, program.numbers(6), {}
    for _ in range(10000):
        root = insert(root, draw(100000))
    visit(root, lambda key, high: heights.setdefault(high, []).append(key))
    return program.digest((root.height, sum(root), {high: len(keys) for high, keys in sorted(heights.items())}))


@program.gives((3750, 22367, 7500, 15000))
def exceptions():
    """Values of unknown kinds, told apart by what fails; its own errors, cleaned up on the way."""
    class Bad(Exception):
        def __init__(self, text, at):
            super().__init__(text)
            self.at = at

    class Worse(Bad):
        pass

    class Open:
        count = 0

        def __enter__(self):
            Open.count += 1
            return self

        def __exit__(self, kind, error, traceback):
            Open.count -= 1
            return isinstance(error, KeyError)

    def number(text):
        try:
            return int(text)
        except ValueError:
            try:
                return float(text)
            except ValueError as error:
                raise Bad(text, len(text)) from error

    def checked(text, depth):
        if depth:
            with Open():
                try:
                    return checked(text, depth - 1)
                finally:
                    counts[3] += 1
        if text.endswith("x"):
            raise Worse(text, 0)
        return number(text)

    counts = [0, 0, 0, 0]
    for n, word in enumerate(program.words(15000)):
        text = (word, str(n), f"{n}.5", f"{word}x")[n % 4]
        try:
            checked(text, n % 3)
        except Worse:
            counts[0] += 1
        except Bad as error:
            counts[1] += error.at
        else:
            counts[2] += 1
    return tuple(counts)


@program.gives((600, 120, 120))
def unittest():
    """A suite of small tests, some of which fail, run by unittest."""
    import io
    import unittest

    class Some(unittest.TestCase):
        def setUp(self):
            self.numbers = list(range(20))

    def method(n):
        def test(self):
            self.assertEqual(sum(self.numbers), 190)
            self.assertIn(n % 20, self.numbers)
            with self.subTest(n=n):
                self.assertDictEqual({"n": n, "m": [n]}, {"n": n, "m": [n]})
            with self.assertRaisesRegex(ValueError, "invalid"):
                int("x")
            if n % 5 == 0:
                self.assertTrue(n < 0)
            if n % 5 == 1:                              # failures and skips are unittest's work too
                self.skipTest("a fifth of the tests that this benchmark makes")
        return test

    for n in range(600):
        setattr(Some, f"test_{n}", method(n))
    result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Some))
    return result.testsRun, len(result.failures), len(result.skipped)


@program.gives("a9bbb8466a0e")
def difflib():
    """Texts compared line by line and letter by letter, and the nearest of many words."""
    import difflib
    before = [" ".join(program.words(8, n)) for n in range(420)]
    after = [line.replace("ba", "fo") for line in before[:100]] + before[120:] + before[:5]
    close = [difflib.get_close_matches(word, program.words(900, 2), n=2, cutoff=.5) for word in program.words(20)]
    return program.digest((list(difflib.unified_diff(before, after, "a", "b")), list(difflib.ndiff(before[:10], after[:10])), close))


@program.gives("c05cda1edd3f")
def wrapping():
    """Text that is counted, wrapped, indented, searched, and put into columns."""
    import collections
    import re
    import textwrap
    words = program.words(16000)
    text = " ".join(words)
    counts = collections.Counter(words)
    lines = textwrap.wrap(text, 72)
    columns = [f"{word:<16}{count:>6}" for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:200]]
    swapped = re.sub(r"\b(\w+) (qui\w*)\b", lambda m: f"{m[2]} {m[1].title()}", text)
    centred = [line.strip().center(80).translate({97: "A", 98: None}) for line in lines]
    index = collections.defaultdict(set)
    for n, line in enumerate(lines):
        for word in line.split():
            index[word].add(n)
    return program.digest((textwrap.indent("\n".join(lines), "> "), columns, swapped, centred, sorted((w, sorted(ns)) for w, ns in index.items())))


if __name__ == "__main__":
    program.main()
