#!/bin/sh
# Prints the first Python of the wanted versions that runs. Usage: find_python.sh [3.13 3.12 ...]
# Without versions: the default python3 if it is 3.11 or newer, else the oldest newer one.
runs() {
    "$1" -c "import sys, venv; sys.exit(sys.version_info < (3, 11))" 2>/dev/null
}
if [ $# -eq 0 ]; then
    runs python3 && { echo python3; exit 0; }
    set -- 3.11 3.12 3.13 3.14
fi
for version in "$@"; do
    for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version"*/bin/python; do
        runs "$candidate" && { echo "$candidate"; exit 0; }
    done
done
exit 0
