# same-run tail=20
"""Python processes by os.posix_spawn, subprocess, os.spawn, os.system and popen; one starts another; an empty environment."""
import os
import subprocess
import sys

PY = sys.executable
CODE = "import sys\nt = 0\nfor i in range(5):\n    if i & 1: t += i\nsys.exit(t)"


def status(code):
    return os.waitstatus_to_exitcode(code)


here = os.path.dirname(os.path.abspath(__file__))
print(status(os.waitpid(os.posix_spawn(PY, [PY, "-c", CODE], os.environ), 0)[1]))
print(status(os.waitpid(os.posix_spawnp(PY, [PY, "-c", CODE], os.environ), 0)[1]))
print(subprocess.run([PY, "-c", CODE]).returncode)
print(subprocess.run([PY, "-"], input=CODE.encode()).returncode)
print(subprocess.run([PY, "-c", CODE], env={**os.environ, "MORE": "1"}, close_fds=False).returncode)
print(subprocess.run([PY, os.path.join(here, "app")], stdout=subprocess.PIPE).stdout)
print(subprocess.run([PY, "-m", "app", "arg"], cwd=here, stdout=subprocess.PIPE).stdout)
print(subprocess.run([PY, "-c", "import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', 'import sys\\nsys.exit(3)']).returncode + 1)"]).returncode)
print(os.spawnv(os.P_WAIT, PY, [PY, "-c", CODE]))
print(status(os.system("'%s' -c 'import sys\nx = 1\nsys.exit(x + 1)'" % PY)))
with os.popen("'%s' -c 'for i in range(2):\n  print(i)'" % PY) as pipe:
    print(pipe.read().split())
print(subprocess.run(["sh", "-c", "exec \"$0\" -c 'import sys\nfor i in range(3): pass\nsys.exit(i)'", PY]).returncode)
print(subprocess.run([PY, "-c", "import os\nprint(len([k for k in os.environ if 'ORACLE' not in k and k not in ('PYTHONPATH', 'LC_CTYPE')]))"],
                     env={}, stdout=subprocess.PIPE).stdout)
print(subprocess.run([PY, "-I", "-S", "-c", "x = 1\nprint(x)"], stdout=subprocess.PIPE).stdout)
both = [subprocess.Popen([PY, "-c", CODE]) for _ in range(3)]
print([p.wait() for p in both])
sleeper = subprocess.Popen([PY, "-c", "import time\nprint(1, flush=True)\nwhile True: time.sleep(100)"], stdout=subprocess.PIPE)
sleeper.stdout.readline()
sleeper.terminate()
print(sleeper.wait())
