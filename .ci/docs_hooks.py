"""Adds the README, the contributor's pages and the measured results to the site of docs/, and points links at their places in it.

A link to a file that the site does not have, such as a configuration, becomes its text.
"""
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = "benchmarks/results/"
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)


def site_path(path):
    """Returns the place of a file of the repository in the site, or None."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith(RESULTS):
        return "results/" + path[len(RESULTS):]
    return path[len("docs/"):] if path.startswith("docs/") else None


def pointed(text, source):
    """Returns a page's text with its links pointed at places in the site."""

    def link(match):
        image, words, target, anchor = match.groups()
        if ":" in target:
            return match.group(0)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not (ROOT / path).exists():
            return match.group(0)  # the build reports it
        place = site_path(path)
        if place is None:
            return words
        here = posixpath.dirname(site_path(source))
        return f"{image}[{words}]({posixpath.relpath(place, here or '.')}{anchor or ''})"

    parts = CODE.split(text)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def on_files(files, config):
    results = sorted(str(page.relative_to(ROOT)) for page in (ROOT / RESULTS).glob("*.md"))
    for source in [*PAGES, *results]:
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, site_path(source), content=pointed(text, source)))
    return files


def on_page_markdown(markdown, page, config, files):
    return markdown if page.file.generated_by else pointed(markdown, "docs/" + page.file.src_uri)
