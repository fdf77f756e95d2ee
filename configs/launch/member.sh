# What every job does with its member, whichever scheduler runs it. Set before:
#   launch     the launch's folder, empty where the node does not see it
#   prpf       the launcher; profile, encoders, perceiver, gpus, cpus: how it is built and what the member asked for
#   seconds    after which the member is told to save, empty where the scheduler tells
#   term       hand-on where SIGTERM reaches this shell alone, shared where it reaches the member too
#   member     its number from 0; line: its command, quoted for a shell; restarts, retries
status=0
heard=
terminated=
told=
work=

note() { [ -z "$launch" ] || echo "$(date -u +%FT%TZ) $*" >> "$launch/state/$member"; }

choose_profile() {
  local found
  if [ "$profile" = auto ]; then
    found=$(PRPF_PROFILE=cpu "$prpf" doctor --json) || { set -- $?; echo "$found" >&2; return "$1"; }
    found=$(sed -n 's/.*"name":"profile"[^}]*"found":"\([^"]*\)".*/\1/p' <<< "$found")
    [ -n "$found" ] || { echo "error: doctor on $HOSTNAME cannot tell which build fits its cards; set profile" >&2; return 69; }
    echo "prpf: doctor on $HOSTNAME: $found" >&2
    profile=${found%%:*}
    # A build whose perceiver runs on the GPU refuses device: cpu, so it is for members that ask for it.
    case $perceiver,$found in cuda,*cuda-mpp:*) profile=cuda-mpp ;; esac
  fi
  if [ "$gpus" != 0 ] && [ "$profile" = cpu ]; then
    echo "error: gpus = $gpus, and PRPF_PROFILE=cpu is what fits $HOSTNAME; ask for nodes with GPUs, or for none" >&2
    return 69
  fi
  export PRPF_PROFILE=$profile$encoders
  echo "prpf: PRPF_PROFILE=$PRPF_PROFILE on $HOSTNAME" >&2
}

tell_to_save() {
  told=1
  heard=1
  [ -z "$work" ] || kill -USR1 "$work" 2> /dev/null
}

terminate() {
  terminated=1
  heard=1
  if [ "$term" = hand-on ] && [ -n "$work" ]; then kill -TERM "$work" 2> /dev/null; fi
}

warn_after() { # SECONDS SHELL
  local pause
  trap - USR1
  trap 'kill "$pause" 2> /dev/null; exit' TERM
  sleep "$1" &
  pause=$!
  wait "$pause" && kill -USR1 "$2" 2> /dev/null
}

run_member() { # sets status
  local timer= shell=$BASHPID # which a subshell has its own of
  told=
  work=
  trap tell_to_save USR1
  trap terminate TERM
  note "started $HOSTNAME"
  choose_profile
  status=$?
  [ -z "$told$terminated" ] || status=75 # nothing had begun
  [ "$status" = 0 ] || { note "ended $status"; return; }
  export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$cpus} # a node may show more than were given
  eval "set -- $line"
  "$prpf" "$@" &
  work=$!
  # A signal that came before its number was known.
  [ -z "$told" ] || tell_to_save
  [ -z "$terminated" ] || terminate
  [ -z "$seconds" ] || { warn_after "$seconds" "$shell" & timer=$!; }
  heard=1
  while [ -n "$heard" ]; do # a signal ends wait, not the work
    heard=
    wait "$work"
    status=$?
  done
  [ -z "$timer" ] || kill "$timer" 2> /dev/null
  # SIGUSR1 or SIGTERM before the member listened: it had nothing to save yet.
  case $status in 138 | 143) status=75 ;; esac
  note "ended $status"
}

times_left_with() { # STATUS: how often since it was submitted, or since `launch resume` submitted it again
  local count=0 at event code
  while read -r at event code; do
    case "$event $code" in
      "resumed "*) count=0 ;;
      "ended $1") count=$((count + 1)) ;;
    esac
  done < "$launch/state/$member"
  echo "$count"
}

goes_on() { # whether the member runs again: it saved and nobody outside stopped it, or it was killed
  local limit
  [ -z "$terminated" ] && [ ! -e "$launch/cancelled" ] || return
  case $status in
    75) limit=$restarts ;;
    137) limit=$retries ;;
    *) return 1 ;;
  esac
  [ "$(times_left_with "$status")" -le "$limit" ] && return
  echo "error: the member exited with $status more than $limit times and is not run again" >&2
  return 1
}
