#!/usr/bin/env bash
# Latency of /v1/perceive as docs/SERVE.md describes it, after `mvn -DskipTests package`: perceive.sh RUN REQUESTS_PER_SECOND SECONDS
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=5000 MALLOC_ARENA_MAX=1
exec java -Xmx1g -Dfile.encoding=UTF-8 -Dai.djl.offline=true -Dai.djl.pytorch.num_threads="$OMP_NUM_THREADS" \
  -cp "$root/par-serve/target/test-classes:$root/eval/target/classes:$(cat "$root/eval/target/classpath.txt")" \
  dev.prpf.par.serve.cascade.PerceiveLatencyBench "$@"
