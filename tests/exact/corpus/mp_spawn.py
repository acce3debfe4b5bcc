# same-run tail=20
"""multiprocessing by spawn: a process, a pool, a queue, a manager's lock, one that fails, one that is terminated."""
from parts import processes

if __name__ == "__main__":
    processes.run("spawn")
