"""Sphinx configuration."""

from importlib.metadata import version as version_of

project = "bayescmp"
author = "The bayescmp developers"
copyright = "2026, the bayescmp developers"
version = release = version_of("bayescmp")

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx-mathjax-offline"]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_sidebars = {"**": []}
html_title = "bayescmp"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # seconds a cell; the slowest takes a few
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"
suppress_warnings = ["config.cache"]
