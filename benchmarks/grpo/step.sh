#!/usr/bin/env bash
# One GRPO step as README.md describes it, after `mvn -DskipTests package`: step.sh STEPS fp32|bf16 full|lora RESPONSES_A_BATCH
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=5000 MALLOC_ARENA_MAX=1
exec java -Xmx1g -Dfile.encoding=UTF-8 -Dai.djl.offline=true -Dai.djl.pytorch.num_threads="$OMP_NUM_THREADS" \
  -cp "$root/par-serve/target/test-classes:$root/eval/target/classes:$(cat "$root/eval/target/classpath.txt")" \
  dev.prpf.par.training.GrpoStepBench "$@"
