# SPDX-License-Identifier: BSD-2-Clause
"""What a public header declares, with the comments that document it.

A comment documents the declaration after it and those that follow without a blank line; a
comment with a blank line after it is a separate text. Names that end in _ are not public.
"""

import re
import textwrap
from dataclasses import dataclass, field

# What stands before a declaration and is no part of its type.
QUALIFIER = re.compile(r"(FXT_API|FXT_INLINE|FXT_OUT_OF_LINE|FXT_ALWAYS_INLINE|FXT_NO_SANITIZE"
                       r"|FXT_UNWIND_FN_|static|inline|extern)\s+")
TOKEN = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{};]""", re.S)
SECTION = re.compile(r"/\* -{4} (.*?) -+\s*\*/", re.S)
FUNCTION = re.compile(r"(?P<type>.*?)(?P<name>\w+)\((?P<parameters>.*)\)")
MACRO = re.compile(r"#\s*define (?P<name>\w+)(?:\((?P<parameters>[^)]*)\))?(?P<value>.*)", re.S)
TYPE = re.compile(r"(?P<kind>struct|enum|union) (?P<name>\w+)")


@dataclass
class Declaration:
    """One name; `members` of a struct or an enum are groups of texts with their comment."""

    kind: str
    name: str
    type: str = ""
    parameters: list = field(default_factory=list)
    value: str = ""
    members: list = field(default_factory=list)


@dataclass
class Item:
    """Declarations that have their comment in common; a separate text has none."""

    text: str
    declarations: list = field(default_factory=list)


@dataclass
class Section:
    """A part of the header; the first has no title."""

    title: str
    items: list = field(default_factory=list)


def comment_text(comment):
    """A comment's text without its stars."""
    lines = [re.sub(r"^\s*\*(?: |$)", "", line) for line in comment[2:-2].splitlines()]
    if lines and not lines[0].strip():
        return textwrap.dedent("\n".join(lines)).strip("\n").rstrip()
    return "\n".join([lines[0].lstrip(), *lines[1:]]).rstrip() if lines else ""


def one_line(text):
    """A piece of C without comments and line breaks."""
    return " ".join(re.sub(r"/\*.*?\*/", " ", text, flags=re.S).split())


def is_public(name):
    """Whether a name is for users."""
    return name.lower().startswith("fxt_") and not re.search(r"_$|^FXT\w*_H$", name)


