"""pathline pack: a recording as one file, which is read as the recording is; without values and texts."""
import glob
import json
import os
import shutil
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import pathline  # noqa: E402

INTERPRETERS = "two"
SECRET = "anvil-of-steel"
PROGRAM = f"""\
import threading

class Order:
    def __init__(self, item):
        self.item = item

def price(order, count=2):
    left = count
    while left:
        left -= 1
    return f'{{order.item}} costs {{count}}'

def fail(order):
    raise ValueError(order.item)

thread = threading.Thread(target=lambda: price(Order('{SECRET}'), 50))
thread.start()
thread.join()
print(price(Order('{SECRET[:5]}' + '{SECRET[5:]}')))
fail(Order('{SECRET}'[::-1]))
"""


class Pack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = session.scratch()
        with open(os.path.join(cls.folder, "program.py"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        done = pathline("record", "-q", "-o", "recording", "--only-mine", "--values", "lines", session.PYTHON, "program.py", cwd=cls.folder)
        assert done.returncode == 1, done.stderr

    def run_it(self, *words, code=0, **more):
        done = pathline(*words, cwd=self.folder, **more)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def pack(self, *options, name="one.pathline", recording="recording", code=0):
        path = os.path.join(self.folder, name)
        if os.path.exists(path):
            os.remove(path)
        self.run_it("pack", "-o", name, *options, recording, code=code)
        return path

    def test_reads_as_the_recording(self):
        self.pack()
        for words in (("dump", "--json"), ("calls", "--all"), ("report",), ("why",), ("query", "SELECT count(*) FROM event"),
                      ("history", "left"), ("check",), ("report", "--functions", "--json")):
            with self.subTest(words):
                whole, packed = (self.run_it(*words, place) for place in ("recording", "./one.pathline"))
                self.assertTrue(whole.stdout)
                self.assertEqual(packed.stdout.replace(b"./one.pathline", b"recording"), whole.stdout)

    def test_is_private_and_not_replaced(self):
        path = self.pack()
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        again = self.run_it("pack", "-o", "one.pathline", "recording", code=2)
        self.assertIn(b"it exists; --force replaces it", again.stderr)
        self.run_it("pack", "-o", "one.pathline", "--force", "recording")
        self.assertEqual(glob.glob(os.path.join(self.folder, "*.part")), [])

    def test_default_name(self):
        said = self.run_it("pack", "recording").stderr
        self.assertEqual(said, b"pathline: pack: written to recording.pathline\n")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "recording.pathline")))

    def test_to_stdout(self):
        path = self.pack()
        with open(path, "rb") as f:
            self.assertEqual(self.run_it("pack", "-o", "-", "recording").stdout, f.read())

    def test_a_pack_is_packed(self):
        with open(self.pack(), "rb") as f, open(self.pack(name="two.pathline", recording="./one.pathline"), "rb") as g:
            self.assertEqual(f.read(), g.read())

    def rows(self, recording):
        rows = [json.loads(line) for line in self.run_it("dump", "--json", recording).stdout.splitlines()]
        for row in rows:
            for field in ("values", "args", "result", "exception", "changed", "sent", "source"):
                row["data"].pop(field, None)
        return rows

    def test_without_values(self):
        """Nothing of them is left in any byte: the texts of constants are in no graph."""
        path = self.pack("--strip-values", "--strip-sources", name="bare.pathline")
        self.assertEqual(self.rows("./bare.pathline"), self.rows("recording"))
        bodies = self.run_it("dump", "--json", "./bare.pathline").stdout
        self.assertNotIn(SECRET.encode(), bodies)
        with open(path, "rb") as f:
            packed = f.read()
        self.assertNotIn(SECRET.encode(), packed)
        self.assertNotIn(SECRET[::-1].encode(), packed)
        self.assertIn(b"sound", self.run_it("check", "./bare.pathline").stdout)
        said = json.loads(self.run_it("info", "--json", "./bare.pathline").stdout.splitlines()[0])
        self.assertEqual((said["data"]["stripped"], said["data"]["values"], said["data"]["value_events"]),
                         ("values sources", "none", 0))
        self.assertRegex(self.run_it("info", "./bare.pathline").stdout.decode(), r"taken out +values, source texts\n")

    def test_who_asks_for_values_is_told_that_they_were_taken_out(self):
        self.pack("--strip-values", name="told.pathline")
        told = "taken out when this recording was packed"
        for code, *words in ((0, "why"), (1, "history", "left"), (2, "report", "--by", "count"),
                             (1, "report", "--filter", "args.count == 2"), (1, "calls", "--filter", "args.count == 2"),
                             (1, "calls", "--filter", "result == 2"), (1, "dump", "--filter", "args.count == 2"),
                             (2, "dump", "--filter", "left == 2")):
            with self.subTest(words=words):
                done = self.run_it(*words, "./told.pathline", code=code)
                self.assertIn(told, (done.stdout + done.stderr).decode())
        plain = [session.PATHLINE, "replay", "--plain", "--at", "#20", "./told.pathline"]
        for command in "variables", "p left", "b 10 if left == 2":
            with self.subTest(command=command):
                done = subprocess.run(plain, cwd=self.folder, input=command + "\n", capture_output=True, text=True, timeout=60)
                self.assertIn(told, done.stdout + done.stderr)

    def test_where_none_were_none_are_taken_out(self):
        with open(os.path.join(self.folder, "fails.py"), "w", encoding="utf-8") as f:
            f.write("{}[1]\n")
        pathline("record", "-q", "-o", "valueless", "--values", "none", session.PYTHON, "fails.py", cwd=self.folder)
        self.pack("--strip-values", name="none.pathline", recording="./valueless")
        self.assertIn(b"No values were recorded: ", self.run_it("why", "./none.pathline").stdout)

    def test_without_sources_alone(self):
        self.pack("--strip-sources", name="sourceless.pathline")
        values = [self.run_it("dump", "--fields", "values", place).stdout for place in ("recording", "./sourceless.pathline")]
        self.assertEqual(*values)
        said = self.run_it("report", "./sourceless.pathline").stdout.decode()
        self.assertNotIn("left -= 1", said)
        self.pack("--strip-values", name="both.pathline", recording="./sourceless.pathline")
        self.assertRegex(self.run_it("info", "./both.pathline").stdout.decode(), r"taken out +values, source texts\n")

    def test_cut_short(self):
        """Whatever is missing at its end, what is there is read, or the command says what is wrong."""
        path = self.pack()
        with open(path, "rb") as f:
            whole = f.read()
        cut = os.path.join(self.folder, "cut.pathline")
        for size in {0, 1, 31, 32, 33, 40, *range(0, len(whole), max(1, len(whole) // 40)), len(whole) - 1}:
            with self.subTest(size=size, of=len(whole)):
                with open(cut, "wb") as f:
                    f.write(whole[:size])
                done = pathline("dump", "./cut.pathline", cwd=self.folder)
                self.assertIn(done.returncode, (0, 2, 3), done.stderr)
                if done.returncode:
                    self.assertTrue(done.stderr.startswith(b"pathline: dump: "), done.stderr)

    def test_damage(self):
        """Is copied as it is; where something is taken out, it is left out, and the command says so."""
        copy = os.path.join(self.folder, "damaged")
        shutil.copytree(os.path.join(self.folder, "recording"), copy)
        path, = glob.glob(os.path.join(copy, "events.*"))
        with open(path, "r+b") as f:
            f.seek(os.path.getsize(path) // 2)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 0x55]))
        self.pack(name="damaged.pathline", recording="./damaged")
        self.run_it("check", "./damaged.pathline", code=3)
        self.pack("--strip-values", name="stripped.pathline", recording="./damaged", code=3)
        self.run_it("check", "./stripped.pathline", code=3)

    def test_no_packs(self):
        for name, content in (("empty", b""), ("text", b"hello\n" * 100), ("table", b"PL\x1c\n" + bytes(60))):
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(content)
            self.assertRegex(self.run_it("dump", "./" + name, code=2).stderr.decode(),
                             rf"^pathline: dump: \./{name} is not a recording\b.*\n$")
        self.assertIn(b"rm: ./one.pathline is not removed", self.run_it("rm", "./" + os.path.basename(self.pack()), code=2).stderr)

    def test_disk_full(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
            # only root can mount the small disk; CI runs as root, so there it is always run
            self.skipTest("a full disk needs a mount of its own")
        place = os.path.join(self.folder, "small")
        os.mkdir(place)
        command = f"mount -t tmpfs -o size=4k none {place} && {session.PATHLINE} pack -o {place}/x recording; " \
                  f"code=$?; ls {place}; exit $code"
        done = subprocess.run(["unshare", "-m", "bash", "-c", command], cwd=self.folder, capture_output=True, check=False)
        self.assertGreater(os.path.getsize(self.pack()), 4096)
        self.assertEqual((done.returncode, done.stdout), (1, b""), done.stderr)
        self.assertIn(b"No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
