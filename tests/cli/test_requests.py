"""Requests of servers, found by their frames: `report --requests`, `replay --request`, `calls
--request`."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
WSGI = '''\
import threading
import time
import urllib.error
import urllib.request
from wsgiref.simple_server import WSGIRequestHandler, make_server


class Handler(WSGIRequestHandler):
    def log_message(self, *words):
        pass


def price(number):
    if number == 13:
        raise LookupError(number)
    return number * 2


def application(environ, start_response):
    path = environ["PATH_INFO"]
    if path.startswith("/orders/"):
        try:
            body = str(price(int(path.split("/")[2])))
        except LookupError:
            start_response("404 Not Found", [])
            return [b"none"]
    elif path == "/slow":
        time.sleep(0.2)
        body = "slow"
    else:
        raise RuntimeError(path)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [body.encode()]


server = make_server("127.0.0.1", 0, application, handler_class=Handler)
thread = threading.Thread(target=server.serve_forever)
thread.start()
for path in ("/orders/1", "/orders/2", "/slow", "/orders/13", "/orders/4", "/broken"):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{path}").read()
    except urllib.error.HTTPError:
        pass
server.shutdown()
thread.join()
'''
ASGI = '''\
import asyncio


async def price(number):
    await asyncio.sleep(0.01 * number)
    return number * 2


async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    await receive()
    number = await price(int(scope["path"].split("/")[2]))
    if number == 6:
        raise LookupError(number)
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": str(number)})


async def middleware(scope, receive, send):
    await application(scope, receive, send)


async def serve(path):
    async def receive():
        return {"type": "http.request"}

    async def send(message):
        pass
    try:
        await middleware({"type": "http", "method": "GET", "path": path}, receive, send)
    except LookupError:
        pass


async def main():
    await middleware({"type": "lifespan"}, None, None)
    await asyncio.gather(*(serve(f"/orders/{n}") for n in range(1, 5)))

asyncio.run(main())
'''
FRAMEWORK = '''\
class Response:
    def __call__(self, environ, start_response):
        return []

def application(environ, start_response):
    return Response()(environ, start_response)
'''
# What celery and rq have at these places, as far as frames go.
TRACE = '''\
def build_tracer(name, task):
    def trace_task(uuid, args, kwargs, request=None):
        return task(*args, **kwargs)
    return trace_task
'''
JOB = '''\
class Job:
    def __init__(self, function, args):
        self.function, self.args = function, args

    def perform(self):
        return self._execute()

    def _execute(self):
        return self.function(*self.args)
'''
TASKS = '''\
from celery.app.trace import build_tracer
from rq.job import Job


def send_mail(to):
    return len(to)


def resize(width):
    return width / 0


build_tracer("send_mail", send_mail)("1", ("ada",), {})
build_tracer("send_mail", send_mail)("2", ("grace",), {})
try:
    Job(resize, (3,)).perform()
except ZeroDivisionError:
    pass
'''


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="requests-")
        self.addCleanup(shutil.rmtree, self.dir)

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def record(self, program, *words):
        out = os.path.join(self.dir, "recording")
        script = self.write("server.py", program)
        done = subprocess.run([session.PATHLINE, "record", "-q", "-o", out, *words, session.PYTHON, script], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def found(self, recording):
        """Routes, and requests by their numbers."""
        rows = [json.loads(line) for line in session.pathline("report", "--requests", "--json", recording).stdout.splitlines()]
        routes = {row["data"]["route"]: row["data"] for row in rows if row["type"] == "route"}
        requests = sorted((row["data"] for row in rows if row["type"] == "request"), key=lambda data: data["number"])
        self.assertEqual([data["number"] for data in requests], list(range(1, len(requests) + 1)))
        return routes, requests


class Servers(Case):
    def test_wsgi(self):
        out = self.record(WSGI)
        routes, requests = self.found(out)
        self.assertEqual({name: data["count"] for name, data in routes.items()}, {"GET /orders/:n": 4, "GET /slow": 1, "GET /broken": 1})
        self.assertEqual([data["target"] for data in requests], ["/orders/1", "/orders/2", "/slow", "/orders/13", "/orders/4", "/broken"])
        self.assertEqual([data["error"] for data in requests], [None] * 5 + ["RuntimeError"])
        self.assertEqual([data["exceptions"] for data in requests], [0, 0, 0, 1, 0, 1])
        self.assertGreaterEqual(requests[2]["duration_ns"], 0.19e9)
        self.assertEqual(routes["GET /broken"]["errors"], 1)
        if requests[2]["waiting_ns"] is not None:   # where the system lets threads be looked at
            self.assertGreater(requests[2]["waiting_ns"], 0.1e9)

    def test_without_values(self):
        out = self.record(WSGI, "--values", "none")
        routes, requests = self.found(out)
        self.assertEqual({name: data["count"] for name, data in routes.items()}, {"application": 6})
        self.assertEqual(routes["application"]["slowest"], 3)
        # a request without a stamp in it took some time all the same
        self.assertTrue(all(data["duration_ns"] or data["error_ns"] for data in requests), requests)
        self.assertEqual({data["kind"] for data in requests}, {"wsgi"})
        text = session.pathline("report", "--requests", out).stdout.decode()
        self.assertIn("the paths of some requests were not recorded", text)

    def test_an_installed_application_without_values(self):
        """The outermost one is named, not an object that answers within it."""
        self.write("site-packages/framework.py", FRAMEWORK)
        routes, _ = self.found(self.record("import sys\nsys.path.insert(0, sys.path[0] + '/site-packages')\n"
                                           "import framework\nframework.application({}, print)\n", "--values", "none"))
        self.assertEqual({name: data["count"] for name, data in routes.items()}, {"application": 1})

    def test_asgi(self):
        out = self.record(ASGI)
        routes, requests = self.found(out)
        self.assertEqual({name: data["count"] for name, data in routes.items()}, {"GET /orders/:n": 4})
        self.assertEqual([data["target"] for data in requests], [f"/orders/{n}" for n in range(1, 5)])
        self.assertEqual([data["error"] for data in requests], [None, None, "LookupError", None])
        self.assertEqual([data["exceptions"] for data in requests], [0, 0, 1, 0])
        for number, data in enumerate(requests, 1):
            self.assertGreaterEqual(data["duration_ns"], number * 9e6)
            self.assertLessEqual(data["waiting_ns"], data["duration_ns"])
        self.assertGreaterEqual(requests[3]["waiting_ns"], 30e6)

    def test_tasks(self):
        for name, text in (("celery/app/trace.py", TRACE), ("rq/job.py", JOB)):
            self.write(name, text)
        for name in ("celery/__init__.py", "celery/app/__init__.py", "rq/__init__.py"):
            self.write(name, "")
        routes, requests = self.found(self.record(TASKS))
        self.assertEqual([(data["kind"], data["route"], data["error"]) for data in requests],
                         [("celery", "send_mail", None), ("celery", "send_mail", None), ("rq", "resize", "ZeroDivisionError")])
        self.assertEqual(routes["send_mail"]["count"], 2)

    def test_there_are_none(self):
        out = self.record("print()\n")
        done = subprocess.run([session.PATHLINE, "report", "--requests", out], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "")
        self.assertIn("no request was found", done.stderr)


class Readers(Case):
    def test_text_and_csv(self):
        out = self.record(ASGI)
        text = session.pathline("report", "--requests", out).stdout.decode()
        self.assertRegex(text, r"requests +total +error +avg +max .* route\n +4 .* GET /orders/:n\n")
        self.assertRegex(text, r"request +began +took +error .* route\n +\d ")
        self.assertRegex(text, r"pathline replay --request N \S+ goes to one")
        self.assertNotIn("were not recorded", text)
        rows = list(csv.DictReader(io.StringIO(session.pathline("report", "--requests", "--csv", "--sort", "avg", out).stdout.decode())))
        self.assertEqual([(row["count"], row["route"]) for row in rows], [("4", "GET /orders/:n")])

    def test_go_to_one(self):
        out = self.record(ASGI)
        _, requests = self.found(out)
        row = session.pathline("replay", "--request", "3", "--plain", out).stdout.decode().split("\t")
        self.assertEqual((int(row[2]), row[5]), (requests[2]["seq"], "call"))
        self.assertIn("middleware", row)
        calls = session.pathline("calls", "--request", "3", out).stdout.decode()
        self.assertIn("'path': '/orders/3'", calls)
        self.assertNotIn("'path': '/orders/2'", calls)
        self.assertIn("price(number=3)", calls)

    def test_refused(self):
        out = self.record(ASGI)
        for words, what in ((("replay", "--plain", "--request", "5"), "there is no request 5; the recording has 4"),
                            (("calls", "--request", "x"), "'x' is not the number of a request"),
                            (("calls", "--request", "1", "--thread", "0"), "--request says which calls"),
                            (("report", "--requests", "--functions"), "two views"),
                            (("report", "--requests", "--sort", "calls"), "unknown column")):
            done = subprocess.run([session.PATHLINE, *words, out], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(what, done.stderr)


if __name__ == "__main__":
    unittest.main()
