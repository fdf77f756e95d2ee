#!/usr/bin/env bash
# ./prpf launch --to local -- COMMAND …   runs this: some members at a time, each until it ends. Names in double braces are filled in; a line
# whose name has no value is left out. Arguments: the members to run, all without.
{{environment}}
{{variables}}
seconds={{seconds}}
term=shared   # launch cancel sends SIGTERM to every process here
stop=
cd {{work}} || exit 69

{{member-script}}

work_off() {
  line=$(sed -n "$((member + 1))p" "$launch/members")
  while run_member; goes_on; do note requeued; done
}

trap 'stop=1' TERM
[ $# != 0 ] || eval "set -- {0..{{last}}}"
for member; do
  while [ "$(jobs -rp | wc -l)" -ge {{nodes}} ]; do wait -n; done
  [ -z "$stop" ] || break
  work_off >> "$launch/logs/$member.log" 2>&1 &
done
while [ -n "$(jobs -rp)" ]; do wait; done
