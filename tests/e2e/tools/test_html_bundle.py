# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The bundle of the page: vendored files are as published, and the bundler refuses what it cannot join."""

import base64
import hashlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from report import REPOSITORY

HTML = REPOSITORY / "tools" / "html"
VENDOR = HTML / "vendor"


@pytest.fixture(scope="module")
def bundle() -> ModuleType:
    """Loads tools/html/bundle.py, a build program outside any package."""
    spec = importlib.util.spec_from_file_location("bundle", HTML / "bundle.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_vendored_files_are_as_published() -> None:
    """The table lists every file except itself, with its checksum."""
    table = dict(re.findall(r"^\| `([^`]+)` \| `[^`]+` \| `(\w{64})` \|$", (VENDOR / "README.md").read_text(), re.M))
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.iterdir()
        if path.name != "README.md"
    }
    assert found == table
    assert len(table) == 4


def modules(folder: Path, **sources: str) -> list[Path]:
    """Writes script modules with these names; `charts__a` is a module in the folder charts."""
    for name, text in sources.items():
        path = folder / f"{name.replace('__', '/')}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return sorted(folder.glob("**/*.js"))


def test_modules_come_after_their_imports(bundle: ModuleType, tmp_path: Path) -> None:
    """Each module has its own scope and its exports."""
    paths = modules(
        tmp_path,
        main='import { twice } from "./a.js";\nimport {\n  one,\n} from "./b.js";\n\ntwice(one);\n',
        a='import { one } from "./b.js";\nexport function twice(x) {\n  return x + one;\n}\n',
        b="export const one = 1;\nexport class Two {}\nexport async function three() {}\nconst hidden = 3;\n",
    )
    text = bundle.script_text(paths)
    assert [text.index(f"const {name}_js") for name in "ba"] == sorted(text.index(f"const {name}_js") for name in "ba")
    assert text.index("const main_js") > text.index("const a_js")
    assert "const { twice } = a_js;" in text or "const {twice} = a_js;" in text
    assert "return { one, Two, three };" in text
    assert not re.search(r"^(import|export)\b", text, re.M)


def test_modules_in_folders(bundle: ModuleType, tmp_path: Path) -> None:
    """A module imports from folders below and above its own."""
    paths = modules(
        tmp_path,
        main='import { a } from "./charts/a.js";\na();\n',
        charts__a='import { b } from "../tables/b.js";\nexport function a() {\n  b();\n}\n',
        tables__b="export const b = 1;\n",
    )
    text = bundle.script_text(paths)
    assert text.index("const b_js") < text.index("const a_js") < text.index("const main_js")


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"main": 'import x from "./a.js";\n'}, "does not know this form"),
        ({"main": "export default 1;\n"}, "does not know this form"),
        ({"main": 'import { a } from "./a.js";\n', "a": 'import { b } from "./main.js";\n'}, "in a circle"),
        ({"main": "", "a": ""}, "no module imports a"),
        ({"main": "", "charts__a": "", "tables__a": ""}, "two modules have the same name"),
    ],
)
def test_what_cannot_be_joined(bundle: ModuleType, tmp_path: Path, sources: dict[str, str], message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        bundle.script_text(modules(tmp_path, **sources))


def test_policy_names_what_is_inline(bundle: ModuleType) -> None:
    """The checksums match the elements' text to the byte, and no other script may run."""
    page = bundle.page_text("@CSP@|<style>@STYLE@</style><script>@ECHARTS@</script>@SCRIPT@@DATA@", "a{}", "b()", "c()")
    for text in ("a{}", "b()", "c()"):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in page
    assert "unsafe" not in page
    assert page.endswith("</style><script>b()</script>c()@DATA@")
    with pytest.raises(SystemExit, match="must not hold"):
        bundle.page_text("@SCRIPT@", "", "", "'</Script>'")


def test_literals_are_what_they_were(bundle: ModuleType) -> None:
    """Quotes, backslashes, trigraphs, line ends, and digits after an escape survive."""
    text = 'a"b\\c??/\n1é\u2028\t' * 2000
    literals = re.findall(r'"((?:[^"\\]|\\[0-7]{3})*)"', bundle.literal(text))
    assert len(literals) > 1
    joined = b"".join(
        re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8)]), each.encode()) for each in literals
    )
    assert joined.decode() == text
