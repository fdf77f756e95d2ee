package dev.prpf.cli.launch;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.workflow.MemberState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A scheduler whose nodes see the launch's folder: members note there how they started and ended, and write their logs. */
abstract class NotedScheduler implements Scheduler {
    private static final String PENDING = "PENDING";

    /** Returns the members that the scheduler still has, each empty or a state in capitals followed by a reason. */
    abstract Map<Integer, String> known(LaunchFolder folder);

    @Override
    public List<MemberStatus> status(LaunchFolder folder) {
        Map<Integer, String> known = known(folder); // first: who ended before has noted it
        return IntStream.range(0, folder.launch().members().size())
                .mapToObj(member -> status(folder, member, known.get(member)))
                .toList();
    }

    private static MemberStatus status(LaunchFolder folder, int member, @Nullable String said) {
        MemberNotes notes = folder.notes(member);
        boolean ended = notes.last() == MemberNotes.Last.ENDED;
        MemberState state = ended && (said == null || !said.startsWith(PENDING))
                ? MemberState.left(Objects.requireNonNull(notes.exitCode()))
                : said == null
                        ? (folder.cancelled() ? MemberState.CANCELLED : MemberState.LOST)
                        : waiting(notes.last(), said);
        String detail = said == null || said.isEmpty() || state.over() ? null : said;
        if (state == MemberState.LOST) {
            detail = "it noted no end and " + folder.launch().to()
                    + " does not have it any more: killed, or its node was lost; ./prpf launch resume runs it again";
        }
        String command = folder.launch().members().get(member);
        return new MemberStatus(member, state, notes.exitCode(), notes.starts(), detail, command);
    }

    private static MemberState waiting(MemberNotes.Last last, String said) {
        if (last == MemberNotes.Last.REQUEUED || last == MemberNotes.Last.ENDED) { // by the script, or by the scheduler
            return MemberState.REQUEUED;
        }
        return last == MemberNotes.Last.NOTHING || said.startsWith(PENDING) ? MemberState.PENDING : MemberState.RUNNING;
    }

    @Override
    public void logs(LaunchFolder folder, List<Integer> members, @Nullable Duration every) {
        Map<Integer, LogTail> tails = new TreeMap<>();
        members.forEach(member -> tails.put(member, new LogTail(folder.log(member))));
        boolean over = every == null;
        while (true) {
            tails.forEach((member, tail) ->
                    tail.fresh(line -> ResultStream.line(tails.size() == 1 ? line : "[" + member + "] " + line)));
            if (over) {
                return;
            }
            LockSupport.parkNanos(Objects.requireNonNull(every).toNanos());
            over = status(folder).stream()
                    .filter(status -> tails.containsKey(status.member()))
                    .allMatch(status -> status.state().over());
        }
    }
}
