"""Settings of the site that `make docs` builds: nothing is fetched, and nothing in it leaves it."""

import re
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from docs import live_pages

PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))["project"]

project = PROJECT["name"]
author = "keras-attn authors"
release = version = PROJECT["version"]
project_copyright = author
extensions = ["myst_parser", "sphinx.ext.mathjax", "sphinx_copybutton", "sphinx_design"]
root_doc = "index"
exclude_patterns = ["**/*.py"]
language = "en"

nitpicky = True
smartquotes = False  # would change -- and quotes
suppress_warnings = ["config.cache"]  # the functions below

myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {
    "chtml": {"scale": 0.95},
    "options": {"enableMenu": False},
}

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("live.js", {"defer": "defer"})]
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
# Without a table of contents.
WIDE = ("index", "gallery", "comparison", "results/index", "reference/layers")
html_theme_options = {
    "logo": {"text": project},
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 9,
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], **dict.fromkeys(WIDE, [])},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
ALONE = ("index", "gallery", "comparison", "results/index", "start/index", "tutorials/index")
html_sidebars = dict.fromkeys(ALONE, [])  # without the pages beside them
html_context = {"default_mode": "auto"}
html_favicon = "_static/icon.svg"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

MATH = re.compile(r"\$`([^`]+)`\$")
# Links to files above docs, which are not in the site.
ABOVE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+(?:(?:examples|export)/[^)\s]+|[A-Z]+\.md)\)")


LINK = re.compile(r"\]\(([\w/.-]+)\.md\)|^:link: ([\w/.-]+)$", re.MULTILINE)  # or of a card


# Pages with pages below them that are no index, and how the names of these begin.
ABOVE_OTHERS = {
    "reference/layers": "layers/",
    "reference/command-line": "commands/",
    "reference/commands/train": "train-",
    "reference/commands/prepare": "prepare-",
}


def in_site(app: Sphinx, docname: str, source: list[str]) -> None:
    """Turns Markdown that GitHub shows, too, into that of the site.

    Formulas have GitHub's notation, files of the repository are named without a link, and what an
    index links is what stands below it in the navigation.
    """
    source[0] = ABOVE.sub(r"\1", MATH.sub(r"$\1$", source[0]))
    if docname == "results/index":
        source[0] = source[0].replace("| task |", "{.results}\n| task |", 1)
    if docname.endswith("/index") or docname in ABOVE_OTHERS:
        begin = ABOVE_OTHERS.get(docname, "")
        links = (text or card for text, card in LINK.findall(source[0]))
        found = (page for page in links if ".." not in page)
        pages = dict.fromkeys(page for page in found if page.startswith(begin))
        source[0] += "\n".join(["\n```{toctree}", ":hidden:", "", *pages, "```\n"])


def copy_mathjax(app: Sphinx, failure: Exception | None) -> None:
    """Copies MathJax with its fonts: the package would copy all of its variants, 24 MB."""
    if failure is not None or app.builder.format != "html":
        return
    (package,) = find_spec("sphinx-mathjax-offline").submodule_search_locations
    files, to = Path(package) / "static" / "mathjax", Path(app.outdir) / "_static" / "mathjax"
    copy_asset(files / "tex-chtml.js", to)
    copy_asset(files / "output" / "chtml" / "fonts", to / "output" / "chtml" / "fonts")


def write_live_pages(app: Sphinx, failure: Exception | None) -> None:
    """Writes the models that the gallery runs, if `make clients` has installed what runs them."""
    if failure is None and app.builder.format == "html" and app.tags.has("live"):
        live_pages.write(Path(app.outdir) / "live")


def setup(app: Sphinx) -> None:
    """Connects the functions above, and says whether the gallery has models that run."""
    app.connect("source-read", in_site)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", write_live_pages)
    if live_pages.has_runtime():
        app.tags.add("live")
