# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the table of ops against the schemas of a torch: `ops.py [--torch 2.15 | --wheel FILE | --docs]`.

Without an option it reads the schemas of the installed torch. `--torch` reads those of a torch that is not installed
from its wheel, which pip downloads once into build/wheels: the schemas are texts in its Python files and in its shared
libraries. Prints what to change in the table, and exits with 1 if there is something. `--docs` writes the list of ops
in docs/ops.md.
"""

import argparse
import ast
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
TABLE = REPOSITORY / "tracker" / "collectives" / "op_table.cc"
LIBRARY_OPS = TABLE.with_name("library_ops.txt")
PAGE = REPOSITORY / "docs" / "ops.md"
WHEELS = REPOSITORY / "build" / "wheels"

BEGIN, END = "<!-- ops -->", "<!-- end of ops -->"

#: A name that shows what an unknown op probably does, the most specific one first.
HINTS = {
    "reduce_scatter": "kReduceScatter",
    "all_reduce": "kAllReduce",
    "allreduce": "kAllReduce",
    "all_gather": "kAllGather",
    "allgather": "kAllGather",
    "all_to_all": "kAllToAll",
    "alltoall": "kAllToAll",
    "broadcast": "kBroadcast",
    "multicast": "kBroadcast",
    "barrier": "kBarrier",
    "scatter": "kScatter",
    "gather": "kGather",
    "reduce": "kReduce",
    "put": "kSend",
    "send": "kSend",
    "get": "kRecv",
    "recv": "kRecv",
}
RULES = {
    "kArgument": "{}",
    "kArgumentTimesGroup": "{} times the group's size",
    "kMatrixProduct": "the product of {} and `B`",
    "kNone": "none",
}
LIBRARIES = {
    "_C_custom_ar": "vLLM, custom all-reduce",
    "_c10d_functional": "torch, functional collectives",
    "_dtensor": "torch, DTensor",
    "c10d": "torch, c10d",
    "deepep": "torchtitan over DeepEP",
    "hybridep": "torchtitan over DeepEP's hybrid buffers",
    "minimal_async_ep": "torchtitan, MinimalAsyncEP",
    "moonep": "torchtitan over MoonEP",
    "sgl_kernel": "SGLang, kernels",
    "sglang": "SGLang",
    "symm_mem": "torch, symmetric memory",
    "torchcomms": "torchcomms",
    "vllm": "vLLM",
}


@dataclass(frozen=True)
class Spec:
    """A row of the table."""

    kind: str
    rule: str
    argument: str


@dataclass(frozen=True)
class Table:
    """The contents of op_table.cc and library_ops.txt."""

    specs: dict[str, Spec]
    namespaces: tuple[str, ...]
    no_collectives: frozenset[str]

    def is_watched(self, op: str) -> bool:
        """Returns True if every op of its namespace must be known."""
        return op.startswith(self.namespaces)


@dataclass(frozen=True)
class Schema:
    """An op with the types of its arguments by name."""

    op: str
    arguments: dict[str, str]


def library_specs() -> dict[str, Spec]:
    """Returns the ops of library_ops.txt, whose first and last line are C++."""
    specs = {}
    for line in LIBRARY_OPS.read_text(encoding="utf-8").splitlines():
        if "::" not in line or line.startswith("#"):
            continue
        op, kind, argument, *_ = [*line.split(), ""]
        name, star, _ = argument.partition("*group")
        name, at, _ = name.partition("@B")
        rule = "kArgumentTimesGroup" if star else "kMatrixProduct" if at else "kArgument"
        kind = "k" + kind.title().replace("_", "")
        specs[op] = Spec(kind, "kNone" if kind == "kBarrier" else rule, name)
    return specs


def read_table(path: Path = TABLE) -> Table:
    """Returns the rows and lists of op_table.cc, which clang-format keeps in one form, and the ops of libraries."""
    text = path.read_text(encoding="utf-8")
    rows = re.findall(r'\{"(\w+::\w+)",\s*(k\w+),\s*(k\w+),\s*"(\w*)"\}', text)

    def texts_of(name: str) -> list[str]:
        [body] = re.findall(rf"{name} = \{{(.*?)\}};", text, re.DOTALL)
        return re.findall(r'"([^"]+)"', body)

    specs = {op: Spec(*rest) for op, *rest in rows} | library_specs()
    return Table(dict(sorted(specs.items())), tuple(texts_of("kNamespaces")), frozenset(texts_of("kNoCollectives")))


def split_arguments(text: str) -> Iterator[str]:
    """Yields the arguments of a schema, at commas outside of brackets."""
    depth, begin = 0, 0
    for at, letter in enumerate(text + ","):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            yield text[begin:at].strip()
            begin = at + 1


def parse(schema: str, namespace: str = "") -> Schema:
    """Returns the schema `ns::op.overload(type name=default, ...) -> ...`."""
    name, _, rest = schema.partition("(")
    depth = end = 0
    for end, letter in enumerate(rest):  # noqa: B007
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
    arguments = {}
    for each in split_arguments(rest[:end]):
        kind, _, argument = each.partition("=")[0].strip().rpartition(" ")
        if kind:
            arguments[argument] = re.sub(r"\([a-z]*!?\)|!", "", kind)
    op = name.partition(".")[0]
    return Schema(f"{namespace}::{op}" if namespace else op, arguments)


def holds_tensors(kind: str) -> bool:
    return kind.startswith("Tensor")


def line_to_add(schema: Schema) -> str:
    """Returns the probable row of an unknown op, for a developer to judge."""
    kind = next((kind for hint, kind in HINTS.items() if hint in schema.op), "kOther")
    tensors = [name for name, of in schema.arguments.items() if holds_tensors(of)]
    if kind == "kBarrier" or not tensors:
        return f'{{"{schema.op}", {kind}, kNone, ""}},'
    if kind == "kAllGather":
        outputs = [name for name in tensors if name.startswith("output")]
        rule = "kArgument" if outputs else "kArgumentTimesGroup"
        return f'{{"{schema.op}", {kind}, {rule}, "{(outputs + tensors)[0]}"}},'
    rule = "kArgumentTimesGroup" if kind in ("kGather", "kScatter") else "kArgument"
    inputs = [name for name in tensors if name.startswith("input")] if kind != "kScatter" else []
    return f'{{"{schema.op}", {kind}, {rule}, "{(inputs + tensors)[0]}"}},'


def faults(spec: Spec, schema: Schema) -> Iterator[str]:
    """Yields what the tracker would not find in an op of the table."""
    arguments = schema.arguments
    if spec.rule != "kNone":
        wanted = [spec.argument] if spec.argument else []
        wanted += ["B"] if spec.rule == "kMatrixProduct" else []
        for name in wanted:
            if name not in arguments:
                yield f"has no argument {name}: its arguments are {', '.join(arguments)}"
            elif not holds_tensors(arguments[name]):
                yield f"has {arguments[name]} {name}: the payload must be a tensor or tensors"
        if not any(map(holds_tensors, arguments.values())):
            yield "has no tensor"
    peers = [name for name in ("dst", "src", "peer", "dst_rank") if arguments.get(name) == "int"]
    if spec.kind in ("kSend", "kRecv") and not peers and not schema.op.endswith("any_source_"):
        yield "has no int argument dst, src, peer or dst_rank: the peer"
    if arguments.get("async_op", "bool") != "bool":
        yield f"has {arguments['async_op']} async_op: it must be a bool"


def differences(table: Table, schemas: Iterable[Schema]) -> list[str]:
    """Returns one line for each op that the table does not know, or knows wrongly."""
    found = []
    for schema in sorted(set_of(schemas).values(), key=lambda each: each.op):
        spec = table.specs.get(schema.op)
        if spec is not None:
            found += [f"{schema.op} {fault}" for fault in faults(spec, schema)]
        elif table.is_watched(schema.op) and schema.op not in table.no_collectives:
            arguments = ", ".join(f"{kind} {name}" for name, kind in schema.arguments.items())
            found.append(
                f"{schema.op}({arguments}) is unknown: add to kTable, or its name to kNoCollectives:\n"
                f"    {line_to_add(schema)}"
            )
    return found


def set_of(schemas: Iterable[Schema]) -> dict[str, Schema]:
    """Returns the schemas by op; of an op with several overloads, the first."""
    by_op: dict[str, Schema] = {}
    for schema in schemas:
        by_op.setdefault(schema.op, schema)
    return by_op


def installed_schemas() -> list[Schema]:
    """Returns every schema of the installed torch, with those that its distributed packages define in Python."""
    import torch
    import torch.distributed._functional_collectives
    import torch.distributed._symmetric_memory
    import torch.distributed.tensor

    return [parse(str(schema)) for schema in torch._C._jit_get_all_schemas()]


def text_of(node: ast.expr) -> str:
    """Returns a constant text; empty for everything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


