"""Run a module of unittest without some of its tests: without.py MODULE METHOD...

A name that no test of the module has is an error: a list of exceptions must not outlive its reason.
"""
import sys
import unittest


class Loader(unittest.TestLoader):
    def __init__(self, names):
        super().__init__()
        self.names, self.met = set(names), set()

    def getTestCaseNames(self, case):
        found = super().getTestCaseNames(case)
        self.met.update(self.names.intersection(found))
        return [name for name in found if name not in self.names]


if __name__ == "__main__":
    module, names = sys.argv[1], sys.argv[2:]
    loader = Loader(names)
    loader.loadTestsFromName(module)
    if loader.met != loader.names:
        sys.exit("without: %s has no %s" % (module, ", ".join(sorted(loader.names - loader.met))))
    unittest.main(module=None, argv=["without.py", module], testLoader=loader)
