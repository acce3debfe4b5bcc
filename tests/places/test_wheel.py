"""`make wheel`, and what pip installs from it: in a fresh venv of each interpreter that is here,
also of those in chroots, which have no compiler and another glibc."""
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

INTERPRETERS = "one"
BUILD_S = 1800  # most of it for the compiler, beside other tests
TOP = places.TOP
PIP = str(TOP / "build-wheel/pip")  # make-wheel has brought it
# What a program could see of Pathline.
PROGRAM = """
import os, sys
def visited():
    return sorted(sys.modules)
print(sys.path, visited(), sys.flags, sys.argv, sorted(os.environ), sys.version, sep="\\n")
"""


# What installs a command in a venv of its own, and a link to it; from the registry.
TOOLS = {"pipx": "pipx==1.18.4", "uv": "uv==0.13.9"}
WHEEL = SDIST = None


def is_now():
    """The wheel has recorders for all five versions, so the product is compiled again: CI does that
    with each sixth commit, and a test by hand always."""
    level, rotation = os.environ.get("PATHLINE_SUITE"), int(os.environ.get("PATHLINE_ROTATION", "0"))
    return level not in ("quick", "test") and (level != "ci" or rotation % 6 == 0)


def setUpModule():
    global WHEEL, SDIST
    if not is_now():
        return
    done = subprocess.run([str(TOP / "tools/make-wheel"), str(places.BUILD / "dist")], capture_output=True, text=True, timeout=BUILD_S, check=False)
    if done.returncode:
        raise AssertionError(f"make-wheel: {done.stdout}{done.stderr}")
    WHEEL, *rest = done.stdout.split()
    SDIST = rest[0] if rest else None


@functools.cache
def interpreters():
    """[(version, executable, root or "")], one of each minor version."""
    rows = [line.split("\t") for line in places.run(sys.executable, str(TOP / "tools/interpreters.py")).stdout.splitlines()]
    of_minor = {}
    for version, python, root in rows:
        if not root or places.ROOT:
            of_minor[version.rsplit(".", 1)[0], bool(root)] = version, python, root
    return list(of_minor.values())


