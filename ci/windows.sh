#!/bin/sh
# The kernels for 64-bit Windows, compiled and linked with MinGW on Debian. Nothing is run: there is no Windows here.
#
# Python for Windows cannot be installed on Debian, so two things are made here: its headers are those of this machine
# with another pyconfig.h, and the library to link with is made from the names that libpython exports.
# NumPy's headers come from its wheel for Windows.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=${WINDOWS_ROOT:-$here/build/windows}
python=$here/.venv/bin/python
compiler=x86_64-w64-mingw32-gcc
command -v $compiler >/dev/null || { echo "MinGW is missing (Debian: apt install gcc-mingw-w64-x86-64 mingw-w64-tools)" >&2; exit 1; }
[ -d "$here/build/release/src" ] || { echo "first: make .venv/installed" >&2; exit 1; }

mkdir -p "$out/include" "$out/lib" "$out/kernels"
cp -r "$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')"/. "$out/include"
cat > "$out/include/pyconfig.h" <<'C'
/* as much of Windows' as the headers need */
#define MS_WINDOWS
#define MS_WIN64
#define NT_THREADS
#define WITH_THREAD 1
#define HAVE_DECLSPEC_DLL
#define Py_ENABLE_SHARED 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_PID_T 4
#define ALIGNOF_SIZE_T 8
#define HAVE_SSIZE_T 1
#define HAVE_STDINT_H 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define STDC_HEADERS 1
#define DOUBLE_IS_LITTLE_ENDIAN_IEEE754 1
C
[ -d "$out/numpy" ] || "$python" -m pip install -q --no-deps --target "$out" --platform win_amd64 --python-version 3.11 \
    --only-binary=:all: numpy

library=$("$python" -c 'import sysconfig; v = sysconfig.get_config_vars(); print(v["LIBDIR"] + "/" + v["LDLIBRARY"])')
{
    printf 'LIBRARY python311.dll\nEXPORTS\n'
    nm -D --defined-only "$library" | awk '$3 ~ /^_?Py/ { print $3, ($2 ~ /[TW]/ ? "" : "DATA") }'
} > "$out/python311.def"
x86_64-w64-mingw32-dlltool -d "$out/python311.def" -l "$out/lib/libpython311.a"

failed=0
compiled=0
for source in $(find "$here/build/release/src" -name '*.c'); do
    name=${source#"$here/build/release/src/hornbeam/core/"}
    object=$out/kernels/$(echo "${name%%.*}" | tr / -).pyd
    if $compiler -std=c11 -O1 -Wall -Wno-unused-function -Wno-discarded-qualifiers -ffp-contract=off -shared -DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION \
        -I"$out/include" -I"$out/numpy/_core/include" -I"$here/src" "$source" -o "$object" -L"$out/lib" -lpython311; then
        compiled=$((compiled + 1))
    else
        failed=$((failed + 1)) && echo "not compiled: $source" >&2
    fi
done
echo "$compiled kernels compiled and linked for Windows, $failed not"
[ $failed = 0 ]
