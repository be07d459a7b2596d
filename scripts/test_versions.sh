#!/bin/sh
# The same numbers with the lowest declared versions (on the oldest Python) and the newest ones (on the newest Python), then the
# suite with the lowest; with the newest, every workflow runs it. The two environments under .venv-versions have the optional
# packages too, and are made anew only when pyproject.toml changes. TESTS="-k sign" runs a part of the suite.
set -e
cd "$(dirname "$0")/.."
here=.venv-versions
mkdir -p "$here"
oldest=$(sh scripts/find_python.sh 3.11)
newest=$(sh scripts/find_python.sh 3.14 3.13 3.12)
[ -n "$oldest" ] || { echo "Python 3.11, the lowest declared, is not here: nothing was compared."; exit 1; }
[ -n "$newest" ] || echo "No Python above 3.11 here: the newest versions are those that Python 3.11 gets."
"$oldest" scripts/same_numbers.py lowest >"$here/lowest.txt"
: >"$here/newest.txt"
for end in lowest newest; do
    python=$oldest
    [ "$end" = lowest ] || python=${newest:-$oldest}
    bin="$here/$end/bin"
    if ! [ "$here/$end/.done" -nt pyproject.toml ]; then
        echo "=== installing the $end versions"
        rm -rf "${here:?}/$end"
        "$python" -m venv "$here/$end"
        "$bin/python" -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
        "$bin/python" -m pip install --quiet --disable-pip-version-check -e ".[parquet]" --group test -c "$here/$end.txt"
        touch "$here/$end/.done"
    fi
    "$bin/python" scripts/same_numbers.py write "$here/$end.json"
done
"$oldest" scripts/same_numbers.py compare "$here/lowest.json" "$here/newest.json"
# old packages beside newer ones of their own dependencies: their deprecations are no errors here
"$here/lowest/bin/python" -m pytest -W default::DeprecationWarning ${TESTS:--n auto}
