#!/usr/bin/env bash
# The jobs on a cluster of two executors of this machine beside the commands of one process: equal output, the time and memory of both, and
# the throughput of encoding.
#   python3 -m venv .venv && .venv/bin/pip install pyspark==4.1.3 pyarrow numpy
#   mvn -q -Pspark-jar -DskipTests package
#   benchmarks/spark/local-cluster.sh .venv/bin FOLDER RECORDS TEXTS [STEP…]
# RECORDS are validated, counted and scored, TEXTS encoded. The steps are data (makes FOLDER, which must be new), validate, stats, score,
# encode-one, encode-cluster (which compares them) and died (an executor is killed in the middle); all of them where none is named. Printed are the seconds that a command
# took and the largest resident memory that one of its Java processes had at any time (of the cluster: of its executors).
set -euo pipefail
bin=$(cd "$1" && pwd) folder=$2 records=$3 texts=$4
steps=" ${*:5} "
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
asked() { [ "$steps" = "  " ] || [[ $steps = *" $1 "* ]]; }
if asked data; then mkdir "$folder"; fi
folder=$(cd "$folder" && pwd)
python=$bin/python
export SPARK_HOME=$("$python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))') PYSPARK_PYTHON=$python SPARK_LOCAL_IP=127.0.0.1
prpf() { "$root/prpf" "$@"; }
spark() { # two executors of one core and 1 GiB of heap each
  "$bin/spark-submit" --master 'local-cluster[2,1,2048]' --driver-memory 2g --conf spark.executor.memory=1g --conf spark.ui.enabled=false \
    --conf spark.driver.host=127.0.0.1 --conf spark.local.dir="$folder/spill" \
    --class dev.prpf.spark.SparkMain "$root/spark/target/prpf-spark.jar" "$@" 2>> "$folder/spark.log"
}
largest() { # PATTERN: the largest resident set, in MB, of a process whose command line has it, until this is killed
  local most=0 now
  while sleep 0.5; do
    now=$(ps -eo rss=,args= | awk -v p="$1" 'index($0, p) && !/awk/ { if ($1 > m) m = $1 } END { print int(m / 1024) }')
    if [ "$now" -gt "$most" ]; then most=$now; echo "$most" > "$folder/memory"; fi
  done
}
measured() { # NAME PATTERN COMMAND…
  local name=$1 pattern=$2 from watch status=0
  shift 2
  echo 0 > "$folder/memory"
  largest "$pattern" & watch=$!
  from=$(date +%s.%N)
  "$@" || status=$?
  echo "$(date +%s.%N) $from" | awk '{printf "%.1f\n", $1 - $2}' > "$folder/seconds"
  kill $watch && wait $watch 2>/dev/null || true
  cp "$folder/seconds" "$folder/seconds.${name// /-}"
  echo "$name: $(cat "$folder/seconds") s, $(cat "$folder/memory") MB" >&2
  return $status
}
one() { measured "$1, one process" dev.prpf.cli.Main prpf "${@:2}"; }
cluster() { measured "$1, cluster" CoarseGrainedExecutorBackend spark "${@:2}"; }
same() { cmp "$2" "$3" && echo "$1: equal, sha256 $(sha256sum < "$2" | cut -c1-16)"; }
vectors() { "$python" "$root/benchmarks/spark/vectors.py" "$folder/vectors.safetensors" "$1"; }
pool=$folder/synth/function_pool.json

if asked data; then
  prpf data synth --out "$folder/synth" --count 2000 --multimodal-share 0 > "$folder/synth.log"
  "$python" "$root/benchmarks/spark/data.py" "$folder" "$records" "$texts"
fi

if asked validate; then
  one validate data validate --data "$folder/gold.jsonl" --pool "$pool" --json > "$folder/validate.json" || [ $? = 65 ]
  cluster validate validate --data "$folder/gold" --pool "$pool" --out "$folder/findings" --json > "$folder/validate-spark.json" || [ $? = 65 ]
  "$python" -c 'import json, sys; [print(json.dumps(f, ensure_ascii=False, separators=(",", ":"))) for f in json.load(open(sys.argv[1]))["findings"]]' \
    "$folder/validate.json" > "$folder/findings.local"
  cat "$folder"/findings/part-* > "$folder/findings.spark"
  same findings "$folder/findings.local" "$folder/findings.spark"
fi

if asked stats; then
  one stats data stats --data "$folder/gold.jsonl" --json > "$folder/stats.json"
  cluster stats stats --data "$folder/gold" --json > "$folder/stats-spark.json"
  same stats "$folder/stats.json" "$folder/stats-spark.json"
fi

if asked score; then
  one score eval score --gold "$folder/gold.jsonl" --pool "$pool" --predictions "$folder/predictions.jsonl" --json > "$folder/score.json"
  cluster score score --gold "$folder/gold" --pool "$pool" --predictions "$folder/predictions" --json > "$folder/score-spark.json"
  same scores "$folder/score.json" "$folder/score-spark.json"
fi

if asked encode-one && [ "$texts" -gt 0 ]; then
  one encode data encode --texts "$folder/texts.json" --int8 --threads 2 --out "$folder/vectors.safetensors" --json > "$folder/encode.json"
fi

if asked encode-cluster && [ "$texts" -gt 0 ]; then
  cluster encode encode --texts "$folder/texts" --int8 --threads 1 --out "$folder/vectors" --json > "$folder/encode-spark.json"
  awk -v texts="$texts" '{ s[NR] = $1 } END { printf "encode: %.1f and %.1f texts a second, %.3f of one process\n", texts / s[1], texts / s[2], s[1] / s[2] }' \
    "$folder/seconds.encode,-one-process" "$folder/seconds.encode,-cluster"
  vectors "$folder/vectors"
fi

if asked died && [ "$texts" -gt 0 ]; then # Spark starts another executor, and the output is the same
  spark encode --texts "$folder/texts" --int8 --threads 1 --partitions 16 --out "$folder/vectors-died" --json > "$folder/encode-died.json" &
  job=$!
  until find "$folder/vectors-died" -name '*.parquet' -size +0 2>/dev/null | grep -q .; do kill -0 $job; sleep 0.2; done
  executor=$(pgrep -P "$(pgrep -P $job)" -f CoarseGrainedExecutorBackend | head -1)
  kill -9 "$executor" && wait $job
  echo "an executor was killed: $(grep -c 'Lost executor' "$folder/spark.log") lost"
  vectors "$folder/vectors-died"
fi
