#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a manual page for each public header, made of its comments:

    header_pages.py DIRECTORY HEADER...

fxt/reader.h becomes fxt_reader.3, and each of its functions and macros with arguments a page
that refers to it; a header in C++ keeps its name: fxt.hpp.3. Headers that say "not for direct
use" have none, and no header has one that has the name of another one's function. A header
stands in the folder of its library, whose page has the date.
"""

import os
import re
import shutil
import sys
import textwrap

import cpp_page
from header_items import read_header

# What codes mean is in the header that declares them.
CODES = {"enum fxt_code": ("fxt_common", "fxt_code_message"),
         "enum fxt_sampler_code": ("fxt_sampler_code", "fxt_sampler_code_message")}
# A word of text that is set in bold or italics, or that roff takes for something else.
INLINE = re.compile(r"`(?P<code>[^`]+)`|(?<![\w*])\*(?P<stress>\w[\w ]*?)\*(?![\w*])"
                    r"|(?P<header>\bfxt/[\w/]+\.h\b)|(?P<name>\bfxt_\w+\b)(?!\(\w)(?P<call>\(\))?")
SENTENCE = re.compile(r"(?<=[\w`*)][.:])\s+(?=[A-Z`(])|(?<=\w\.\))\s+(?=[A-Z`])")
ESCAPES = {"\\": r"\e", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", "-": r"\-"}


# ---- Text ----


def escape(text):
    """Text that roff prints as it is, also at the beginning of a line."""
    text = "".join(ESCAPES.get(letter, letter) for letter in text)
    return r"\&" + text if text.startswith(".") else text


def quoted(text):
    """An argument of a macro."""
    return '"' + escape(text).replace('"', r"\(dq") + '"'


def table_of(text):
    """The cells of lines of two columns, of which the first is a name; None if it is no table."""
    rows = re.split(r"\n(?=\S)", text)
    cells = [re.fullmatch(r"([A-Z0-9]\S*)(?:\s*\n|  )\s*(\S.*)", row, re.S) for row in rows]
    return cells if all(cells) else None


def kind_of(text):
    """What lines between two blank ones are; tables and code are indented, and so may lists be."""
    dedented = textwrap.dedent(text)
    if dedented.startswith("- "):
        return "list"
    if not text.startswith("    "):
        return "text"
    return "table" if table_of(dedented) else "code"


class Words:
    """Makes lines of roff of the text of comments; knows what is a function."""

    def __init__(self, functions):
        self.functions = functions

    def styled(self, match):
        """A word in its font."""
        if match["code"] or match["stress"]:
            return rf"\fI{escape(match['code'] or match['stress'])}\fP"
        if match["header"]:
            return rf"<\fB{escape(match['header'])}\fP>"
        name = match["name"]
        return rf"\fB{name}\fP()" if name in self.functions else name + (match["call"] or "")

    def line(self, text):
        """A sentence, in which only what is no word of code has to be escaped."""
        parts, at = [], 0
        for match in INLINE.finditer(text):
            parts += [escape(text[at:match.start()]), self.styled(match)]
            at = match.end()
        return "".join([*parts, escape(text[at:])])

    def sentences(self, text):
        """Lines, a new one for each sentence."""
        lines = []
        for sentence in SENTENCE.split(" ".join(text.split())):
            # What is in one font stays in one line.
            held = INLINE.sub(lambda match: match[0].replace(" ", "\0"), sentence)
            for line in textwrap.wrap(held, 72, break_long_words=False, break_on_hyphens=False):
                line = self.line(line.replace("\0", " "))
                lines.append(rf"\&{line}" if line.startswith(("'", r"\(aq")) else line)
        return lines

    # ---- Paragraphs, lists, tables and code ----

    def listed(self, kind, rows):
        """A list of (head, text)."""
        lines = [f".Bl {kind}"]
        for head, text in rows:
            lines += [f".It {head}".rstrip(), *self.sentences(text)]
        return [*lines, ".El"]

    def block(self, text):
        """Lines between two blank ones of a comment."""
        kind, text = kind_of(text), textwrap.dedent(text)
        if kind == "list":
            return self.listed("-bullet", [("", row) for row in re.split(r"^- ", text, flags=re.M)[1:]])
        if kind == "table":
            return self.listed("-tag -width Ds", [(quoted(row[1]), row[2]) for row in table_of(text)])
        if kind == "code":
            return [".Bd -literal", *map(escape, text.splitlines()), ".Ed"]
        return self.sentences(text)

    def text(self, text):
        """A comment; code may have blank lines in it."""
        blocks = []
        for block in re.split(r"\n\s*\n", text):
            if blocks and kind_of(blocks[-1]) == kind_of(block) == "code":
                blocks[-1] += "\n\n" + block
            else:
                blocks.append(block)
        lines = []
        for made in map(self.block, blocks):
            lines += made if not lines or made[0].startswith(".B") else [".Pp", *made]
        return lines


# ---- A page ----


def head_of(declaration):
    """What a list of declarations calls it."""
    if declaration.kind in ("function", "macro"):
        return f"Fn {declaration.name}"
    if declaration.kind == "constant":
        value = declaration.value
        return f"Dv {declaration.name}" + (f" No {quoted(value)}" if 0 < len(value) < 60 else "")
    if declaration.kind == "callback":
        parameters = ", ".join(declaration.parameters)
        text = f"{declaration.type} {declaration.name}({parameters})"
        return "Vt " + quoted(text.replace("* ", "*", 1))
    return "Vt " + quoted(f"{declaration.kind} {declaration.name}")


def library_page(folder):
    """The page of the library that has its headers in a folder; libfxt's are at the root."""
    name = os.path.basename(os.path.normpath(folder)) if folder else ""
    path = os.path.join(folder, f"{name}.3")
    return path if os.path.exists(path) else os.path.join(folder, "libfxt/libfxt.3")


