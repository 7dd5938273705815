#!/bin/sh
# Builds the spawner and the first program of machines, static and small. Called by Maven: build.sh OUTPUT-FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
arch=$(uname -m)
out="$1/native/linux-$arch"
mkdir -p "$out"

flags="-std=gnu11 -Os -static -s -Wall -Wextra -Werror -fno-asynchronous-unwind-tables"
if command -v musl-gcc >/dev/null 2>&1; then
  # musl has no kernel headers of its own.
  compiler="musl-gcc -idirafter /usr/include -idirafter /usr/include/$arch-linux-gnu"
elif command -v gcc >/dev/null 2>&1; then
  compiler=gcc
else
  echo "The spawner needs a C compiler: apt-get install musl-tools gcc libc6-dev" >&2
  exit 1
fi

cd "$here"
# shellcheck disable=SC2086 # the flags are words
$compiler $flags -o "$out/cove-spawner.new" ./*.c
mv "$out/cove-spawner.new" "$out/cove-spawner"
# A sandbox's root is put together by the same code, whichever kernel it is for.
# shellcheck disable=SC2086
$compiler $flags -o "$out/cove-machine.new" machine/*.c agent.c identity.c netlink.c report.c seccomp.c tree.c userns.c workspace.c
mv "$out/cove-machine.new" "$out/cove-machine"
