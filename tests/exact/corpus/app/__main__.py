"""A directory that is run as a program."""
import sys


def main():
    for word in sys.argv[1:] or ["nothing"]:
        if len(word) > 3:
            print(word, "main" in __name__, len(sys.argv))


main()