class Page:
    """The manual page of one header."""

    def __init__(self, path, functions):
        self.path = path
        folder, _, self.header = path.rpartition("include/")
        self.name = self.header.removesuffix(".h").replace("/", "_")
        self.library_page = library_page(folder)
        self.library = os.path.basename(self.library_page).removesuffix(".3")
        self.source, self.prose, self.sections = self.read(path)
        self.declarations = [declaration for section in self.sections for item in section.items
                             for declaration in item.declarations]
        self.words = Words(functions)

    def read(self, path):
        """The text of the header, the comment at its start, and its parts."""
        with open(path, encoding="utf-8") as file:
            source = file.read()
        return source, *read_header(source)

    def is_for_users(self):
        """Whether there is to be a page."""
        return "not for direct use" not in " ".join(self.prose.lower().split())

    def links(self):
        """What users look up by its own name."""
        return [declaration.name for declaration in self.declarations
                if declaration.kind in ("function", "macro")]

    def summary(self):
        """The first sentence, without what explains it."""
        prose = re.sub(r"^lib\w+: ", "", " ".join(self.prose.split()))
        sentence = re.split(r"[.:](?=\s|$)", prose)[0]
        while len(sentence) > 72 and "," in sentence:
            sentence = sentence.rpartition(",")[0]
        return sentence[0].lower() + sentence[1:]

    def synopsis(self):
        """How each function is declared."""
        lines = [f".In {self.header}"]
        for declaration in self.declarations:
            if declaration.kind == "function":
                lines += [f".Ft {quoted(declaration.type)}"]
            if declaration.kind in ("function", "macro"):
                arguments = [f".Fa {quoted(parameter)}" for parameter in declaration.parameters]
                lines += [f".Fo {declaration.name}", *arguments, ".Fc"]
        return lines

    def members(self, declaration):
        """A list of a struct's members or an enum's values."""
        lines, is_apart = [".Bl -tag -width Ds -compact"], False
        for text, members in declaration.members:
            lines += [".Pp"] if is_apart or text and len(lines) > 1 else []
            lines += [f".It Vt {quoted(member)}" for member in members]
            lines += self.words.text(text) if text else []
            is_apart = bool(text)
        return [*lines, ".El"] if declaration.members else []

    def item(self, item):
        """Declarations and their documentation."""
        lines = [f".It {head_of(declaration)}" for declaration in item.declarations]
        lines += self.words.text(item.text) if item.text else []
        for declaration in item.declarations:
            members = self.members(declaration)
            lines += [".Pp", *members] if members and item.text else members
        return lines

    def section(self, section):
        """A part of the header, in which texts and lists take turns."""
        lines = [f".Ss {escape(section.title)}"] if section.title else []
        is_list = False
        for item in section.items:
            if is_list and not item.declarations:
                lines.append(".El")
            if item is not section.items[0] or not section.title:
                lines.append(".Pp")
            if item.declarations and not is_list:
                lines.append(".Bl -tag -width Ds -compact")
            is_list = bool(item.declarations)
            lines += self.item(item)
        return [*lines, ".El"] if is_list else lines

    def description(self):
        """The header's own comment, and its parts."""
        lines = self.words.text(self.prose)
        for section in self.sections:
            if any(item.declarations for item in section.items):
                lines += self.section(section)
        return lines

    def returns(self):
        """Where the codes are documented that functions return."""
        lines = []
        for code, (page, message) in CODES.items():
            if page == self.name or all(declaration.type != code for declaration in self.declarations):
                continue
            lines += ["What each function returns is described with it; the values of",
                      f".Vt {quoted(code)}", "are in", f".Xr {page} 3", "and",
                      f".Fn {message}", "describes them."]
        return [".Sh RETURN VALUES", *lines] if lines else []

    def see_also(self, pages):
        """The library's page, and those of headers that this one includes or names."""
        names = {name.removesuffix(".h").replace("/", "_")
                 for name in re.findall(r"\bfxt/[\w/]+\.h\b", self.source)}
        names = sorted((names & pages - {self.name, "fxt_compiler"}) | {self.library})
        return [".Sh SEE ALSO", *[f".Xr {name} 3" + (" ," if name != names[-1] else "")
                                  for name in names]]

    def date(self):
        """That of the library's page."""
        with open(self.library_page, encoding="utf-8") as file:
            return re.search(r"^\.Dd (.*)$", file.read(), re.M)[1]

    def roff(self, pages):
        """The whole page."""
        library = [".Sh LIBRARY", self.library,
                   f".Pq Ql pkg-config --cflags --libs {self.library}"]
        lines = [r'.\" SPDX-License-Identifier: BSD-2-Clause',
                 rf'.\" Made of {self.header} by scripts/header_pages.py.',
                 f".Dd {self.date()}", f".Dt {self.name.upper()} 3", ".Os libfxt",
                 ".Sh NAME", f".Nm {self.name}", f".Nd {escape(self.summary())}",
                 *(library if re.search("^FXT_API ", self.source, re.M) else []),
                 # Declarations are not spread to the full width, where groff would complain.
                 ".Sh SYNOPSIS", ".ad l", *self.synopsis(), ".ad",
                 ".Sh DESCRIPTION", *self.description(),
                 *self.returns(), *self.see_also(pages)]
        return "".join(line + "\n" for line in lines)


