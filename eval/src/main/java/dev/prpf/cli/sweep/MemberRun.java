package dev.prpf.cli.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs a member's unfinished commands in this process and saves the result of each. */
record MemberRun(SweepPlan plan, SweepMember member, InThisProcess here) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String AS_JSON = "--json";

    /** Returns the lock that is held while a member runs. */
    static Path lock(SweepPlan plan, SweepMember member) {
        return plan.results(member).resolveSibling(member.name() + ".lock");
    }

    /**
     * Runs the member to its end.
     *
     * @throws PrpfException the failure of a command, which is saved; 75 after a signal; 69 if another process runs the member
     */
    void run() {
        LockFile lock = LockFile.tryTake(lock(plan, member));
        if (lock == null) {
            throw new UnavailableException("member " + member.name() + " of " + plan.directory()
                    + ": another process is running it; wait for that one");
        }
        try (lock) {
            MemberRecord record = MemberRecord.of(member, plan.results(member));
            if (record.done()) {
                System.err.println("member " + member.name() + ": done before");
                return;
            }
            steps(record.left(null, null));
        }
    }

    private void steps(MemberRecord begun) {
        Path file = plan.results(member);
        MemberRecord record = begun;
        record.write(file);
        try (StopSignal stop = StopSignal.install()) {
            for (int i = record.steps().size(); i < member.steps().size(); i++) {
                if (stop.requested()) {
                    throw new RunInterruptedException("stopped by a signal between two commands; run the member again");
                }
                record = record.and(step(member.steps().get(i)));
                record.write(file);
            }
            record.left(ExitCode.DONE.status(), null).write(file);
        } catch (RuntimeException | Error e) {
            PrpfException known =
                    e instanceof UncheckedIOException io ? IoFailure.of(io) : e instanceof PrpfException p ? p : null;
            int status = known != null
                    ? ExitCode.of(known).status()
                    : (e instanceof OutOfMemoryError ? ExitCode.OUT_OF_MEMORY : ExitCode.BUG).status();
            String why = String.valueOf(known == null ? e.toString() : known.getMessage());
            record.left(status, why.lines().findFirst().orElse("")).write(file);
            throw e;
        }
    }

    private MemberRecord.Step step(List<String> command) {
        List<String> words = withJson(command);
        System.err.println(Stage.typed(words));
        long start = System.nanoTime();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        here.call(words, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        String text = bytes.toString(StandardCharsets.UTF_8);
        System.err.print(text);
        return new MemberRecord.Step(
                Stage.typed(words), Math.round((System.nanoTime() - start) / 1e7) / 100.0, last(text));
    }

    private List<String> withJson(List<String> command) {
        ParsedCommand parsed = ParsedCommand.of(here.commandLine().get(), command);
        if (!parsed.takes(AS_JSON) || parsed.has(AS_JSON)) {
            return command;
        }
        List<String> words = new ArrayList<>(command);
        words.add(AS_JSON);
        return words;
    }

    private static JsonNode last(String text) {
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        try {
            return lines.isEmpty() ? NullNode.getInstance() : JSON.readTree(lines.get(lines.size() - 1));
        } catch (JsonProcessingException noJson) {
            return NullNode.getInstance();
        }
    }

    /**
     * State and results of a member: {@code results/NAME.json}.
     *
     * @param steps finished commands, in order
     * @param exit its exit code; null while it runs or if it was killed
     * @param problem the reason why it is not done, one line; null if unknown
     */
    record MemberRecord(
            int index,
            String name,
            Map<String, String> values,
            List<Step> steps,
            @Nullable Integer exit,
            @Nullable String problem) {

        /**
         * A finished command of a member.
         *
         * @param result its last line of JSON; null without one
         */
        record Step(String command, double seconds, JsonNode result) {}

        /** Reads the record of a member; without a file, the member has not started. */
        static MemberRecord of(SweepMember member, Path file) {
            if (!Files.isRegularFile(file)) {
                return new MemberRecord(member.index(), member.name(), member.values(), List.of(), null, null);
            }
            return JsonFile.record(file, "record of a sweep's member", MemberRecord.class);
        }

        boolean done() {
            return exit != null && exit == 0;
        }

        double seconds() {
            return steps.stream().mapToDouble(Step::seconds).sum();
        }

        MemberRecord and(Step step) {
            List<Step> more = new ArrayList<>(steps);
            more.add(step);
            return new MemberRecord(index, name, values, more, null, null);
        }

        MemberRecord left(@Nullable Integer status, @Nullable String why) {
            return new MemberRecord(index, name, values, steps, status, why);
        }

        void write(Path file) {
            JsonFile.write(file, this);
        }
    }
}
