"""pathline check, and what dump makes of a damaged recording: the sound part, a gap, a word on
stderr, exit 3."""
import glob
import json
import os
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import pathline, shop  # noqa: E402

INTERPRETERS = "two"

QUICK = True
HEADER, PROCESS_END, END = 1, 8, 11  # kinds of records


class Check(unittest.TestCase):
    def copy(self):
        place = os.path.join(session.scratch(), "copy")
        shutil.copytree(shop().directory, place)
        return place

    def damage(self, directory, name, part):
        """Turn one byte, that many of the file's bytes in; gives its offset."""
        path, = glob.glob(os.path.join(directory, name))
        with open(path, "r+b") as f:
            size = f.seek(0, os.SEEK_END)
            offset = int(size * part)
            f.seek(offset)
            byte = f.read(1)[0]
            f.seek(offset)
            f.write(bytes([byte ^ 0x55]))
        return offset

    def test_sound(self):
        done = shop().pathline("check", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        last, = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(last["type"], "check")
        self.assertTrue(last["data"]["sound"])
        self.assertEqual(last["data"]["events"], len(shop().rows("--fields", "seq")))
        self.assertRegex(shop().pathline("check").stdout.decode(), r"^sound: [\d,]+ records?, ")

    def test_damaged_block(self):
        copy = self.copy()
        offset = self.damage(copy, "events.*", 0.5)
        done = pathline("check", "--json", copy)
        self.assertEqual(done.returncode, 3)
        *damages, last = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertFalse(last["data"]["sound"])
        self.assertTrue(damages)
        self.assertTrue(damages[0]["data"]["file"].startswith("events."))
        self.assertLessEqual(damages[0]["data"]["offset"], offset)
        self.assertIn(b"damaged in ", pathline("check", copy).stdout)

    def test_dump_of_damaged_block(self):
        copy = self.copy()
        self.damage(copy, "events.*", 0.5)
        whole = shop().pathline("dump", "--fields", "tid,seq,event,file,line,depth").stdout.splitlines()
        done = pathline("dump", "--fields", "tid,seq,event,file,line,depth", copy)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, rb"^pathline: dump: .*damaged")
        part = done.stdout.splitlines()
        gaps = [row for row in part if row.split(b"\t")[2] == b"gap"]
        self.assertTrue(gaps)
        self.assertLessEqual(set(part) - set(gaps), set(whole))

    def test_damaged_description(self):
        copy = self.copy()
        self.damage(copy, "meta", 0.7)
        self.assertEqual(pathline("check", copy).returncode, 3)
        done = pathline("dump", "--fields", "seq", copy)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"damaged", done.stderr)

    def test_no_header(self):
        copy = self.copy()
        self.damage(copy, "meta", 0)
        for command in ("info", "check"):
            done = pathline(command, copy)
            self.assertEqual(done.returncode, 3, command)
            self.assertIn(b"meta", done.stdout + done.stderr, command)

    def cut_out(self, directory, kinds):
        """Leave records of these kinds out of `meta`."""
        path = os.path.join(directory, "meta")
        with open(path, "rb") as f:
            data = f.read()
        kept, at = b"", 0
        while at < len(data):
            kind, = struct.unpack_from("<H", data, at + 4)
            stored, = struct.unpack_from("<I", data, at + 8)
            if kind not in kinds:
                kept += data[at:at + 32 + stored]
            at += 32 + stored
        with open(path, "wb") as f:
            f.write(kept)

    def test_start_that_was_never_written(self):
        """It is unknown, and not in 1970."""
        copy = self.copy()
        self.cut_out(copy, {HEADER})
        told = [pathline(*words).stdout.decode() for words in (("info", copy), ("ls", os.path.dirname(copy)))]
        self.assertRegex(told[0], r"(?m)^recorded +unknown, by ")
        self.assertRegex(told[1], r"(?m)^copy +unknown +- ")
        self.assertNotIn("1970", "".join(told))

    def test_end_that_was_never_written(self):
        """Nothing writes it any more, so it is not `running`: what is known of the end is told."""
        for kinds, ended in ({END}, "exit 0"), ({END, PROCESS_END}, "unfinished"):
            copy = self.copy()
            self.cut_out(copy, kinds)
            listed = pathline("ls", os.path.dirname(copy)).stdout.decode()
            self.assertRegex(listed, rf"(?m)^copy +\S+ \S+ +- +{ended} ")
            told = pathline("info", copy).stdout.decode()
            self.assertIn("not finished: its end is missing, and nothing writes it any more\n", told)

    def test_nothing_there(self):
        for place in ("/nowhere/at/all", session.scratch()):
            done = pathline("check", place)
            self.assertIn(done.returncode, (2, 3))
            self.assertRegex(done.stderr, rb"^pathline: ")


if __name__ == "__main__":
    unittest.main()