class CppPage(Page):
    """The same of libfxt's header in C++, which is in the folder above."""

    def __init__(self, path, functions):
        super().__init__(path, functions)
        self.name = os.path.basename(path)
        self.library_page = library_page(path.partition("bindings/")[0])

    def read(self, path):
        path = os.path.join(os.path.dirname(path), "../..", os.path.basename(path))
        with open(path, encoding="utf-8") as file:
            source = file.read()
        return source, cpp_page.prose(source), []

    def description(self):
        return self.words.text(self.prose) + cpp_page.description(self.words, self.source)


def page_of(path, functions):
    """The page of a header of either language."""
    return (CppPage if path.endswith(".hpp") else Page)(path, functions)


def write(directory, name, text):
    """Writes the page of section 3."""
    with open(os.path.join(directory, f"{name}.3"), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    """Writes all pages into a new directory."""
    directory, *paths = sys.argv[1:]
    functions = set()
    pages = [page for page in (page_of(path, functions) for path in paths) if page.is_for_users()]
    for page in pages:
        functions.update(page.links())
    pages = [page for page in pages if page.name in page.links() or page.name not in functions]
    names = {page.name for page in pages}
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for page in pages:
        for name in page.links():
            write(directory, name, f".so man3/{page.name}.3\n")
    # A header may have the name of one of its functions.
    for page in pages:
        write(directory, page.name, page.roff(names))


if __name__ == "__main__":
    main()
