#!/bin/sh
# Downloads the executable of this machine, verifies its checksum, and prints the folder that holds it.
#   install.sh <version> <folder> [<address of the release files>]
set -eu
version=$1
folder=$2
base=${3:-https://github.com/orgferry/orgferry/releases/download/v$version}

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=macos ;;
  MINGW* | MSYS*) system=windows ;;
  *) echo "orgferry has no executable for $(uname -s)" >&2 && exit 1 ;;
esac
case $(uname -m) in
  x86_64 | amd64) processor=x64 ;;
  aarch64 | arm64) processor=arm64 ;;
  *) echo "orgferry has no executable for $(uname -m)" >&2 && exit 1 ;;
esac
file=orgferry-$version-$system-$processor.tar.gz

mkdir -p "$folder"
cd "$folder"
curl --fail --silent --show-error --location --retry 3 --output "$file" "$base/$file"
curl --fail --silent --show-error --location --retry 3 --output SHA256SUMS "$base/SHA256SUMS"
grep "  $file\$" SHA256SUMS > wanted || { echo "SHA256SUMS does not name $file" >&2 && exit 1; }
if command -v sha256sum > /dev/null; then sha256sum --check --status wanted; else shasum -a 256 --check --status wanted; fi || {
  rm -f "$file"
  echo "$file is not the file of the release: its checksum differs" >&2
  exit 1
}
tar -xzf "$file"
rm -f "$file" SHA256SUMS wanted
pwd
