"""HTML: C with colours and links, comments as prose, Markdown by cmark-gfm."""
import html
import re
import subprocess

TOKENS = re.compile(
    r"(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+')|(?P<macro>^ *#\w+)"
    r"|(?P<qualified>\bcovey(?:::\w+)+)|(?P<word>[A-Za-z_]\w*)|(?P<number>\b\d[\w.]*)|(?P<rest>.)", re.S | re.M)
# Blocks of C, then the same in C++.
BOTH = re.compile(r'((?:<pre><code class="language-c">(?:(?!</pre>).)*</pre>\n)+)(<pre><code class="language-cpp">.*?</pre>)', re.S)
CODE = r'<pre><code(?: class="language-([^"]*)")?>(.*?)</code></pre>'
KEYWORDS = set("""alignas auto bool break case char const continue default do double else enum extern false float for goto
    if inline int long return short signed sizeof static struct switch true typedef union unsigned void volatile while
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t class namespace template typename using
    NULL nullptr constexpr""".split())


def slug(text):
    """The anchor of a heading, the same as on GitHub."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text))


# What declares the word before it or behind it in C++; other uses of the word may be parameters.
DECLARES_BEFORE, DECLARES_AFTER = re.compile(r"\b(?:class|struct|using) $"), re.compile(r"\(| =")
LIBRARIES = ("covey::covey", "covey::mpi", "covey::inspect")  # targets of CMake


class Markup:
    """names[name] is the address of the description of a name, relative to the root of the site."""

    def __init__(self, names):
        self.names = names

    def name(self, word, top):
        name = word if word in self.names else word.rpartition("::")[0]  # a member that has no description: its class
        if name not in self.names or word in LIBRARIES:
            return None
        return f'<a class="name" href="{top}{self.names[name]}">{word}</a>'

    def c(self, text, top, defines=None):
        """C or C++ as HTML. `defines` has the anchors of words: the first use of each becomes one, and is removed."""
        left, out = {} if defines is None else defines, []
        for match in TOKENS.finditer(text):
            kind, token = match.lastgroup, match.group()
            escaped = html.escape(token, quote=False)
            if kind == "word" and token in left and declares(text, match, left[token]):
                escaped = f'<a class="def" id="{left[token]}" href="#{left[token]}">{token}</a>'
                del left[token]
            elif kind in ("word", "qualified"):
                link = self.name(token, top)
                if link:
                    escaped = link
                elif token in KEYWORDS:
                    escaped = f'<span class="k">{escaped}</span>'
            elif kind in ("comment", "string", "macro", "number"):
                escaped = f'<span class="{kind[0]}">{escaped}</span>'
            out.append(escaped)
        return "".join(out)

    def code_block(self, text, language, top):
        looks_like_c = language in ("c", "cpp", "c++") or (language == "" and re.search(r"covey_\w+\(|COVEY_|;\s*$", text, re.M))
        body = self.c(text, top) if looks_like_c else html.escape(text, quote=False)
        return f'<pre tabindex="0"><code>{body}</code></pre>'

    def words(self, text, top):
        """A line of a comment as HTML, with `code` and links for names of the library."""
        out = []
        for part in re.split(r"(`[^`]+`)", text):
            if part.startswith("`"):
                out.append(f"<code>{self.c(part[1:-1], top)}</code>")
                continue
            part = html.escape(part, quote=False)
            part = re.sub(r"\b(?:(?:covey|COVEY)_\w*\w|covey(?:::\w+)+)",
                          lambda m: f"<code>{self.name(m[0], top) or m[0]}</code>", part)
            out.append(re.sub(r"(?<![\w/])docs/(\w+)\.md", lambda m: f'<a href="{top}{m[1]}.html">{m[0]}</a>', part))
        return "".join(out)

    def comment(self, text, top):
        """A comment as HTML: paragraphs, lists, and code that is indented by four."""
        out, paragraph, code = [], [], []

        def flush():
            if paragraph:
                tag = "li" if paragraph[0].lstrip().startswith("- ") else "p"
                body = " ".join(line.strip() for line in paragraph)
                out.append(f"<{tag}>{self.words(body[2:] if tag == 'li' else body, top)}</{tag}>")
                paragraph.clear()
            if code:
                out.append(f'<pre tabindex="0"><code>{self.c(chr(10).join(code), top)}</code></pre>')
                code.clear()

        for line in text.split("\n"):
            if re.match(r" {4}", line) and not paragraph_of_points(paragraph):
                if paragraph:
                    flush()
                code.append(line[4:])
                continue
            if not line.strip() or line.lstrip().startswith("- "):
                flush()
            elif code:
                flush()
            if line.strip():
                paragraph.append(line)
        flush()
        return re.sub(r"((?:<li>.*?</li>\n?)+)", r"<ul>\1</ul>", "\n".join(out), flags=re.S)

    def markdown(self, text):
        done = subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink", "--unsafe"], input=text, check=True,
                              capture_output=True, text=True)
        return done.stdout

    def finish(self, body, top):
        """Adds to the output of cmark-gfm: colours in code, C beside C++, links for names, tables that scroll."""
        def block(match):
            return self.code_block(html.unescape(match[2]), (match[1] or "").strip(), top)

        def inline(match):
            return f"<code>{self.c(html.unescape(match[1]), top)}</code>"

        body = BOTH.sub(r'<div class="both"><div class="in-c">\1</div><div class="in-cpp">\2</div></div>', body)
        parts = re.split(r"(<pre><code[^>]*>.*?</code></pre>|<a [^>]*>.*?</a>)", body, flags=re.S)
        for i, part in enumerate(parts):
            if part.startswith("<pre>"):
                parts[i] = re.sub(CODE, block, part, flags=re.S)
            elif not part.startswith("<a "):
                parts[i] = re.sub(r"<code>(.*?)</code>", inline, part, flags=re.S)
        body = "".join(parts)
        return body.replace("<table>", '<div class="table" tabindex="0"><table>').replace("</table>", "</table></div>")


def declares(text, match, anchor):
    """Whether a word declares what the anchor names."""
    return "::" not in anchor or DECLARES_BEFORE.search(text, 0, match.start()) or DECLARES_AFTER.match(text, match.end())


def paragraph_of_points(paragraph):
    return bool(paragraph) and paragraph[0].lstrip().startswith("- ")


def with_anchors(body, used):
    """Gives each heading an id and a link to itself. Returns the headings, too."""
    headings = []

    def heading(match):
        level, inner = int(match[1]), match[2]
        anchor = base = slug(plain(inner))
        for number in range(1, 1000):
            if anchor not in used:
                break
            anchor = f"{base}-{number}"
        used.add(anchor)
        headings.append((level, anchor, plain(inner)))
        return f'<h{level} id="{anchor}">{inner} <a class="here" href="#{anchor}" aria-label="link">#</a></h{level}>'

    return re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.S), headings
