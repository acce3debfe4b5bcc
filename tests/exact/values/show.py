"""A value in the words of `pathline dump`, by the rules of doc/FORMAT.md (Values), in Python.

What a value takes as it is stored is counted too, because a value that is too long is cut: `put`
gives (bytes, text), or None where there is no room for it. `above` are the containers in which a
value is, as pairs of id and the text of one within itself.
"""
import collections
import gc
import re
import types

limits = {"depth": 3, "items": 10, "attributes": 20, "chars": 200, "bytes": 256, "event": 1024}
TYPE_NAME = 119
VARINT = 10                     # a text is only begun where its length has room, however long
LONG_BITS = 432
CUT = "…"
UNBOUND = object()
MARK = "<redacted>"
SECRET = re.compile(r"(?<=Bearer )\w{8,}")            # of what is one by itself, as much as kinds.py has


def set_limits(text):
    """As --values-limit has them."""
    for word, number in (pair.split("=") for pair in text.split(",") if pair):
        limits[word] = int(number.replace("K", "")) * (1024 if "K" in number else 1)


def varint(number):
    return max(1, (number.bit_length() + 6) // 7)


def id_bytes(value):
    return varint(id(value) >> 3)


def string(length):
    return varint(length) + length


def has_room(text, room):
    """Names are written only where their length has room, however long it may be."""
    return room >= len(utf8(text)) + VARINT


def utf8(text):
    return text.encode("utf-8", "surrogatepass")


def plain(text):
    """A name as it is written."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def type_name(kind):
    module = type.__getattribute__(kind, "__module__")
    name = type.__dict__["__qualname__"].__get__(kind)
    if module not in ("builtins", "__main__"):
        name = module + "." + name
    return utf8(name)[:TYPE_NAME].decode("utf-8", "ignore")


def missing(count, word):
    return "%s+%d %s%s" % (CUT, count, word, "" if count == 1 else "s") if count else ""


class Shown:
    """One value that is shown: which objects it has already."""

    def __init__(self):
        self.seen = []

    def has(self, value):
        if any(value is o for o in self.seen):
            return True
        self.seen.append(value)
        return False


def put(s, value, room, depth, above):
    seen = len(s.seen)
    done = put_value(s, value, room, depth, above)
    if not done or done[0] > room:
        del s.seen[seen:]
        return None
    return done


# ---- without members ----

def put_int(value, room):
    bits = value.bit_length()
    if bits <= 60:
        return 1 + varint(value * 2 if value >= 0 else -value * 2 - 1), str(int(value))
    kept, head = (bits + 7) // 8 if bits <= LONG_BITS else 0, 1 + varint(bits << 1)
    if room - head < kept + VARINT:
        return None
    return head + string(kept), int.__repr__(value) if kept else "<int of %d bits>" % bits


def that_fit(text, room):
    """The first characters of a text that have room, and their bytes."""
    room -= VARINT
    text, used = text[:limits["chars"]], 0
    for n, character in enumerate(text):
        used += len(utf8(character))
        if used > room:
            return text[:n], used - len(utf8(character))
    return text, used


def with_marks(text, room):
    """What is kept of a text with secrets, all ASCII, and its length with marks in their place."""
    kept, at, length, shown = "", 0, len(text), min(len(text), room)
    for found in SECRET.finditer(text, 0):
        if found.start() >= shown:
            break
        kept += text[at:found.start()]
        if len(kept) + len(MARK) > room:
            return kept[:room], length
        kept, at, length = kept + MARK, found.end(), length + len(MARK) - len(found[0])
    return (kept + text[at:max(at, shown)])[:room], length


def put_str(value, room):
    value = str.__str__(value)
    length, head = len(value), 1 + varint(len(value))
    if room - head <= VARINT:
        return None
    if SECRET.search(value):
        kept, length = with_marks(value, min(room - head - VARINT, limits["chars"] if length > limits["chars"] else room))
        head, used = 1 + varint(length), len(kept)
    else:
        kept, used = that_fit(value, room - head)
    return head + string(used), repr(kept) + missing(length - len(kept), "char")


def put_bytes(data, length, room, head=1):
    if SECRET.search(data.decode("latin-1")):
        kept, length = with_marks(data.decode("latin-1"), limits["chars"] if length > limits["chars"] else length * len(MARK))
        return put_kept_bytes(kept.encode("latin-1"), length, room, head)
    return put_kept_bytes(data[:limits["chars"]], length, room, head)


def put_kept_bytes(data, length, room, head):
    head += varint(length)
    if room - head <= VARINT:
        return None
    kept = data[:room - head - VARINT]
    return head + string(len(kept)), repr(kept) + missing(length - len(kept), "byte")


def put_memoryview(value, room):
    head = 1 + id_bytes(value)
    try:
        owner, size, whole = value.obj, value.nbytes, value.c_contiguous
    except ValueError:                                  # it is released
        owner, size = None, 0
    if type(owner) in (bytes, bytearray) and whole:
        return put_bytes(value.tobytes(), size, room, head)
    head += varint(size)
    return (head + 1, "b''" + missing(size, "byte")) if has_room("", room - head) else None


def put_named(value, word, name, room):
    head = 1 + id_bytes(value)
    function = value.__func__ if word == "method" else value
    if word == "class" or type(function) is types.BuiltinFunctionType or name == "?":
        if not has_room(name, room - head):             # such a name comes whole or not at all
            return None
    elif room - head <= VARINT:
        return None
    else:
        name = that_fit(name, room - head)[0]
    text = "<class '%s'>" if word == "class" else "<" + word + " %s>"
    return head + string(len(utf8(name))), text % plain(name)


def function_name(value):
    if type(value) is types.FunctionType:
        return value.__qualname__
    return value.__name__ if type(value) is types.BuiltinFunctionType else "?"


# ---- with members ----

def put_members(s, members, most, room, depth, above):
    """(bytes, texts): those that fit. A member is (name, key, value), without a key UNBOUND."""
    used, texts = 0, []
    if depth > limits["depth"]:
        return 0, texts
    for name, key, value in members[:most]:
        seen, before, text = len(s.seen), used, ""
        if name is not None:
            if not has_room(name, room - used):
                return used, texts
            text, used = name + "=", used + string(len(utf8(name)))
        part = key is UNBOUND or put(s, key, room - used, depth, above)
        if part and key is not UNBOUND:
            text, used = part[1] + ": ", used + part[0]
        part = part and put(s, value, room - used, depth, above)
        if not part:
            del s.seen[seen:]
            return before, texts
        texts.append(text + part[1])
        used += part[0]
    return used, texts


def put_container(s, value, kind, members, room, depth, above):
    """kind: (text before, after, between, the text of one within itself, what is missing)"""
    before, after, between, own, word = kind
    length = len(members)
    # a __dict__ can have other names, and an empty one
    members = [m for m in members if m[0] is None or isinstance(m[0], str) and m[0]]
    if length and s.has(value):
        return put_seen(value, above)
    head = 1 + id_bytes(value) + varint(length)
    if head >= room:
        return None
    most = limits["attributes"] if word == "attribute" else limits["items"]
    used, texts = put_members(s, members, most, room - head - 1, depth + 1, [*above, (id(value), own)])
    left_out = length - len(texts)
    if left_out:
        texts.append(missing(left_out, word))
    comma = "," if length == 1 and not left_out else ""
    return head + used + 1, before + between.join(texts) + after.replace("~", comma)


def put_seen(value, above):
    text = next((own for address, own in reversed(above) if address == id(value)), "<seen>")
    return 1 + id_bytes(value), text


def slots_of(value):
    """Slots of the classes from the base on, as names and values."""
    bases, kind = [], type(value)
    while kind:
        bases.insert(0, kind)
        kind = kind.__base__
    for kind in bases:
        for name, slot in type.__dict__["__dict__"].__get__(kind).items():
            # types in C have members too, of other kinds
            if type(slot) is types.MemberDescriptorType and "__slots__" in kind.__dict__ and has_slot(slot, value, kind):
                yield name, UNBOUND, slot.__get__(value, kind)


def has_slot(slot, value, kind):
    try:
        slot.__get__(value, kind)
        return True
    except AttributeError:
        return False


def attributes_of(value):
    members = list(slots_of(value))
    names = getattr(value, "__dict__", {})
    return members + [(name, UNBOUND, part) for name, part in names.items()]


def put_exception(s, value, room, depth, above):
    if s.has(value):
        return put_seen(value, above)
    head = 1 + id_bytes(value)
    for other in (value.__cause__, value.__context__):
        name = type_name(type(other)) if other is not None else ""
        if not has_room(name, room - head):
            return None
        head += string(len(utf8(name)))
    args = put(s, BaseException.args.__get__(value), room - head, depth, [*above, (id(value), "<seen>")])
    if not args:
        return None
    text = args[1]
    if text.startswith("("):
        text = text[1:-2] + ")" if text.endswith(",)") else text[1:]
    else:
        text += ")"
    return head + args[0], type_name(type(value)) + "(" + text


def put_three(s, value, word, room, depth, above):
    used, texts = 1, []
    for part in (value.start, value.stop, value.step):
        done = put_cut(part, room - used) if type(part) is slice else put(s, part, room - used, depth, above)
        if not done:
            return None
        used += done[0]
        texts.append(done[1])
    if word == "range" and texts[2] == "1":
        texts.pop()
    return used, word + "(" + ", ".join(texts) + ")"


def fields_of(kind, value):
    """Of a class with _fields that are strs and as many as there are items; else None."""
    fields = next((c.__dict__["_fields"] for c in kind.__mro__ if "_fields" in c.__dict__), None)
    if type(fields) is not tuple or any(type(f) is not str or not f for f in fields) or len(fields) != tuple.__len__(value):
        return None
    return fields


# ---- a value ----

CONTAINERS = {list: ("[", "]", ", ", "[...]", "item"), tuple: ("(", "~)", ", ", "(...)", "item"), set: ("{", "}", ", ", "{...}", "item"),
              frozenset: ("{", "}", ", ", "{...}", "item"), dict: ("{", "}", ", ", "{...}", "item"),
              collections.deque: ("[", "]", ", ", "[...]", "item")}


def members_of(value, base):
    if base is dict:
        ordered = isinstance(value, collections.OrderedDict)
        return [(None, key, part) for key, part in (collections.OrderedDict if ordered else dict).items(value)]
    return [(None, UNBOUND, part) for part in base.__iter__(value)]


def put_base(s, value, kind, base, room, depth, above):
    """A container of a builtin type or of a subclass of it."""
    members = members_of(value, base)
    form = CONTAINERS[base]
    if not members and base in (set, frozenset):
        form = ("", "", "", "", "")
    if base is tuple and fields_of(kind, value) is not None:
        form = ("", "", ", ", "<seen>", "item")
        members = [(name, UNBOUND, part) for name, (_, _, part) in zip(fields_of(kind, value), members)]
    done = put_container(s, value, form, members, room, depth, above)
    if not done or members and done[1] in ("<seen>", form[3]):
        return done
    word = type_name(kind) if kind is not base else "set" if base is set and not members else base.__name__ if base in (frozenset, collections.deque) else ""
    return done[0], word + "(" + done[1] + ")" if word else done[1]


def put_value(s, value, room, depth, above):
    if value is UNBOUND:
        return 1, "<unset>"
    if value is None or value is True or value is False:
        return 1, repr(value)
    kind = type(value)
    name = type_name(kind)
    head = 1 + string(len(utf8(name)))
    base = next((base for base in (*SCALARS, *CONTAINERS) if issubclass(kind, base)), None)
    if kind is not base and kind not in NAMED and kind not in (range, slice) and not issubclass(kind, type) and not has_room(name, room - 1):
        return None
    for base, function in SCALARS.items():
        if issubclass(kind, base):
            exact = kind is base
            done = function(value, room if exact else room - head)
            if not done:
                return None
            word = name if not exact else base.__name__ if base in (bytearray, memoryview) else ""
            return done[0] + (0 if exact else head), word + "(" + done[1] + ")" if word else done[1]
    for base in CONTAINERS:
        if issubclass(kind, base):
            exact = kind is base
            done = put_base(s, value, kind, base, room if exact else room - head, depth, above)
            return done and (done[0] + (0 if exact else head), done[1])
    return put_other(s, value, room, depth, above)


def put_other(s, value, room, depth, above):
    kind = type(value)
    if kind in NAMED:
        word, name = NAMED[kind]
        return put_named(value, word, name(value), room)
    if issubclass(kind, type):
        return put_named(value, "class", type_name(value), room)
    if kind in (range, slice):
        return put_three(s, value, kind.__name__, room, depth, above)
    head = 1 + string(len(utf8(type_name(kind))))
    if issubclass(kind, BaseException):
        done = put_exception(s, value, room - head, depth, above)
    else:
        word = plain(type_name(kind))
        members = attributes_of(value)
        done = put_container(s, value, ("<" + word + " " * bool(members), ">", " ", "<seen>", "attribute"), members, room - head, depth, above)
    return done and (head + done[0], done[1])


SCALARS = {
    int: put_int,
    float: lambda value, room: (9, float.__repr__(value)),
    complex: lambda value, room: (17, complex.__repr__(value)),
    str: put_str,
    bytes: lambda value, room: put_bytes(bytes.__getitem__(value, slice(None)), bytes.__len__(value), room),
    bytearray: lambda value, room: put_bytes(bytes(value), bytearray.__len__(value), room, 1 + id_bytes(value)),
    memoryview: put_memoryview,
}
NAMED = {
    types.FunctionType: ("function", function_name),
    types.BuiltinFunctionType: ("function", function_name),
    types.MethodType: ("method", lambda m: function_name(m.__func__)),
    types.ModuleType: ("module", lambda m: m.__name__),
}


def put_cut(value, room):
    if value is UNBOUND:
        return (1, "<unset>") if room else None
    name = type_name(type(value)) if value is not None else ""
    head = 1 + id_bytes(value)
    return (head + string(len(utf8(name))), "<%s %s>" % (plain(name), CUT) if name else "<%s>" % CUT) if has_room(name, room - head) else None


def values(of):
    """The texts of an event's values, as many as it has room for."""
    room, texts = limits["event"] - 1, []               # a byte for the flags
    for value in of:
        most = min(room, limits["bytes"])
        done = put(Shown(), value, most, 0, []) or put_cut(value, room)
        if not done:
            break
        room -= done[0]
        texts.append(done[1])
    return texts


def unwrapped(value):
    """What an asynchronous generator yields is in an object of its own."""
    if type(value).__name__ != "async_generator_wrapped_value":
        return value
    return gc.get_referents(value)[0]
