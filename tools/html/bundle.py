#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Bundles template, style sheets, script modules and ECharts into one page with everything inline.

The output is C++ source with the page's text in three constants. The program puts the data and the permitted
connections between them. A module becomes a function, so it keeps a scope of its own; the functions run in the order
of their imports. A module has the name of its file, whatever its folder. bundle.py supports only the forms of import
and export that the modules use; any other form is an error.
"""

import argparse
import base64
import hashlib
import re
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(?:\./|(?:\.\./)+)(?:\w+/)*(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:(?:async )?function|class|const) (\w+))", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)

#: Maximum length of a string literal. GCC has no limit; other compilers and editors do.
LITERAL_BYTES = 8000


def module_text(name: str, source: str) -> str:
    """Returns a module as a constant that holds its exports."""
    exports = EXPORT.findall(source)
    body = EXPORT.sub("", IMPORT.sub(lambda found: f"const {{{found[1].strip()}}} = {found[2]}_js;\n", source))
    if found := LEFT_OVER.search(body):
        raise SystemExit(f"{name}.js: bundle.py does not know this form: {found[0]}")
    return f"const {name}_js = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();\n"


def in_order(sources: dict[str, str], name: str, above: tuple[str, ...] = ()) -> list[str]:
    """Returns a module and its direct and indirect imports, each after its own imports."""
    if name in above:
        raise SystemExit(f"modules import each other in a circle: {' -> '.join((*above, name))}")
    found: list[str] = []
    for _, needed in IMPORT.findall(sources[name]):
        found += [other for other in in_order(sources, needed, (*above, name)) if other not in found]
    return [*found, name]


def script_text(paths: list[Path]) -> str:
    """Returns all modules as one script."""
    sources = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    if len(sources) < len(paths):
        raise SystemExit("two modules have the same name")
    order = in_order(sources, "main")
    if unused := sorted(set(sources) - set(order)):
        raise SystemExit(f"no module imports {', '.join(unused)}")
    return "\n" + "".join(module_text(name, sources[name]) for name in order)


def content_hash(text: str) -> str:
    """Returns the source expression that identifies a script or style sheet in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(scripts: list[str], style: str) -> str:
    """Returns a policy that allows only the scripts and the style sheet in the file."""
    allowed = " ".join(content_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {content_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def checked_inline(text: str, tag: str) -> str:
    """Returns the text, after checking that it can be inlined into a <script> or <style> element unchanged."""
    if re.search(rf"</{tag}|<!--", text, re.IGNORECASE):
        raise SystemExit(f"text for a <{tag}> element must not hold </{tag} or <!--")
    return text


def page_text(template: str, style: str, library: str, script: str) -> str:
    """Returns the page. @DATA@ marks the position of the data, @CONNECT@ the policy's permitted connections."""
    parts = {
        "CSP": policy([library, script], style),
        "STYLE": checked_inline(style, "style"),
        "ECHARTS": checked_inline(library, "script"),
        "SCRIPT": checked_inline(script, "script"),
    }
    return re.sub(r"@(CSP|STYLE|ECHARTS|SCRIPT)@", lambda found: parts[found[1]], template)


def literal(text: str) -> str:
    """Returns the text as C++ string literals, one per line."""
    data = text.encode()
    pieces = [data[at : at + LITERAL_BYTES] for at in range(0, len(data), LITERAL_BYTES)]
    return "\n".join(f'    "{"".join(map(escaped, piece))}"' for piece in pieces)


def escaped(byte: int) -> str:
    """Returns a byte as a string literal has it. Octal escapes end after three digits; hexadecimal ones do not."""
    if byte in b'"\\?':
        return f"\\{byte:03o}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("template", "charts", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("styles", "modules"):
        parser.add_argument(f"--{name}", type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    page = page_text(
        arguments.template.read_text(encoding="utf-8"),
        "".join(path.read_text(encoding="utf-8") for path in arguments.styles),
        arguments.charts.read_text(encoding="utf-8"),
        script_text(arguments.modules),
    )
    before_connect, rest = page.split("@CONNECT@")
    before_data, after_data = rest.split("@DATA@")
    arguments.output.write_text(
        "// Made by tools/html/bundle.py.\n"
        '#include "tools/html/html_page.h"\n\n'
        "namespace commtap {\n\n"
        f"const std::string_view kPageBeforeConnect =\n{literal(before_connect)};\n\n"
        f"const std::string_view kPageBeforeData =\n{literal(before_data)};\n\n"
        f"const std::string_view kPageAfterData =\n{literal(after_data)};\n\n"
        "} // namespace commtap\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
