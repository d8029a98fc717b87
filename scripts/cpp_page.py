# SPDX-License-Identifier: BSD-2-Clause
"""What the manual page of a header in C++ says, made of its comments: of all that has one in a
namespace, and of what is public in its classes. Lines are as clang-format leaves them."""

import re

COMMENT = re.compile(r" *//(?: (.*))?$")
SECTION = re.compile(r"// ---- (.+?) -+$")
TEMPLATE = re.compile(r"template <(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*> ")
# What a reader of a page need not know of a function.
NOISE = re.compile(r"\b(?:inline|constexpr|explicit) |\s+noexcept\b")
LEFT_OUT = re.compile(r"^(?:using|class|struct|friend) |= (?:default|delete)|~|\w::\w+\(\)|"
                      r"\boperator(?:==|!=|=|\+\+)")


class Lines:
    """The lines of a header, which are read once."""

    def __init__(self, source):
        self.lines = source.splitlines()
        self.at = 0

    def next(self):
        """The next line."""
        self.at += 1
        return self.lines[self.at - 1]

    def skip_to(self, end):
        """Lines up to one, and that."""
        while self.next() != end:
            pass

    def comment(self):
        """A comment that begins with the next line."""
        texts = []
        while match := COMMENT.match(self.next()):
            texts.append(match[1] or "")
        self.at -= 1
        return "\n".join(texts)

    def declaration(self, indent):
        """What the next lines declare; the body of a function is skipped."""
        text = self.next()
        # A default value is no body.
        while not re.search(r"[{;]|\bclass \w+$", text.replace("= {}", "")):
            text += " " + self.next().strip()
        body = text.replace("= {}", "")
        if body.count("{") > body.count("}") and not re.match(r" *struct ", text):
            self.skip_to(indent + "}")
        text = TEMPLATE.sub("", NOISE.sub("", " ".join(text.replace("= {}", "= \0").split())))
        return re.sub(r" *(?:\{|(?<!:): ).*", "", text).replace("\0", "{}")

    def declarations(self, indent, end):
        """(declaration, comment, title) up to a line; the title of the part that it begins."""
        text, title, is_public = "", None, True
        while (line := self.next()) != end:
            if match := SECTION.match(line):
                title = match[1]
            elif line == "namespace detail":
                self.skip_to("} // namespace detail")
            elif line.strip() in ("public:", "private:"):
                is_public = line.strip() == "public:"
            elif COMMENT.match(line):
                self.at -= 1
                text = self.comment()
            elif line.startswith(indent) and line[len(indent):][:1] not in (" ", "{", "}", ""):
                self.at -= 1
                yield self.declaration(indent), text if is_public else None, title
                text, title = "", None


def members_of(lines):
    """(declaration, comment) of what is public in a class."""
    found = []
    for head, text, _ in lines.declarations("    ", "};"):
        if re.fullmatch(r"(?:class|struct) \w+", head):
            lines.skip_to("    };")
        elif text is not None and not LEFT_OUT.search(head):
            found.append((head, text))
    return found


def listed(words, rows):
    """A list of (declaration, comment)."""
    lines = [".Bl -tag -width Ds -compact"]
    for head, text in rows:
        lines.append('.It Vt "' + head.removesuffix(";") + '"')
        lines += words.text(text) if text else []
    return [*lines, ".El"]


def prose(source):
    """The comment at the start of a header."""
    lines = Lines(source)
    lines.skip_to("//")
    return lines.comment()


def description(words, source):
    """All that a header has."""
    lines, made = Lines(source), []
    lines.skip_to("{")
    for head, text, title in lines.declarations("", "} // namespace fxt"):
        made.append(f".Ss {title}" if title else ".Pp")
        if re.fullmatch(r"class \w+", head):
            made += [*listed(words, [(head, text)])[:-1], ".Pp",
                     *listed(words, members_of(lines)), ".El"]
        elif not LEFT_OUT.search(head):
            made += listed(words, [(head, text)])
        elif not title:
            made.pop()
    return made
