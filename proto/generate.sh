#!/bin/sh
# Writes the Python messages, stubs and types of proto/cheatarena/v1 to OUT/cheatarena/v1 (OUT: sdk, unless given).
# The path of a .proto is the import path of its module, so nothing is patched afterwards.
# Usage: proto/generate.sh [OUT]       PYTHON names an interpreter that has grpcio-tools and mypy-protobuf.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
out=${1:-$root/sdk}
python=${PYTHON:-$root/.venv/bin/python}
bin=$(dirname -- "$(command -v -- "$python")")
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

"$python" -m grpc_tools.protoc -I "$root/proto" \
    --plugin="protoc-gen-mypy=$bin/protoc-gen-mypy" --python_out="$fresh" --mypy_out="quiet:$fresh" \
    "$root"/proto/cheatarena/v1/*.proto
# Stubs for those that have a service; the names hold no spaces.
# shellcheck disable=SC2046
"$python" -m grpc_tools.protoc -I "$root/proto" \
    --plugin="protoc-gen-mypy_grpc=$bin/protoc-gen-mypy_grpc" --grpc_python_out="$fresh" --mypy_grpc_out="quiet:$fresh" \
    $(cd "$root/proto" && grep -l '^service ' cheatarena/v1/*.proto)
echo '"""The messages and stubs of the contract: generated from proto/cheatarena/v1, never edited."""' \
    > "$fresh/cheatarena/v1/__init__.py"

# Replaced whole, and only now that all went well: what left the contract must not live on.
rm -rf "$out/cheatarena/v1"
mkdir -p "$out/cheatarena/v1"
cp "$fresh"/cheatarena/v1/* "$out/cheatarena/v1/"