@unittest.skipUnless(is_now(), "not now: with each sixth commit in CI")
class Wheel(places.Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pathline-wheel-", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.program = os.path.join(self.folder, "program.py")
        with open(self.program, "w", encoding="utf-8") as f:
            f.write(PROGRAM)

    def inside(self, root, *words, **variables):
        """Run it in the chroot, or here."""
        prefix = [str(TOP / "tools/in-chroot"), root] if root else []
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder, "TMPDIR": "/tmp", "LANG": "C.UTF-8", **variables}
        return subprocess.run([*prefix, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.folder, env={**environment, "PATH": environment["PATH"] + ":/usr/sbin:/sbin"}, timeout=300, check=False)

    def good(self, root, *words, **variables):
        done = self.inside(root, *words, **variables)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def install(self, python, root=""):
        """The wheel in a new venv: the venv's directory."""
        venv = tempfile.mkdtemp(prefix="a venv ", dir=self.folder)
        self.good(root, python, "-m", "venv", "--without-pip", venv)
        self.pip(root, venv + "/bin/python", "install", WHEEL)
        return venv

    def pip(self, root, python, *words):
        return self.good(root, python, "-m", "pip", words[0], "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
                         *(["--no-index", "--no-compile"] if words[0] == "install" else []), *words[1:], PYTHONPATH=PIP)

    def recorded(self, root, command, out, version):
        """The recording is there, whole, of that version."""
        info = json.loads(self.good(root, command, "info", "--json", out).splitlines()[0])["data"]
        self.assertEqual((len(info["processes"]), info["losses"]), (1, []), info)
        self.assertIn(f"CPython {version} ", info["processes"][0]["interpreter"])
        self.assertIn("visited", self.good(root, command, "dump", out))
        self.good(root, command, "check", out)

    def test_each_python_records_from_a_venv(self):
        """Nothing of Pathline is seen by the program: the path and modules are as without it."""
        for version, python, root in interpreters():
            with self.subTest(python=version):
                venv = self.install(python, root)
                own, command = venv + "/bin/python", venv + "/bin/pathline"
                bare = self.good(root, own, self.program)
                out = os.path.join(self.folder, "out " + version)
                self.assertEqual(self.good(root, command, "record", "-q", "-o", out, "--python", own, self.program), bare)
                self.recorded(root, command, out, version)

    def test_the_package_is_the_command(self):
        """`python -m pathline record` records with that Python, which is not the one on PATH."""
        version, python, root = interpreters()[0]
        venv = self.install(python, root)
        own = venv + "/bin/python"
        bare = self.good(root, own, self.program)
        self.assertEqual(self.good(root, own, "-m", "pathline", "record", "-q", "-o", "out", self.program), bare)
        self.recorded(root, venv + "/bin/pathline", "out", version)
        self.assertEqual(self.good(root, own, "-m", "pathline", "--version"), self.good(root, venv + "/bin/pathline", "--version"))
        done = self.inside(root, own, "-m", "pathline", "dump", "nothing")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)

    def test_another_python_is_recorded_by_a_link_to_the_command(self):
        """As pipx and uv install it: a venv of its own, and a link on PATH."""
        (_, python, root), (other, recorded, _) = [row for row in interpreters() if not row[2]][:2]
        venv = self.install(python, root)
        link = os.path.join(self.folder, "pathline")
        os.symlink(venv + "/bin/pathline", link)
        bare = self.good("", recorded, self.program)
        self.assertEqual(self.good("", link, "record", "-q", "-o", "out", "--python", recorded, self.program), bare)
        self.recorded("", link, "out", other)

    def bring(self, tool):
        folder = os.path.join(self.folder, tool)
        brought = self.inside("", places.PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
                              "--target", folder, TOOLS[tool], PYTHONPATH=PIP)
        if brought.returncode:
            # It comes from a package index, which not every machine reaches.
            self.skipTest(f"{tool} could not be brought: {brought.stderr[-200:]}")
        return folder

    def recorded_by_link(self, link):
        """With a Python that is not that of the tool's venv."""
        version = self.good("", places.PYTHON, "-c", "import platform; print(platform.python_version())").strip()
        bare = self.good("", places.PYTHON, self.program)
        self.assertEqual(self.good("", link, "record", "-q", "-o", "out", "--python", places.PYTHON, self.program), bare)
        self.recorded("", link, "out", version)

    def test_pipx(self):
        links = os.path.join(self.folder, "links")
        self.good("", places.PYTHON, "-m", "pipx", "install", WHEEL, PYTHONPATH=self.bring("pipx"), PIPX_HOME=self.folder + "/home",
                  PIPX_BIN_DIR=links, PIPX_MAN_DIR=self.folder + "/man")
        self.recorded_by_link(links + "/pathline")
        self.assertTrue(os.path.exists(self.folder + "/man/man1/pathline-record.1"))

    def test_uv(self):
        links = os.path.join(self.folder, "links")
        self.good("", self.bring("uv") + "/bin/uv", "--quiet", "--offline", "tool", "install", "--python", places.PYTHON, WHEEL,
                  UV_TOOL_DIR=self.folder + "/home", UV_TOOL_BIN_DIR=links, UV_CACHE_DIR=self.folder + "/cache")
        self.recorded_by_link(links + "/pathline")

    def test_it_comes_whole_and_goes_whole(self):
        venv = self.install(places.PYTHON)
        share = venv + "/share/"
        for path in ("man/man1/pathline.1", "man/man1/pathline-record.1", "bash-completion/completions/pathline",
                     "zsh/site-functions/_pathline", "fish/vendor_completions.d/pathline.fish"):
            self.assertTrue(os.path.getsize(share + path), path)
        self.pip("", venv + "/bin/python", "uninstall", "--yes", "pathline")
        left = [os.path.join(top, name) for top, _, names in os.walk(venv) for name in names if "pathline" in os.path.join(top[len(venv):], name)]
        self.assertEqual(left, [])

    def test_a_folder_that_is_no_venv(self):
        """pip --target: without the venv's layout the command still finds its libraries, and the
        package its command."""
        folder = os.path.join(self.folder, "target")
        self.pip("", places.PYTHON, "install", "--target", folder, WHEEL)
        self.good("", folder + "/bin/pathline", "record", "-q", "-o", "out", "--python", places.PYTHON, self.program)
        version = self.good("", places.PYTHON, "-c", "import platform; print(platform.python_version())").strip()
        self.recorded("", folder + "/bin/pathline", "out", version)
        self.good("", places.PYTHON, "-m", "pathline", "--version", PYTHONPATH=folder, PATH="/nowhere")

    def test_the_sdist_has_what_is_built(self):
        if not SDIST:   # meson makes it of what is committed, so without git there is none
            self.skipTest("an sdist is made in a clone only")
        names = {name.split("/", 1)[1] for name in places.run("tar", "-tzf", SDIST).stdout.splitlines() if "/" in name}
        wanted = places.run("git", "-C", str(TOP), "ls-files", "src", "include", "python", "tools", "doc/man", "meson.build", "meson_options.txt",
                            "pyproject.toml", "README.md", "LICENSE").stdout.split()
        self.assertGreater(len(wanted), 100)
        self.assertEqual(sorted(set(wanted) - names), [])


if __name__ == "__main__":
    unittest.main()
