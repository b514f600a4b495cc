"""The README tells the truth: its Python examples and its shell sessions are run."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
if not README.exists():
    pytest.skip("needs the source tree", allow_module_level=True)
TEXT = README.read_text()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def sessions() -> list[tuple[str, str]]:
    """Commands of the console blocks, each with what it prints."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def steady(text: str) -> str:
    """Drop what differs between runs: the time taken, and the last bits of a gap."""
    return re.sub(r"within [-\de.]+|[\d.]+ s\)", "", text).strip()


def test_python_examples() -> None:
    code = blocks("python")
    assert code
    parser = doctest.DocTestParser()
    test = parser.get_doctest("\n".join(code), {}, "README", str(README), 0)
    assert test.examples
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    report: list[str] = []
    assert runner.run(test, out=report.append).failed == 0, "".join(report)


@pytest.mark.parametrize(("command", "output"), sessions(), ids=lambda text: text[:40])
def test_shell_sessions(command: str, output: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
    )
    assert steady(done.stdout + done.stderr) == steady(output)


@pytest.mark.parametrize("name", ["analyse", "test"])
def test_set_up_commands_are_one_line_each(name: str) -> None:
    found = re.search(rf"^<!-- set-up: {name} -->\n```sh\n(.*)\n```$", TEXT, re.MULTILINE)
    assert found is not None
