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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a member's unfinished commands in this process and saves the result of each.
 *
 * @param here runs commands in this process
 */
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
}
