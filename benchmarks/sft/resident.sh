#!/usr/bin/env bash
# Prints step and resident MB of process PID whenever METRICS has 50 steps more, until it ends: resident.sh PID METRICS
set -euo pipefail
pid=$1 metrics=$2 next=1
while resident=$(awk '/^VmRSS/ {print int($2 / 1000)}' "/proc/$pid/status" 2>/dev/null) && [ -n "$resident" ]; do
  step=$(tail -n 1 "$metrics" 2>/dev/null | sed -n 's/.*"step":\([0-9]*\).*/\1/p') || true
  if [ "${step:-0}" -ge "$next" ]; then
    echo "step $step: $resident MB"
    next=$((step / 50 * 50 + 50))
  fi
  sleep 0.05
done
