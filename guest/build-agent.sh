#!/bin/sh
# Builds the agent and the command that lies in every sandbox: build-agent.sh TARGET_FOLDER [FLAG...]. Static, so that it runs in any root file system.
set -eu
mkdir -p "$1"
target=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")"
case "$(uname -m)" in
  x86_64) arch=x86_64 ;;
  aarch64 | arm64) arch=aarch64 ;;
  *) echo "cove-agent: no build for $(uname -m)" >&2; exit 1 ;;
esac
out=$target/native/linux-$arch
compiler=musl-gcc
if ! command -v $compiler >/dev/null 2>&1; then
  echo "cove-agent: musl-gcc is missing (Debian: musl-tools); using gcc, the agent starts slower" >&2
  compiler=gcc
fi
mkdir -p "$out"
# Unchanged sources give an unchanged file, and a build that does nothing.
if [ -x "$out/cove-checkpoint" ] && [ -x "$out/cove-agent" ] && [ -z "$(find src/main/c build-agent.sh -newer "$out/cove-agent")" ]; then
  exit 0
fi
compile() {
  $compiler -std=gnu11 -Os -static -s -pthread -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
    -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables \
    -Wl,--gc-sections -Wl,-z,noseparate-code "$@"
}
compile -o "$out/cove-checkpoint.tmp" src/main/c/inside/*.c
mv "$out/cove-checkpoint.tmp" "$out/cove-checkpoint"
compile "$@" -o "$out/cove-agent.tmp" src/main/c/*.c
mv "$out/cove-agent.tmp" "$out/cove-agent"
