#!/bin/sh
# Builds dist/ (sdist and wheel), checks both, and uses the wheel as a stranger would: in an empty environment, for each of
# the Pythons that are named. Usage: check_wheel.sh [python3.11 python3.13 ...]
set -e
cd "$(dirname "$0")/.."
here=$PWD/.venv-wheel
[ $# -gt 0 ] || set -- "$(sh scripts/find_python.sh)"
rm -rf "$here" dist
"$1" -m venv "$here/tools"
quiet="-m pip install --quiet --disable-pip-version-check"
"$here/tools/bin/python" $quiet build twine "validate-pyproject>=0.20" "mypy>=1.14" pandas-stubs
"$here/tools/bin/validate-pyproject" pyproject.toml
"$here/tools/bin/python" -m build --outdir dist >"$here/build.txt" 2>&1 || { cat "$here/build.txt"; exit 1; }
"$here/tools/bin/twine" check --strict dist/*

mkdir "$here/sdist"
tar xzf dist/*.tar.gz -C "$here/sdist" --strip-components=1
rm -r "$here/sdist/bayescmp"  # its tests are run against the wheel
cat >"$here/program.py" <<'END'
import bayescmp as bc
p: float = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01).p_better
reveal_type(bc.compare(bc.load_labour(), rope=0.01))
END
for python in "$@"; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    bin=$here/$version/bin
    "$python" -m venv "$here/$version"
    "$bin/python" $quiet dist/*.whl
    (cd "$here" && "$bin/bayescmp" demo --output "$here/report-$version.html")
    # py.typed: mypy sees the types of the installed package
    (cd "$here" && tools/bin/mypy --strict --python-executable "$bin/python" program.py | tee typed.txt)
    grep -q 'Revealed type is "bayescmp.comparison.result.Comparison"' "$here/typed.txt"
    # from the unpacked sdist: the README's code, light imports, what is never done with data
    "$bin/python" $quiet pytest hypothesis
    (cd "$here/sdist" && "$bin/python" -P -m pytest -p no:cacheprovider \
        tests/test_readme.py tests/test_light.py tests/test_security.py)
    "$bin/python" -P -c 'import bayescmp, sys; print("The wheel of bayescmp", bayescmp.__version__, "works on Python", sys.version.split()[0])'
done
rm -rf "$here"
