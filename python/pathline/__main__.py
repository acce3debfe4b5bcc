"""`python -m pathline …` is the command `pathline …`, which lies beside this package.

`python -m pathline record app.py` records with this Python, as `pathline record --python` would.
"""
import os
import sys

_NAME = "pathline"


def candidates():
    """Where pip, `make install` and `make` put the command, seen from this file."""
    here = os.path.dirname(os.path.abspath(__file__))
    above = here
    for _ in range(5):  # PREFIX/lib/python3.X/site-packages/pathline, and what is nearer
        above = os.path.dirname(above)
        yield os.path.join(above, "bin", _NAME)
        if os.path.exists(os.path.join(above, "meson.build")):
            yield os.path.join(above, "build", _NAME)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if folder:
            yield os.path.join(folder, _NAME)


def main():
    for command in candidates():
        if os.path.isfile(command) and os.access(command, os.X_OK):
            if sys.executable:
                os.environ["PATHLINE_DEFAULT_PYTHON"] = sys.executable
            try:
                os.execv(command, [command, *sys.argv[1:]])
            except OSError as error:
                print(f"pathline: {command} cannot be run: {error.strerror}", file=sys.stderr)
                return 126
    print("pathline: the command is neither beside the package pathline nor on PATH; install it with:"
          " pip install --force-reinstall pathline", file=sys.stderr)
    return 127


if __name__ == "__main__":
    sys.exit(main())
