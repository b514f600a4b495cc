#!/bin/sh
# Building an extension needs Python.h and the C library's headers. Debian keeps them apart from
# python3 and gcc, in python3-dev: install that if, and only if, they are missing.
set -u
python=${PYTHON:-python3}
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))') || exit 1
if echo '#include <Python.h>' | ${CC:-cc} -I"$include" -fsyntax-only -x c - 2>/dev/null; then
    exit 0
fi
if ! command -v "${CC:-cc}" >/dev/null; then
    echo "python-headers: there is no C compiler: install gcc" >&2
    exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
fi
if ! command -v apt-get >/dev/null || { [ -n "$sudo" ] && ! command -v sudo >/dev/null; }; then
    echo "python-headers: Python.h is missing from $include, and only root can install it:" >&2
    echo "python-headers: run 'apt-get install python3-dev' as root (elsewhere: python3-devel)" >&2
    exit 1
fi
echo "python-headers: installing python3-dev, for Python.h" >&2
$sudo apt-get -qq update &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends python3-dev
