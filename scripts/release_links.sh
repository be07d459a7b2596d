#!/bin/sh
# Before a release: the metadata name the repository, and the README's links lead to it. The release workflow calls it in a
# fresh clone, which it changes. Usage: release_links.sh https://host/owner/bayescmp v0.2.0
set -e
cd "$(dirname "$0")/.."
cat >>pyproject.toml <<END

[project.urls]
Source = "$1"
Documentation = "$1/tree/$2/docs"
Changelog = "$1/blob/$2/CHANGELOG.md"
Issues = "$1/issues"
END
sed -E -e "s|(!\[[^]]*\]\()([a-z])|\1$1/raw/$2/\2|g" -e "s|(\]\()([A-Za-z]+[/.)])|\1$1/blob/$2/\2|g" README.md >README.new
mv README.new README.md