TYPES = {"torch.Tensor": "Tensor", "Tensor": "Tensor", "list[torch.Tensor]": "Tensor[]", "list[int]": "int[]"}


def schemas_of_python(source: str) -> Iterator[Schema]:
    """Yields the ops that a Python file defines by Library.define() or custom_op()."""
    tree = ast.parse(source)
    libraries: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args:
            called = ast.unparse(node.value.func)
            if called.endswith("Library") and isinstance(node.targets[0], ast.Name):
                libraries[node.targets[0].id] = text_of(node.value.args[0])
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "define":
            library = libraries.get(ast.unparse(node.func.value), "")
            schema = text_of(node.args[0]) if node.args else ""
            if library and "(" in schema:
                yield parse(schema, library)
        elif isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                name = text_of(decorator.args[0]) if isinstance(decorator, ast.Call) and decorator.args else ""
                if "::" in name and "custom_op" in ast.unparse(decorator.func):
                    stated = [text_of(each.value) for each in decorator.keywords if each.arg == "schema"]
                    if stated:
                        yield parse(name + stated[0])
                        continue
                    kinds = {each.arg: ast.unparse(each.annotation or ast.Constant("")) for each in node.args.args}
                    yield Schema(name, {argument: TYPES.get(kind, kind) for argument, kind in kinds.items()})


