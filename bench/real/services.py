"""Servers and clients in one process, protocols, databases."""
import asyncio

import program


@program.gives("9f13c63ff070")
def http_server():
    """An HTTP server of asyncio that parses by h11, and its clients, on loopback."""
    import h11

    async def events_of(connection, reader):
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await reader.read(65536))
                continue
            yield event
            if isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
                return

    async def answer(reader, writer):
        connection = h11.Connection(h11.SERVER)
        while True:
            body, target = b"", None
            async for event in events_of(connection, reader):
                if isinstance(event, h11.Request):
                    target = event.target
                elif isinstance(event, h11.Data):
                    body += event.data
            if target is None:
                break
            text = b"%s: %d bytes" % (target, len(body))
            head = h11.Response(status_code=200, headers=[("content-length", str(len(text))), ("x-by", "bench")])
            for event in (head, h11.Data(text), h11.EndOfMessage()):
                writer.write(connection.send(event) or b"")
            await writer.drain()
            if connection.our_state is not h11.DONE:
                break
            connection.start_next_cycle()
        writer.close()

    async def ask(port, number):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        connection, got = h11.Connection(h11.CLIENT), []
        for n in range(10):
            body = b"x" * (n * 10)
            for event in (h11.Request(method="POST", target=f"/{number}/{n}", headers=[("host", "x"), ("content-length", str(len(body)))]),
                          h11.Data(body), h11.EndOfMessage()):
                writer.write(connection.send(event) or b"")
            async for event in events_of(connection, reader):
                if isinstance(event, h11.Data):
                    got.append(bytes(event.data))
            connection.start_next_cycle()
        writer.close()
        return got

    async def all_of_it():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        got = await asyncio.gather(*(ask(server.sockets[0].getsockname()[1], n) for n in range(20)))
        server.close()
        return got

    return program.digest(asyncio.run(all_of_it()))


@program.gives("ee5cd830537f")
def http2():
    """Streams of HTTP/2 between two connections in memory: headers packed by hpack."""
    import h2.config
    import h2.connection
    import h2.events
    client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
    server = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    client.initiate_connection()
    server.initiate_connection()
    seen = []
    for n, name in enumerate(program.words(140)):
        stream = client.get_next_available_stream_id()
        client.send_headers(stream, [(":method", "GET"), (":path", f"/{name}/{n}"), (":scheme", "https"), (":authority", "example.org"),
                                     ("x-name", name), ("cookie", " ".join(program.words(6, n)))], end_stream=True)
        for event in server.receive_data(client.data_to_send()):
            if isinstance(event, h2.events.RequestReceived):
                server.send_headers(event.stream_id, [(":status", "200"), ("etag", name), ("content-type", "text/plain")])
                server.send_data(event.stream_id, name.encode() * 5, end_stream=True)
        for event in client.receive_data(server.data_to_send()):
            if isinstance(event, h2.events.DataReceived):
                seen.append(event.data)
                client.acknowledge_received_data(event.flow_controlled_length, stream)
    return program.digest(seen)


@program.gives("91a1d45b6af4")
def werkzeug():
    """Rules for URLs, requests with forms and cookies, responses, by a client in memory."""
    from werkzeug.exceptions import HTTPException
    from werkzeug.routing import Map, Rule
    from werkzeug.test import Client
    from werkzeug.wrappers import Request, Response
    urls = Map([*(Rule(f"/{word}/<int:number>/<path:rest>", endpoint=word) for word in program.words(60)),
                Rule("/form", endpoint="form", methods=["POST"])])

    @Request.application
    def application(request):
        try:
            endpoint, values = urls.bind_to_environ(request.environ).match()
        except HTTPException as error:
            return error
        response = Response(f"{endpoint} {sorted(values.items())} {sorted(request.form.items())} {request.args.get('q')}")
        response.set_cookie("last", endpoint)
        return response

    client, out = Client(application), []
    for n, word in enumerate(program.words(60)):
        out.append(client.get(f"/{word}/{n}/a/b?q={word}").get_data(as_text=True))
        if n % 3 == 0:
            out.append(client.post("/form", data={"a": word, "b": str(n)}).get_data(as_text=True))
            out.append(client.get("/nowhere").status_code)
    return program.digest(out)


@program.gives(2022750)
def queues():
    """Producers and consumers of asyncio: queues, locks, events, timeouts; no sockets."""
    async def produce(queue, lock, count, done):
        for n in range(count):
            async with lock:
                await queue.put(n)
        done.set()

    async def consume(queue, got):
        while True:
            got.append(await asyncio.wait_for(queue.get(), 60))
            queue.task_done()

    async def all_of_it():
        queue, lock, got = asyncio.Queue(10), asyncio.Lock(), []
        dones = [asyncio.Event() for _ in range(5)]
        consumers = [asyncio.create_task(consume(queue, got)) for _ in range(5)]
        await asyncio.gather(*(produce(queue, lock, 900, done) for done in dones), *(done.wait() for done in dones))
        await queue.join()
        for task in consumers:
            task.cancel()
        await asyncio.gather(*consumers, return_exceptions=True)
        return sum(got)

    return asyncio.run(all_of_it())


@program.gives("37267885e7c1")
def sqlite_records():
    """A small mapper of classes to sqlite3 tables, in memory: rows, descriptors, built queries."""
    import sqlite3

    class Field:
        def __set_name__(self, owner, name):
            self.name = name
            owner.fields = [*getattr(owner, "fields", []), name]

        def __get__(self, record, owner=None):
            return self if record is None else record.values[self.name]

        def __set__(self, record, value):
            record.values[self.name] = value
            record.changed.add(self.name)

    class Record:
        def __init__(self, **values):
            self.values, self.changed = dict(values), set()

        def save(self, database):
            names = sorted(self.values)
            database.execute(f"insert or replace into {type(self).__name__} ({', '.join(names)}) values ({', '.join('?' * len(names))})",
                             [self.values[name] for name in names])

        @classmethod
        def select(cls, database, **where):
            text = f"select {', '.join(cls.fields)} from {cls.__name__}" + (" where " + " and ".join(f"{k} = ?" for k in where) if where else "")
            for row in database.execute(text, list(where.values())):
                yield cls(**dict(zip(cls.fields, row)))

    class Person(Record):
        id, name, town, age = Field(), Field(), Field(), Field()

    database = sqlite3.connect(":memory:")
    database.execute("create table Person (id integer primary key, name text, town text, age integer)")
    database.create_collation("backwards", lambda a, b: (a < b) - (a > b))
    for n, name in enumerate(program.words(6000)):
        Person(id=n, name=name, town=program.words(20)[n % 20], age=n % 90).save(database)
    for person in Person.select(database, age=30):
        person.age += 1
        person.save(database)
    found = [(p.name, p.age) for town in program.words(20) for p in Person.select(database, town=town)]
    rows = database.execute("select name from Person order by name collate backwards limit 50").fetchall()
    database.close()
    return program.digest((found, rows))


if __name__ == "__main__":
    program.main()
