#!/bin/sh
# The package for ARM64, compiled and tested on an x86-64 machine (Debian or Ubuntu; the folder is made by root).
#
#   ci/arm64.sh build           compiler, a small Debian for ARM64 with Python, packages, the compiled package
#   ci/arm64.sh python ...      Python of that Debian, under qemu
#   ci/arm64.sh test ...        pytest, under qemu (about 15 times slower than on the machine itself)
#
# ARM64_ROOT names the folder that holds all of this; it is reused.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=${ARM64_ROOT:-/opt/arm64}
python=$root/python
version=3.11
suite=bookworm # Debian's release with that version of Python

build() {
    for program in aarch64-linux-gnu-gcc qemu-aarch64 debootstrap; do
        command -v $program >/dev/null || {
            echo "$program is missing (Debian: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user debootstrap)" >&2
            exit 1
        }
    done
    if [ ! -e "$root/usr/bin/python$version" ]; then # unpacked, not configured: nothing of it runs before qemu
        debootstrap --arch=arm64 --foreign --variant=minbase \
            --include=libpython$version-dev,python$version,libgomp1,libstdc++6 $suite "$root"
        for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
    fi
    printf '#!/bin/sh\nexec qemu-aarch64 -L %s %s/usr/bin/python%s "$@"\n' "$root" "$root" $version > "$python"
    chmod +x "$python"
    # programs that tests start with sys.executable must go through qemu too
    mkdir -p "$root/site"
    printf 'import sys\nsys.path.insert(1, "%s/site")\nsys.executable = "%s"\n' "$root" "$python" \
        > "$root/usr/lib/python$version/sitecustomize.py"
    rm -f "$root/etc/python$version/sitecustomize.py"
    [ -e "$root/site/numpy" ] || "$here/.venv/bin/python" -m pip install -q --target "$root/site" \
        --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
        --python-version $version --only-binary=:all: \
        numpy scipy scikit-learn pyarrow click rich pytest pytest-xdist hypothesis pandas polars duckdb sqlglot

    cat > "$root/cross.ini" <<INI
[binaries]
c = ['aarch64-linux-gnu-gcc', '-isystem', '$root/usr/include/python$version', '-isystem', '$root/usr/include']
strip = 'aarch64-linux-gnu-strip'
python = '$python'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'armv8-a'
endian = 'little'
INI
    PATH="$here/.venv/bin:$PATH"
    again=
    [ ! -e "$root/build/build.ninja" ] || again=--reconfigure # the list of Python files may have changed
    meson setup $again "$root/build" "$here" --cross-file "$root/cross.ini" -Dpython.platlibdir="$root/site" -Dpython.purelibdir="$root/site"
    ninja -C "$root/build"
    meson install -C "$root/build" --quiet
}

case ${1:-} in
    build) build ;;
    python) shift && exec "$python" "$@" ;;
    test) shift && cd "$here" && exec "$python" -m pytest -p no:cacheprovider -q "$@" ;;
    *) sed -n '2,8p' "$0" && exit 2 ;;
esac