#: A schema as TORCH_LIBRARY's m.def() takes it: printable, on one line or several.
_SCHEMA = re.compile(rb"(?<![\x20-\x7e])([a-z_]\w*\((?:[\x20-\x7e\n])*?\) ?-> ?[\x20-\x7e]+)", re.IGNORECASE)
_COMMUNICATES = re.compile(r"c10d\.ProcessGroup|c10d\.SymmetricMemory|\bgroup_name\b|\bint peer\b|\bsigpad\b")


def namespace_of(schema: str, op: str, table: Table, mentioned: set[str]) -> str:
    """Returns the namespace of a schema in a shared library, which holds the text without it."""
    if "c10d.ProcessGroup" in schema:
        return "c10d"
    known = [name for name in (*table.specs, *table.no_collectives, *sorted(mentioned)) if table.is_watched(name)]
    of_name = [name.partition("::")[0] for name in known if name.partition("::")[2] == op]
    others = [namespace for namespace in of_name if namespace != "c10d"] or of_name
    return others[0] if others else "symm_mem"


def schemas_of_library(data: bytes, table: Table, mentioned: set[str]) -> Iterator[Schema]:
    """Yields the ops of a shared library that communicate, or whose names are known or mentioned in Python files."""
    names = {name.partition("::")[2] for name in (*table.no_collectives, *mentioned) if table.is_watched(name)}
    for found in sorted(set(_SCHEMA.findall(data))):
        schema = " ".join(found.decode().split())
        op = schema.partition("(")[0].partition(".")[0]
        if _COMMUNICATES.search(schema) or op in names:
            yield parse(schema, namespace_of(schema, op, table, mentioned))


def wheel_schemas(wheel: Path, table: Table) -> list[Schema]:
    """Returns the ops of the watched namespaces in a wheel of torch, of which it unpacks one file at a time."""
    found: list[Schema] = []
    mentioned: set[str] = set()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name in names:
            if name.endswith(".py") and name.startswith("torch/"):
                source = archive.read(name).decode(errors="replace")
                mentioned |= {f"{n}::{op}" for n, op in re.findall(r"torch\.ops\.(\w+)\.(\w+)", source)}
                if "Library(" in source or "custom_op(" in source:
                    found += schemas_of_python(source)
        for name in names:
            if re.search(r"/libtorch_(cpu|cuda|python)\.(so|dylib)$", name):
                found += schemas_of_library(archive.read(name), table, mentioned)
    return [schema for schema in found if table.is_watched(schema.op) or schema.op in table.specs]


def download(version: str) -> Path:
    """Returns the wheel of a version such as 2.15. The one for macOS is small, and has every op that is not CUDA's."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    wanted = version if version.count(".") > 1 else f"{version}.*"
    for _ in range(2):
        for wheel in sorted(WHEELS.glob(f"torch-{version}[.+-]*.whl"), reverse=True):
            return wheel
        options = ["--no-deps", "--only-binary=:all:", "--python-version=3.11", f"--dest={WHEELS}"]
        platforms = [f"--platform=macosx_{major}_0_arm64" for major in (11, 12, 13, 14, 15)]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", *options, *platforms, f"torch=={wanted}"]
        if subprocess.run(pip, check=False).returncode != 0:
            break
    sys.exit(f"ops: pip has no wheel of torch {version}: put one for any platform into {WHEELS}")


def page_rows(table: Table) -> str:
    """Returns the list of ops as docs/ops.md has it."""
    lines = []
    for namespace in sorted({op.partition("::")[0] for op in table.specs}, key=lambda each: (LIBRARIES[each], each)):
        lines += [f"### {LIBRARIES[namespace]}", "", "| op | kind | bytes |", "|---|---|---|"]
        for op, spec in table.specs.items():
            if op.startswith(f"{namespace}::"):
                kind = re.sub(r"(?<!^)([A-Z])", r"_\1", spec.kind.removeprefix("k")).lower()
                argument = f"`{spec.argument}`" if spec.argument else "the first tensor"
                lines.append(f"| `{op}` | `{kind}` | {RULES[spec.rule].format(argument)} |")
        lines.append("")
    return "\n".join(lines)


def filled_page(text: str, table: Table) -> str:
    """Returns the page with the list between its marks."""
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{page_rows(table)}{END}{rest.partition(END)[2]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev ops", description=__doc__.partition("\n")[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--torch", metavar="VERSION", help="a torch that is not installed, such as 2.15")
    choice.add_argument("--wheel", type=Path, metavar="FILE", help="a wheel of torch")
    choice.add_argument("--docs", action="store_true", help="write the list of ops in docs/ops.md")
    options = parser.parse_args()
    table = read_table()
    if options.docs:
        PAGE.write_text(filled_page(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")
        return
    wheel = download(options.torch) if options.torch else options.wheel
    schemas = wheel_schemas(wheel, table) if wheel else installed_schemas()
    found = differences(table, schemas)
    watched = {schema.op for schema in schemas if table.is_watched(schema.op)}
    of = wheel.name if wheel else "the installed torch"
    print(*found, f"{len(watched)} ops of {of}: {len(found)} differ", sep="\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
