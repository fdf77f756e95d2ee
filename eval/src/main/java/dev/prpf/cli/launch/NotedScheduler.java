package dev.prpf.cli.launch;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.cli.launch.JobScheduler.MemberStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Base of the schedulers with nodes that share the launch's folder, where members write their starts, ends and logs. */
interface NotedScheduler extends JobScheduler {
    String PENDING = "PENDING";

    /** Returns the members that the scheduler still has. A value is empty, or a state in capitals followed by a reason. */
    Map<Integer, String> known(LaunchFolder folder);

    @Override
    default List<MemberStatus> status(LaunchFolder folder) {
        Map<Integer, String> known = known(folder); // first: a member that ended before this call has noted it
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
            detail = "it recorded no end and " + folder.launch().to()
                    + " no longer has it: killed, or its node was lost; ./prpf launch resume runs it again";
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
    default void logs(LaunchFolder folder, List<Integer> members, @Nullable Duration every) {
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

    /** Follows a growing log, which may not exist yet. Memory holds one line, or a part of a long line. */
    final class LogTail {
        /** Longer lines are split at this length. */
        static final int LONGEST_LINE = 1 << 20;

        private static final int CHUNK = 1 << 16;
        private static final int CONTINUES = 0b1000_0000;
        private static final int CONTINUATION_MASK = 0b1100_0000;

        private final Path file;
        private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
        private long at;

        LogTail(Path file) {
            this.file = file;
        }

        /**
         * Passes on the complete lines since the last call, one by one.
         *
         * @param lines receives each line, without its newline
         */
        void fresh(Consumer<String> lines) {
            if (!Files.exists(file)) {
                return;
            }
            try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
                input.seek(at);
                byte[] chunk = new byte[CHUNK];
                for (int read = input.read(chunk); read > 0; read = input.read(chunk)) {
                    at += read;
                    take(chunk, read, lines);
                }
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
        }

        private void take(byte[] chunk, int length, Consumer<String> lines) {
            int from = 0;
            for (int i = 0; i < length; i++) {
                boolean end = chunk[i] == '\n';
                boolean full = begun.size() + i - from >= LONGEST_LINE && (chunk[i] & CONTINUATION_MASK) != CONTINUES;
                if (end || full) {
                    begun.write(chunk, from, i - from);
                    lines.accept(begun.toString(StandardCharsets.UTF_8));
                    begun.reset();
                    from = end ? i + 1 : i;
                }
            }
            begun.write(chunk, from, length - from);
        }
    }

    /**
     * Events that a member's job script noted ({@code configs/launch/member.sh}).
     *
     * @param exitCode of the last end; null before the first
     */
    record MemberNotes(int starts, Last last, @Nullable Integer exitCode) {
        enum Last {
            NOTHING,
            STARTED,
            ENDED,
            REQUEUED
        }

        /** Parses lines of time, event and a word; an incomplete last line is ignored. */
        static MemberNotes parse(String text) {
            int starts = 0;
            Last last = Last.NOTHING;
            Integer exitCode = null;
            for (String line :
                    text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
                List<String> words = List.of(line.split(" ", -1));
                String event = words.size() > 1 ? words.get(1) : "";
                if (event.equals("started")) {
                    starts++;
                    last = Last.STARTED;
                } else if (event.equals("requeued") || event.equals("resumed")) {
                    last = Last.REQUEUED;
                } else if (event.equals("ended")
                        && words.size() > 2
                        && words.get(2).matches("\\d{1,3}")) {
                    last = Last.ENDED;
                    exitCode = Integer.valueOf(words.get(2));
                }
            }
            return new MemberNotes(starts, last, exitCode);
        }
    }

    /**
     * Runs a job on this machine, as a shell in its own session. Neither Ctrl-C nor a closed terminal reaches the shell; one SIGTERM to its process
     * group reaches each process once.
     */
    record LocalScheduler(Programs programs) implements NotedScheduler {
        @Override
        public String submit(LaunchFolder folder, List<Integer> members) {
            List<String> command =
                    new ArrayList<>(List.of("setsid", "bash", folder.job().toString()));
            members.forEach(member -> command.add(String.valueOf(member)));
            Process job = programs.startInBackground(command, folder.path().resolve("logs/job.log"));
            return job.pid() + "@" + host();
        }

        @Override
        public Map<Integer, String> known(LaunchFolder folder) {
            Map<Integer, String> known = new HashMap<>();
            if (runs(folder)) {
                for (int member = 0; member < folder.launch().members().size(); member++) {
                    known.put(member, "");
                }
            }
            return known;
        }

        /** Returns whether the process with this id still belongs to this job. */
        private static boolean runs(LaunchFolder folder) {
            return ProcessHandle.of(pid(folder))
                    .filter(ProcessHandle::isAlive)
                    .flatMap(process -> process.info().commandLine())
                    .filter(line -> line.contains(folder.job().toString()))
                    .isPresent();
        }

        private static long pid(LaunchFolder folder) {
            String[] id = folder.id().split("@", 2);
            if (id.length < 2 || !id[0].matches("\\d+") || !id[1].equals(host())) {
                throw new UsageException(
                        folder.path() + ": runs on another machine (" + folder.id() + "); run this command there");
            }
            return Long.parseLong(id[0]);
        }

        @Override
        public void cancel(LaunchFolder folder) {
            if (runs(folder)) {
                programs.run(List.of("bash", "-c", "kill -TERM -- -\"$0\"", String.valueOf(pid(folder))));
            }
        }

        private static String host() {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                throw new UnavailableException("this machine has no name: " + e.getMessage(), e);
            }
        }
    }

    /** Submits to Slurm through {@code sbatch}, {@code squeue} and {@code scancel}. */
    record SlurmScheduler(Programs programs) implements NotedScheduler {
        private static final int COLUMNS = 4;

        @Override
        public String submit(LaunchFolder folder, List<Integer> members) {
            List<String> command = new ArrayList<>(List.of("sbatch", "--parsable"));
            if (members.size() < folder.launch().members().size()) {
                String numbers = members.stream().map(String::valueOf).collect(Collectors.joining(","));
                command.add("--array=" + numbers + "%" + folder.launch().nodes());
            }
            command.add(folder.job().toString());
            String answer = programs.run(command).strip();
            String id = answer.split(";", -1)[0]; // the cluster's name follows, if there are several
            if (!id.matches("\\d+")) {
                throw new UnavailableException(
                        "sbatch --parsable printed \"" + answer + "\", which does not begin with a job id");
            }
            return id;
        }

        @Override
        public Map<Integer, String> known(LaunchFolder folder) {
            String table = programs.run(List.of("squeue", "--noheader", "--array", "--me", "--format=%F|%K|%T|%r"));
            Map<Integer, String> known = new HashMap<>();
            for (String line : table.lines().toList()) {
                String[] columns = line.split("\\|", -1);
                if (columns.length == COLUMNS && columns[0].strip().equals(folder.id())) {
                    String member = columns[1].strip();
                    String reason = columns[3].strip();
                    known.put(
                            member.matches("\\d+") ? Integer.parseInt(member) : 0,
                            columns[2].strip() + (reason.equals("None") ? "" : " (" + reason + ")"));
                }
            }
            return known;
        }

        @Override
        public void cancel(LaunchFolder folder) {
            programs.run(List.of("scancel", folder.id()));
        }
    }
}
