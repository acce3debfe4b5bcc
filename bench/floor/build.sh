#!/bin/sh
# usage: floor/build.sh PYTHON
# Build the floor's extension modules for one interpreter: $FLOOR_OUT/lib313/floor.so, and
# instead.so. $FLOOR_OUT defaults to this directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${1:-python3}
tag=$("$python" -c 'import sys; print("lib%d%d" % sys.version_info[:2])')
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
out=${FLOOR_OUT:-$here}/$tag
mkdir -p "$out"
for module in floor instead; do
	${CC:-gcc} -O2 -fPIC -shared -Wall -isystem "$include" -o "$out/$module.so" "$here/$module.c"
done
