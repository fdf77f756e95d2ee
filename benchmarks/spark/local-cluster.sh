#!/usr/bin/env bash
# The jobs on a cluster of two executors of this machine beside the commands of one process: equal output, and the throughput of encoding.
#   python3 -m venv .venv && .venv/bin/pip install pyspark==4.1.3 pyarrow numpy
#   mvn -q -Pspark-jar -DskipTests package
#   benchmarks/spark/local-cluster.sh .venv/bin FOLDER RECORDS TEXTS
# FOLDER must be new; its data are made. RECORDS are validated, counted and scored, TEXTS encoded. SECONDS that a step took are printed.
set -euo pipefail
bin=$(cd "$1" && pwd) folder=$2 records=$3 texts=$4
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir "$folder" && folder=$(cd "$folder" && pwd)
python=$bin/python
export SPARK_HOME=$("$python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))') PYSPARK_PYTHON=$python SPARK_LOCAL_IP=127.0.0.1
prpf() { "$root/prpf" "$@"; }
spark() { # two executors of one core and 1 GiB of heap each
  "$bin/spark-submit" --master 'local-cluster[2,1,2048]' --driver-memory 2g --conf spark.executor.memory=1g --conf spark.ui.enabled=false \
    --conf spark.driver.host=127.0.0.1 --conf spark.local.dir="$folder/spill" \
    --class dev.prpf.spark.Main "$root/spark/target/prpf-spark.jar" "$@" 2>> "$folder/spark.log"
}
timed() { local from=$(date +%s.%N); "$@"; echo "$(date +%s.%N) $from" | awk '{printf "%.1f\n", $1 - $2}' > "$folder/seconds"; }
step() { echo "$1: $(cat "$folder/seconds") s"; }
same() { cmp "$2" "$3" && echo "$1: equal, sha256 $(sha256sum < "$2" | cut -c1-16)"; }

prpf data synth --out "$folder/synth" --count 2000 --multimodal-share 0 > "$folder/synth.log"
"$python" "$root/benchmarks/spark/data.py" "$folder" "$records" "$texts"
pool=$folder/synth/function_pool.json

timed prpf data validate --data "$folder/gold.jsonl" --pool "$pool" --json > "$folder/validate.json" || true; step "validate, one process"
timed spark validate --data "$folder/gold" --pool "$pool" --out "$folder/findings" --json > "$folder/validate-spark.json" || true; step "validate, cluster"
"$python" -c 'import json, sys; [print(json.dumps(f, ensure_ascii=False, separators=(",", ":"))) for f in json.load(open(sys.argv[1]))["findings"]]' \
  "$folder/validate.json" > "$folder/findings.local"
cat "$folder"/findings/part-* > "$folder/findings.spark"
same findings "$folder/findings.local" "$folder/findings.spark"

timed prpf data stats --data "$folder/gold.jsonl" --json > "$folder/stats.json"; step "stats, one process"
timed spark stats --data "$folder/gold" --json > "$folder/stats-spark.json"; step "stats, cluster"
same stats "$folder/stats.json" "$folder/stats-spark.json"

timed prpf eval score --gold "$folder/gold.jsonl" --pool "$pool" --predictions "$folder/predictions.jsonl" --json > "$folder/score.json"; step "score, one process"
timed spark score --gold "$folder/gold" --pool "$pool" --predictions "$folder/predictions" --json > "$folder/score-spark.json"; step "score, cluster"
same scores "$folder/score.json" "$folder/score-spark.json"

[ "$texts" -gt 0 ] || exit 0
timed prpf data encode --texts "$folder/texts.json" --int8 --threads 2 --out "$folder/vectors.safetensors" --json > "$folder/encode.json"; step "encode, one process"
timed spark encode --texts "$folder/texts" --int8 --threads 1 --out "$folder/vectors" --json > "$folder/encode-spark.json"; step "encode, cluster"
"$python" "$root/benchmarks/spark/vectors.py" "$folder/vectors.safetensors" "$folder/vectors"

# An executor dies in the middle: Spark starts another, and the output is the same.
spark encode --texts "$folder/texts" --int8 --threads 1 --partitions 16 --out "$folder/vectors-died" --json > "$folder/encode-died.json" &
job=$!
until find "$folder/vectors-died" -name '*.parquet' -size +0 2>/dev/null | grep -q .; do kill -0 $job; sleep 0.2; done
executor=$(pgrep -P "$(pgrep -P $job)" -f CoarseGrainedExecutorBackend | head -1)
kill -9 "$executor" && wait $job
echo "an executor was killed: $(grep -c 'Lost executor' "$folder/spark.log") lost"
"$python" "$root/benchmarks/spark/vectors.py" "$folder/vectors.safetensors" "$folder/vectors-died"
