#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual pages that are made of the public headers: mandoc and groff have no complaint,
each public name is on the page of its header, and nothing is lost that a comment says.

    test_header_pages.py PAGES HEADER...

What is public is found here by patterns, and not by the parser that the pages are made with.
"""

import os
import re
import shutil
import subprocess
import sys

# The end of a comment, and what the declaration after it declares.
DOCUMENTED = re.compile(r"/\*((?:[^*]|\*(?!/))*?)\s*\*/\n(?:FXT_API|FXT_INLINE|static inline|typedef"
                        r"|FXT_UNWIND_FN_|struct|enum)\b[^;{]*?\b(fxt_\w*[a-z0-9])(?:\(| \{)")
ENUMERATOR = re.compile(r"/\*((?:[^*]|\*(?!/))*?)\s*\*/\n +(FXT_\w*[A-Z0-9]) = \d")
FUNCTION = re.compile(r"^(?:FXT_API|FXT_INLINE|static inline|FXT_UNWIND_FN_)\b[^;{]*?"
                      r"\b(fxt_\w*[a-z0-9])\(", re.M)
NAME = re.compile(r"^(?:struct|enum) (fxt_\w*[a-z0-9]) \{|^#define (FXT_\w*[A-Z0-9])\b"
                  r"|^ +(FXT_\w*[A-Z0-9]) = \d", re.M)


def output(*command):
    """What a command prints, which must succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def words(text):
    """Words without what shows their font."""
    return re.sub(r"\(\)|[`<>*]|\s+", lambda match: " " if match[0].isspace() else "", text).split()


class Page:
    """A page as readers see it."""

    def __init__(self, path):
        text = output("mandoc", "-T", "ascii", "-O", "width=500", path)
        self.text = re.sub(r".\x08", "", text)
        self.words = " ".join(words(self.text))
        description = self.text.partition("\nDESCRIPTION\n")[2]
        self.n_described = len(re.split(r"\n[A-Z]", description)[0].split())


def lint(path):
    """What tools for manual pages complain of."""
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path],
                         check=False, capture_output=True, text=True)
    complaints = run.stdout + run.stderr
    if shutil.which("groff"):
        # Wide enough for the longest declaration.
        complaints += subprocess.run(["groff", "-ww", "-z", "-rLL=90n", "-mandoc", "-T", "utf8", path],
                                     check=False, capture_output=True, text=True).stderr
    return complaints


def faults_of(directory, header, source):
    """What is wrong with the page of a header."""
    name = header.removesuffix(".h").replace("/", "_")
    path = os.path.join(directory, f"{name}.3")
    page = Page(path)
    if complaints := lint(path):
        yield complaints
    if page.n_described < 5:
        yield f"{path} says nothing"
    for function in FUNCTION.findall(source):
        link = os.path.join(directory, f"{function}.3")
        if not os.path.exists(link):
            yield f"there is no page {function}"
        elif name != function and open(link, encoding="utf-8").read() != f".so man3/{name}.3\n":
            yield f"the page {function} is not that of {header}"
        if not re.search(rf"^ .*\b{function}\(\w", page.text.partition("DESCRIPTION")[0], re.M):
            yield f"{path} does not declare {function}"
    for names in NAME.findall(source):
        if (public := "".join(names)) and not public.endswith("_H") and public not in page.words:
            yield f"{path} lacks {public}"
    for comment, public in DOCUMENTED.findall(source) + ENUMERATOR.findall(source):
        end = " ".join(words(re.sub(r"\n *\*", "\n", comment))[-4:])
        if end not in page.words:
            yield f"{path} lacks the end of the comment of {public}: {end}"


def faults_of_cpp(directory, path):
    """What is wrong with the page of the header in C++: all its classes, what is public in them,
    and the comments of that are on it."""
    page_path = os.path.join(directory, "fxt.hpp.3")
    page = Page(page_path)
    if complaints := lint(page_path):
        yield complaints
    with open(os.path.join(os.path.dirname(path), "../../fxt.hpp"), encoding="utf-8") as file:
        source = file.read()
    for left_out in (r"^namespace detail\n.*?^} // namespace detail\n",
                     r"^    (?:class|struct) \w+\n? *\{\n.*?^    };\n",
                     r"^  private:\n.*?(?=^};\n)"):
        source = re.sub(left_out, "", source, flags=re.M | re.S)
    names = re.findall(r"^class (\w+)\n", source, re.M)
    names += re.findall(r"^(?:    )?(?!return )\w[\w ]*(?:<.*>)?[\w:<>&* ]* [*&]?(\w+)\(.*",
                        source, re.M)
    for name in sorted(set(names)):
        if not re.search(rf"\b{name}\b", page.words):
            yield f"{page_path} lacks {name}"
    for comment in re.findall(r"((?:^ *// .*\n)+)(?! *(?://|\n|#))", source, re.M):
        end = " ".join(words(re.sub(r"(?m)^ *//", "", comment))[-4:])
        if end not in page.words:
            yield f"{page_path} lacks the end of a comment: {end}"
    print(f"{len(set(names))} names of C++")


def main():
    directory, *headers = sys.argv[1:]
    faults, n_pages = [], 0
    for path in headers:
        if path.endswith(".hpp"):
            faults += faults_of_cpp(directory, path)
            continue
        with open(path, encoding="utf-8") as file:
            source = file.read()
        header = path.rpartition("include/")[2]
        # fxt_version is the page of a function, and not of fxt/version.h.
        if "not for direct use" not in source.lower() and header != "fxt/version.h":
            faults += faults_of(directory, header, source)
            n_pages += 1
    print(f"{n_pages} pages")
    print(*faults, sep="\n")
    sys.exit(1 if faults or n_pages == 0 else 0)


if __name__ == "__main__":
    main()
