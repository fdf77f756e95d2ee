#!/usr/bin/env bash
# Usage: examples/feedback/run.sh [FOLDER], default runs/feedback. Trains a cascade, serves it, collects feedback, and trains again with it.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-runs/feedback}
prpf=${PRPF:-./prpf}
[ ! -e "$out/records.json" ] || { echo "$out/records.json exists; name a new folder" >&2; exit 2; }
mkdir -p "$out"

# 1. Train and serve. Without --policy and keys, the server keeps feedback until it ends.
"$prpf" train examples/own-data/recipe.yaml --run-dir "$out/before"
"$prpf" serve "$out/before" --port 0 --json > "$out/server.json" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
until [ -s "$out/server.json" ]; do
    kill -0 "$server" || { echo "the server did not start" >&2; exit 1; }
    sleep 0.2
done
address=$(sed 's/.*"\(http[^"]*\)".*/\1/' "$out/server.json")

# 2. Accept one suggestion and reject another.
PYTHONPATH=integrations/python PYTHONDONTWRITEBYTECODE=1 python3 examples/feedback/phone.py "$address"

# 3. Collect the feedback after the records that the cascade was trained on.
"$prpf" data feedback --server "$address" --user ann --data examples/own-data/records.json --out "$out/records.json"
kill "$server"
wait "$server" || { echo "the server ended with status $?" >&2; exit 1; }

# 4. Train again.
cp examples/own-data/functions.json "$out/functions.json"
printf 'data: {train: records.json}\nfunctions: functions.json\n' > "$out/recipe.yaml"
"$prpf" train "$out/recipe.yaml" --run-dir "$out/after"
