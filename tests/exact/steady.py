"""Run a module of unittest so that it does the same in each run: steady.py MODULE. No collection
comes at a time of its own, random numbers have a seed, and what is said of times goes nowhere."""
import gc
import os
import random
import sys
import unittest

gc.disable()
random.seed(1)
with open(os.devnull, "w") as nowhere:
    unittest.main(module=sys.argv[1], argv=["steady.py"], testRunner=unittest.TextTestRunner(stream=nowhere), exit=False)
