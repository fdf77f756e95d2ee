#!/usr/bin/env bash
# Packs the kit for a machine without network, Java and Maven: pack.sh OUT [CLASSPATH]
# OUT becomes a small tree of this one with java.tar.xz: a runtime made by jlink, our jars and what they need on the kit's paths. Without CLASSPATH, that of ./prpf.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fail() { echo "error: $1" >&2; exit "$2"; }
[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: pack.sh OUT [CLASSPATH]" 2
out=$1
[ ! -e "$out" ] || [ -f "$out/kit.json" ] || [ -z "$(ls -A "$out")" ] || fail "$out holds something else than a kit; name a new folder" 2
classpath=${2:-}
if [ -z "$classpath" ]; then
  classpath=$(PRPF_JAVA_OPTIONS=-XshowSettings:properties "$root/prpf" --version 2>&1 |
    awk '/^ *java.class.path =/ {on = 1; sub(/.*= /, "")} / = / {on = 0} on || /java.class.path/ {print $1}' | paste -sd:)
fi
rm -rf "$out" && mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The jars on the paths of the kit. ND4J, ONNX Runtime and models of encoders are not among them: GpuKitTest runs the kit without.
mkdir "$work/lib"
wanted='^(data-prep|mpp-train|par-serve|eval|api|pytorch-engine|pytorch-jni|tokenizers|jna|jackson-(core|databind|annotations|dataformat-yaml)|snakeyaml|picocli|logback-(core|classic)|slf4j-api|jspecify|commons-(codec|lang3|math3|io|compress)|jline-(terminal|native)|progressbar|gson)-[0-9].*\.jar$'
IFS=: read -ra entries <<<"$classpath"
for entry in "${entries[@]}"; do
  if [ -d "$entry" ]; then
    case $entry in *test-classes*) continue ;; esac
    "${JAVA_HOME:+$JAVA_HOME/bin/}jar" --create --file "$work/lib/$(echo "${entry#/}" | tr / -).jar" -C "$entry" .
  elif [[ ${entry##*/} =~ $wanted ]]; then
    cp "$entry" "$work/lib/"
  fi
done
[ -n "$(find "$work/lib" -name 'pytorch-jni-*.jar')" ] || fail "the class path has no pytorch-jni: $classpath" 1
python3 - "$work/lib" <<'PYTHON' # without natives of other platforms, and stored: xz compresses all of them together
import pathlib, re, sys, zipfile
OTHER = re.compile(r"(win|osx|darwin|mac|aix|freebsd|openbsd|sunos|dragonfly)[-/_]|\.(dll|dylib)$|[/-](aarch64|armel|arm|x86|ppc|ppc64|ppc64le|mips64el|s390x|riscv64|loongarch64)/", re.I)
for jar in pathlib.Path(sys.argv[1]).glob("*.jar"):
    natives = jar.name.startswith(("jna", "tokenizers", "pytorch-jni", "jline"))
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(jar.with_suffix(".new"), "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            if name.endswith(".class") or not (natives and OTHER.search(name)):
                new.writestr(name, old.read(name))
    jar.with_suffix(".new").replace(jar)
PYTHON
"${JAVA_HOME:+$JAVA_HOME/bin/}jlink" --add-modules java.base,java.desktop,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml,jdk.httpserver,jdk.unsupported \
  --strip-debug --no-header-files --no-man-pages --output "$work/java"
mv "$work/lib" "$work/java/jars"
XZ_OPT=${XZ_OPT:--1 -T0} tar -C "$work/java" -cJf "$out/java.tar.xz" .

cd "$root"
cp --parents benchmarks/gpu/{kit,device,speed,training,memory}.py benchmarks/torchscript/{engine,run_goldens}.py configs/reasoner-{init,sft,grpo}.yaml \
  par-serve/src/main/resources/dev/prpf/par/{engine,training,grpo}/*.torchscript "$out"
for golden in par-serve/src/test/resources/golden/*/golden.safetensors; do
  weights=("${golden%/*}"/model*.safetensors)
  [ ! -e "${weights[0]}" ] || cp --parents "${golden%/*}"/{config.json,golden.safetensors,model*.safetensors} "$out"
done
cp benchmarks/gpu/run.sh "$out/"
printf '{"revision": "%s", "packed": "%s"}\n' "$(git describe --always --dirty --abbrev=40 --exclude="*" 2>/dev/null || echo unknown)" "$(date -u +%FT%TZ)" >"$out/kit.json"
size=$(du -sb "$out" | cut -f1)
[ "$size" -le $((60 << 20)) ] || fail "$out has $((size >> 20)) MiB, at most 60 may be carried" 1
echo "$out: $(awk "BEGIN {printf \"%.1f\", $size / 1048576}") MiB"
