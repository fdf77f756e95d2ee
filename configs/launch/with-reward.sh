#!/usr/bin/env bash
# configs/launch/with-reward.sh EXPORT COMMAND…
# Runs a trainer's command beside the reward service of an export (docs/EXPORT.md): starts `./prpf serve --gold … --pool …` with the export's
# own files, waits for /ready, gives COMMAND its address as PRPF_REWARD_URL, and ends it when COMMAND ends. Signals go to COMMAND; the exit
# status is COMMAND's, or the service's where that does not start.
# PRPF_REWARD_PORT: its port (8080). PRPF_SERVE_OPTIONS: more options, such as "--host 0.0.0.0 --api-key-file KEYS" for trainers on several nodes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -ge 2 ] || { echo "usage: with-reward.sh EXPORT COMMAND…" >&2; exit 2; }
export=$1
shift
port=${PRPF_REWARD_PORT:-8080}
for file in export.json gold.json function_pool.json reward.yaml; do
  [ -f "$export/$file" ] || { echo "error: $export: has no $file; name the folder of \`prpf data export --gold …\`" >&2; exit 65; }
done
reasoning=$(sed -n '/^ *"reasoning" :/{s/.*: "\([a-z-]*\)".*/\1/p;q}' "$export/export.json") # the first: its prompt has one too

ready() { # only once our own service says that it listens; asks without curl, which not every trainer's image has
  local answer
  [ -s "$listening" ] || return 1
  exec 3<> "/dev/tcp/127.0.0.1/$port" || return 1
  printf 'GET /ready HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' >&3 && read -r -t 5 answer <&3 && [[ $answer == *" 200 "* ]]
}

listening=$(mktemp)
set -m # each in a group of its own, so that Ctrl-C reaches this script alone, which passes it on
# shellcheck disable=SC2086 # options are words
"${PRPF:-$root/prpf}" serve --gold "$export/gold.json" --pool "$export/function_pool.json" --reward "$export/reward.yaml" \
  --reasoning "$reasoning" --port "$port" --json ${PRPF_SERVE_OPTIONS:-} > "$listening" &
service=$!
trap 'kill -TERM "$service" 2>/dev/null || true; wait "$service" 2>/dev/null || true; rm -f "$listening"' EXIT
for signal in TERM INT USR1; do trap 'exit 75' "$signal"; done
until (ready) 2>/dev/null; do
  kill -0 "$service" 2>/dev/null || { wait "$service" && status=0 || status=$?; echo "error: the reward service did not start" >&2; exit "$((status ? status : 69))"; }
  sleep 0.2
done

export PRPF_REWARD_URL=http://127.0.0.1:$port
direct=${no_proxy:-${NO_PROXY:-}} # some programs read one spelling, some the other
export NO_PROXY=${NO_PROXY:-$direct} no_proxy=$direct
[ "$NO_PROXY" = "*" ] || NO_PROXY=${NO_PROXY:+$NO_PROXY,}127.0.0.1,localhost # * is a wildcard only without others
[ "$no_proxy" = "*" ] || no_proxy=${no_proxy:+$no_proxy,}127.0.0.1,localhost
trainer=
early= # a signal that came before the trainer had a number
hand_on() {
  passed=1
  [ -n "$trainer" ] || { early=$1; return; }
  while cmp -s "/proc/$$/cmdline" "/proc/$trainer/cmdline"; do :; done # still a copy of this shell, in which the signal would be lost
  kill -"$1" "$trainer" 2>/dev/null || true
}
for signal in TERM INT USR1; do trap "hand_on $signal" "$signal"; done
"$@" &
trainer=$!
[ -z "$early" ] || hand_on "$early"
passed=1
while [ $passed = 1 ]; do # a signal ends the waiting, not the trainer
  passed=0
  wait "$trainer" && status=0 || status=$?
done
exit "$status"
