"""Objects of frameworks that compute what they are asked for: proxies, lazy texts, querysets,
models with columns that are not loaded, cached properties. They are passed to functions, returned,
yielded and raised; whoever looks at one by Python runs a query or a function, which is counted.
"""
import collections
import functools
import importlib.util
import sqlite3
import sys

asked = collections.Counter()


def count(name, result):
    asked[name] += 1
    return result


def take(value, *rest, **more):
    return value


def steps(value):
    got = yield value
    yield got


def pass_on(value):
    take(value)
    take(1, value, key=value)
    step = steps(value)
    next(step)
    step.send(value)
    step.close()
    try:
        raise ValueError(value)
    except ValueError:
        pass


def werkzeug_values():
    from werkzeug.datastructures import EnvironHeaders
    from werkzeug.local import Local, LocalProxy
    from werkzeug.wrappers import Request
    local = Local()
    yield LocalProxy(lambda: count("proxy", []))
    yield local("unbound")
    yield Request({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "wsgi.input": None})
    yield EnvironHeaders({"HTTP_HOST": "here"})


def django_values():
    import django
    from django.conf import settings
    settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, USE_TZ=True,
                       DEFAULT_AUTO_FIELD="django.db.models.AutoField")
    django.setup()
    from django.db import connection, models
    from django.http import HttpRequest, QueryDict
    from django.utils.functional import SimpleLazyObject, cached_property, lazy

    class Author(models.Model):
        name = models.CharField(max_length=20)

        class Meta:
            app_label = "lazy"

    class Book(models.Model):
        title = models.CharField(max_length=20)
        author = models.ForeignKey(Author, models.CASCADE)

        class Meta:
            app_label = "lazy"

        @cached_property
        def shelf(self):
            return count("cached_property", 1)

    with connection.schema_editor() as editor:
        editor.create_model(Author)
        editor.create_model(Book)
    Book.objects.create(title="a", author=Author.objects.create(name="b"))

    def run(execute, sql, parameters, many, context):
        return execute(sql, parameters, count("django query", many), context)

    book = Book.objects.only("id").get()
    connection.execute_wrapper(run).__enter__()
    yield book
    yield Book.objects.all()
    yield Book.objects.filter(author__name="b").values_list("title")
    yield Book.objects
    yield SimpleLazyObject(lambda: count("lazy object", []))
    yield lazy(lambda: count("lazy text", "text"), str)()
    yield QueryDict("a=1&a=2")
    yield HttpRequest()


def sqlalchemy_values():
    from sqlalchemy import ForeignKey, create_engine, event, select
    from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
    from sqlalchemy.pool import StaticPool

    class Base(DeclarativeBase):
        pass

    class Author(Base):
        __tablename__ = "author"
        id: Mapped[int] = mapped_column(primary_key=True)
        books: Mapped[list["Book"]] = relationship()

    class Book(Base):
        __tablename__ = "book"
        id: Mapped[int] = mapped_column(primary_key=True)
        author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
        title: Mapped[str] = mapped_column(deferred=True)

    Base.registry.update_type_annotation_map({})
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(":memory:", check_same_thread=False), poolclass=StaticPool)
    Base.metadata.create_all(engine)
    session = Session(engine)
    session.add(Author(id=1, books=[Book(id=1, title="a")]))
    session.commit()
    event.listen(engine, "before_cursor_execute", lambda *rest: count("sqlalchemy query", None))
    author = session.get(Author, 1)
    book = session.scalars(select(Book)).one()
    asked.clear()
    yield author
    yield book
    session.commit()
    yield author  # expired: each attribute would be loaded anew
    yield Book()
    yield Book.title
    yield select(Book).where(Book.title == "a")
    yield session


def attrs_values():
    import attrs

    @attrs.define(repr=lambda self: count("attrs repr", ""))
    class Point:
        x: int
        y: int = attrs.field(factory=lambda: 2)

        @functools.cached_property
        def length(self):
            return count("attrs cached_property", 1)

        @property
        def half(self):
            return count("attrs property", 1)

    yield Point(1)
    yield object.__new__(Point)


def main():
    for name in ("werkzeug", "django", "sqlalchemy", "attrs"):
        if importlib.util.find_spec(name) is None:
            continue
        values = list(globals()[name + "_values"]())
        asked.clear()
        before = [sys.getrefcount(value) for value in values]
        for value in values:
            pass_on(value)
        print(name, len(values), [sys.getrefcount(value) - b for value, b in zip(values, before)], sorted(asked.items()))


main()
