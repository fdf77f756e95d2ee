#!/usr/bin/env bash
# Runs one of the programs that GENERATION.md describes, after `mvn -DskipTests package`: generation.sh soak 10000 | open many 2000 49152 | samples DIR fp32 2000 8 64 3
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1:-} in
  soak) main=dev.prpf.par.constraint.GenerationSoak ;;
  open) main=dev.prpf.par.constraint.OpenObjectSoak ;;
  samples) main=dev.prpf.par.generate.SamplesBench ;;
  *) echo "usage: generation.sh soak COUNT | open dict|basic|many|shipped COUNT TOKENIZER-DIR|SIZE | samples MODEL DTYPE PROMPT SAMPLES NEW ROUNDS" >&2; exit 2 ;;
esac
shift
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_WAIT_POLICY=passive
# the heap is whole from the start, so that what grows is not the heap
exec java -Xms512m -Xmx512m -XX:+AlwaysPreTouch -Dfile.encoding=UTF-8 -Dai.djl.offline=true -Dai.djl.pytorch.num_threads="$OMP_NUM_THREADS" \
  -cp "$root/par-serve/target/test-classes:$root/eval/target/classes:$(cat "$root/eval/target/classpath.txt")" "$main" "$@"
