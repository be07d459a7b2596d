#!/bin/sh
# Runs the test suite on both supported stacks, where their Pythons are here; says what ran and what could not.
set -e
cd "$(dirname "$0")/.."
ran=""
missing=""
for stack in "old:3.11" "new:3.14 3.13 3.12"; do
    python=$(sh scripts/find_python.sh ${stack#*:})
    if [ -z "$python" ]; then
        missing="$missing; Python ${stack#*:} (${stack%%:*} stack)"
        continue
    fi
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "=== ${stack%%:*} stack: Python $version"
    make test VENV=".venv-$version" PYTHON="$python"
    ran="$ran; $(".venv-$version/bin/python" -c 'from importlib.metadata import version as v
import platform
print("Python", platform.python_version(), "PyMC", v("pymc"), "ArviZ", v("arviz"))')"
done
echo "Ran:${ran#;}"
[ -z "$missing" ] || echo "Could not run, because it is not installed here:${missing#;}"