def end_of(text, start, stop):
    """After the next of the characters in `stop` that is in no comment, string or braces."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        if depth == 0 and token[0] in stop:
            return token.end()
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0] in stop:
            return token.end()
    raise ValueError(f"nothing of {stop} ends this: {text[start:start + 60]}")


def split_parameters(text):
    """Parameters, those of functions in them kept together."""
    parts = re.split(r",\s*(?![^(]*\))", text.strip())
    return [part.strip() for part in parts if part.strip()]


# ---- Members ----


def member_group(groups, comment, text):
    """Adds a member, to the group before it if nothing separates them."""
    if comment is not None or not groups:
        groups.append((comment or "", [text]))
    else:
        groups[-1][1].append(text)


def struct_members(body):
    """Groups of members; those of a union inside it have its name before theirs."""
    groups, comment, at = [], None, 0
    for part in re.finditer(r"\s*(?:(/\*.*?\*/)|union \{(.*?)\}\s*(\w*);|([^;/{]+);)", body, re.S):
        if body[at:part.start()].strip():
            raise ValueError(f"not a member: {body[at:part.start()]}")
        at = part.end()
        if part[1]:
            comment = comment_text(part[1])
            continue
        inner = struct_members(part[2]) if part[2] else [("", [one_line(part[4] or "")])]
        blank = "\n\n" in re.match(r"\s*", part[0])[0]
        for text, members in inner:
            for member in members:
                if not re.search(r"_(\[\w+\])?$", member):
                    named = re.sub(r"(\w+(?:\[\w+\])?)$", rf"{part[3]}.\1", member)
                    own = text or comment or ("" if blank else None)
                    member_group(groups, own, named if part[3] else member)
                    text, comment, blank = None, None, False
    return groups


def enum_members(body):
    """Each enumerator is a group: a comment is about the one after it."""
    groups, comment = [], ""
    for part in re.finditer(r"(/\*.*?\*/)|(\w+ = [^,/]+?)\s*(?:,|$|(?=/\*))", body, re.S):
        if part[1]:
            comment = comment_text(part[1])
        else:
            groups.append((comment, [one_line(part[2])]))
            comment = ""
    return groups


# ---- Declarations ----


def declaration_of(text):
    """The declaration in a piece of C, or None."""
    head, brace, body = text.partition("{")
    head = one_line(head).rstrip(" ;")
    while (match := QUALIFIER.match(head)):
        head = head[match.end():]
    head = re.sub(r"\s*__attribute__\(\(.*\)\)$", "", head)
    if (match := TYPE.fullmatch(head)):
        body = body.rpartition("}")[0]
        members = enum_members(body) if match["kind"] == "enum" else []
        if match["kind"] != "enum" and brace and is_public(match["name"]):
            members = struct_members(body)
        return Declaration(match["kind"], match["name"], members=members) if brace else None
    if (match := FUNCTION.fullmatch(head)):
        kind = "callback" if head.startswith("typedef ") else "function"
        return Declaration(kind, match["name"], match["type"].removeprefix("typedef ").strip(),
                           split_parameters(match["parameters"]))
    return None


def macro_of(line):
    """The macro that a preprocessor's line defines, or None."""
    match = MACRO.fullmatch(line.replace("\\\n", " "))
    if match is None:
        return None
    if match["parameters"] is None:
        return Declaration("constant", match["name"], value=one_line(match["value"]))
    return Declaration("macro", match["name"], parameters=split_parameters(match["parameters"]))


class Reader:
    """Goes through a header from its first declaration to its last."""

    def __init__(self):
        self.sections = [Section("")]
        self.comment = None
        self.open = None
        self.seen = set()

    def flush(self):
        """A comment that documents no declaration is text."""
        if self.comment:
            self.sections[-1].items.append(Item(self.comment))
        self.comment = self.open = None

    def declare(self, declaration):
        """Adds a public name, once: the header may define it for several compilers."""
        comment, self.comment = self.comment, None
        # A function may have the name of an enum.
        known = declaration and (declaration.name, declaration.kind in ("struct", "enum"))
        if declaration is None or not is_public(declaration.name) or known in self.seen:
            self.open = self.open if comment is None else None
            return
        self.seen.add(known)
        if comment is not None or self.open is None:
            self.open = Item(comment or "")
            self.sections[-1].items.append(self.open)
        self.open.declarations.append(declaration)

    def read(self, text):
        """All sections of a header's text."""
        at = 0
        while (space := re.compile(r"\s*").match(text, at)) and space.end() < len(text):
            at = space.end()
            if space[0].count("\n") > 1:
                self.flush()
            if text.startswith("/*", at):
                at = self.read_comment(text, at)
            elif text[at] == "#":
                line = re.compile(r"(?:\\\n|[^\n])*").match(text, at)[0]
                if line.startswith("#define"):
                    self.declare(macro_of(line))
                at += len(line)
            elif (word := re.compile(r"FXT_(BEGIN|END)_DECLS").match(text, at)):
                at = word.end()
            else:
                end = end_of(text, at, ";}")
                self.declare(declaration_of(text[at:end]))
                at = re.compile(r"[ ;]*").match(text, end).end()
        self.flush()
        return self.sections

    def read_comment(self, text, at):
        """A comment or the title of a section; returns what is after it."""
        end = text.index("*/", at) + 2
        self.flush()
        if (match := SECTION.fullmatch(text[at:end])):
            self.sections.append(Section(match[1]))
        else:
            self.comment = comment_text(text[at:end])
        return end


def read_header(text):
    """The text that a header begins with, and its sections."""
    match = re.match(r"/\* SPDX[^\n]*\n(/\*.*?\*/)\n", text, re.S)
    return comment_text(match[1]), Reader().read(text[match.end():])
