"""The package loads no code from data, starts no program, and opens no connection: docs/security.md."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import bayescmp
from bayescmp import values
from bayescmp.scores import files, frames, inspect_ai, logs

FORBIDDEN = set(
    "pickle dill cloudpickle marshal shelve yaml subprocess socket urllib http requests ftplib smtplib ctypes".split()
)
CALLS = {"eval", "exec", "compile", "system", "popen", "__import__", "read_pickle"}
SWITCHES = {"allow_pickle", "shell"}


def offences(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.partition(".")[0] in FORBIDDEN)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in FORBIDDEN:
            yield node.module
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            owner = getattr(getattr(node.func, "value", None), "id", "")
            if name in CALLS and owner not in ("re",):
                yield f"{name}()"
            on = (k.arg for k in node.keywords if isinstance(k.value, ast.Constant) and k.value.value is True)
            yield from (f"{switch}=True" for switch in on if switch in SWITCHES)


def test_no_code_from_data_no_programs_no_network():
    package = Path(bayescmp.__file__).parent
    found = {str(path): list(offences(path.read_text(encoding="utf-8"))) for path in package.rglob("*.py")}
    assert len(found) > 100
    assert {name: what for name, what in found.items() if what} == {}


def test_the_scan_finds_what_it_looks_for():
    source = (
        "import pickle\nfrom urllib.request import urlopen\neval('1')\nos.system('x')\nre.compile('x')\n"
        "np.load(f, allow_pickle=True)\nrun(x, shell=True)\nrun(x, shell=False)\npd.read_pickle(f)\n"
    )
    found = ["allow_pickle=True", "eval()", "pickle", "read_pickle()", "shell=True", "system()", "urllib.request"]
    assert sorted(offences(source)) == found


PROGRAM = """
import json, pathlib, sys, tempfile

EVENTS = ("pickle.", "subprocess.", "os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork",
          "os.startfile", "pty.", "socket.", "urllib.", "http.", "ftplib.", "smtplib.", "ssl.", "webbrowser.")
seen = []

def stack():
    frame, files = sys._getframe(2), []
    while frame is not None:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    return files

def hook(event, arguments):
    if event in ("exec", "compile"):
        if stack()[0].startswith(package):
            seen.append([event, "bayescmp"])
    elif event.startswith(EVENTS):
        files = stack()
        where = "joblib" if any("/joblib/" in name for name in files) else files[0]
        system = [name for name in ("fc-list", "ldconfig") if name in str(arguments)]
        seen.append([event, *(system or [where])])

def cli(*arguments):
    from bayescmp.cli import main
    try:
        main(arguments)
    except SystemExit as end:
        assert not end.code, end.code

package = sys.argv[2]
sys.addaudithook(hook)
import bayescmp as bc
folder = pathlib.Path(tempfile.mkdtemp())
exec(sys.argv[1])
sys.stdout.write("\\n" + json.dumps(sorted(set(map(tuple, seen)))))
"""
WORK = """
c = bc.compare(bc.load_labour(), rope=0.01)
print(c)
for ending in ("html", "md", "tex"):
    c.report(folder / f"report.{ending}")
bc.Comparison.from_json(c.to_json())
c.scores.to_frame().to_csv(folder / "scores.csv", index=False)
(folder / "scores.json").write_text(c.scores.to_frame().to_json(orient="records"))
for name in ("scores.csv", "scores.json"):
    cli("check", str(folder / name), "--lower-is-better")
cli("compare", "bundled:labour", "--rope", "0.01", "--format", "json")
cli("plot", "forest", "bundled:labour", "--rope", "0.01", "-o", str(folder / "figure.svg"))
"""


def audited(work):
    command = [sys.executable, "-c", PROGRAM, work, str(Path(bayescmp.__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {tuple(event) for event in json.loads(done.stdout.splitlines()[-1])}


def test_the_interpreter_sees_no_code_from_data_no_program_and_no_connection():
    """Python's own audit events, while scores are read, compared, reported and plotted, imports included.

    Matplotlib asks fontconfig for fonts when it has no cache of them, threadpoolctl before 3.7 asks ldconfig for libc.
    """
    assert {event for event in audited(WORK) if event[1] not in ("fc-list", "ldconfig")} == set()


def test_the_audit_sees_what_it_looks_for():
    work = """
import pickle, socket, subprocess
pickle.loads(pickle.dumps(folder))
subprocess.run([sys.executable, "-c", ""])
socket.socket().close()
"""
    assert {event for event, _ in audited(work)} >= {"pickle.find_class", "subprocess.Popen", "socket.__new__"}


def test_worker_processes_are_joblibs():
    """The one exception: `n_jobs` starts processes of this machine, which speak pickle with this one."""
    events = audited("bc.compare(bc.load_labour(), rope=0.01, bayes_options={'prior': 0.1}, n_jobs=2)")
    assert {where for _, where in events} - {"ldconfig"} == {"joblib"}


def test_the_page_has_the_limits_of_the_readers():
    page = (Path(__file__).parents[1] / "docs" / "security.md").read_text(encoding="utf-8")
    for limit in (
        f"{frames.MOST_CELLS:,} cells",
        f"{files.MOST_ROWS:,} rows",
        f"more than {values.DEEPEST} levels",
        f"{logs.MOST_FILES:,} files in a folder",
        f"{logs.MOST_BYTES >> 30} GB in one JSON file or line",
        f"{inspect_ai.MOST_MEMBERS:,} files, {inspect_ai.MOST_UNPACKED >> 30} GB together, "
        f"{inspect_ai.MOST_OF_ONE >> 30} GB in one, or {inspect_ai.MOST_RATIO} times the packed size",
    ):
        assert limit in page
