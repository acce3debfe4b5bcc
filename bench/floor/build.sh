#!/bin/sh
# usage: floor/build.sh PYTHON
# Build the floor's extension module for one interpreter: $FLOOR_OUT/lib313/floor.so. $FLOOR_OUT
# defaults to this directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${1:-python3}
tag=$("$python" -c 'import sys; print("lib%d%d" % sys.version_info[:2])')
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
out=${FLOOR_OUT:-$here}/$tag
mkdir -p "$out"
${CC:-gcc} -O2 -fPIC -shared -Wall -isystem "$include" -o "$out/floor.so" "$here/floor.c"
