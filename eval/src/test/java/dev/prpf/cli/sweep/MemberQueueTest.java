package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.cli.sweep.MemberQueue.MemberMemory;
import dev.prpf.cli.sweep.MemberQueue.MemberStarter;
import dev.prpf.cli.sweep.MemberRun.MemberRecord;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import dev.prpf.mpp.command.GateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Members are shell scripts here. */
class MemberQueueTest {
    private static final CommandLine COMMANDS = new CommandLine(new GateCommand());

    private static final MemberMemory PLENTY = new MemberMemory(() -> Long.MAX_VALUE, 0);
    private static final MemberMemory NONE = new MemberMemory(() -> 0, 1);

    @TempDir
    Path directory;

    private final List<String> started = new ArrayList<>();
    private SweepPlan plan;

    @BeforeEach
    void threeMembers() {
        plan = SweepPlan.of(List.of("seed=1..3"), List.of("gate", "train"), directory, COMMANDS);
    }

    /** @param scripts by member; {@code exit 0} for other members */
    private MemberStarter shell(Map<String, String> scripts) {
        return (of, member) -> {
            started.add(member.name());
            try {
                return new ProcessBuilder("sh", "-c", scripts.getOrDefault(member.name(), "exit 0"))
                        .directory(directory.toFile())
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private Map<String, Integer> run(int workers, MemberMemory memory, MemberStarter starter) {
        try (StopSignal stop = StopSignal.install()) {
            return run(workers, memory, starter, stop);
        }
    }

    private Map<String, Integer> run(int workers, MemberMemory memory, MemberStarter starter, StopSignal stop) {
        Map<String, Integer> notDone = new LinkedHashMap<>();
        new MemberQueue(plan, workers, starter, memory)
                .run(stop)
                .forEach((member, status) -> notDone.put(member.name(), status));
        return notDone;
    }

    private MemberRecord record(int index) {
        SweepMember member = plan.members().get(index);
        return MemberRecord.of(member, plan.results(member));
    }

    @Test
    void aFailedMemberKeepsItsStatusAndTheOthersRun() {
        Map<String, Integer> notDone = run(1, PLENTY, shell(Map.of("seed=1", "exit 65", "seed=2", "kill -9 $$")));
        assertThat(notDone).containsExactly(Map.entry("seed=1", 65), Map.entry("seed=2", 137));
        assertThat(started).containsExactly("seed=1", "seed=2", "seed=3");
        assertThat(record(0).exit()).isEqualTo(65);
        assertThat(record(1).problem()).isEqualTo("killed by signal 9, as the system does when memory runs out");
    }

    @Test
    void membersThatAreDoneAreNotRunAgain() {
        record(1).left(0, null).write(plan.results(plan.members().get(1)));
        record(2).left(65, "bad").write(plan.results(plan.members().get(2)));
        assertThat(run(1, PLENTY, shell(Map.of()))).isEmpty();
        assertThat(started).containsExactly("seed=1", "seed=3");
    }

    /** Each waits for the other's file, so that both must run at the same time. */
    @Test
    void severalRunAtATime() {
        String meet = "touch %s; for i in $(seq 600); do [ -e %s ] && exit 0; sleep 0.05; done; exit 1";
        Map<String, Integer> notDone =
                run(2, PLENTY, shell(Map.of("seed=1", meet.formatted("a", "b"), "seed=2", meet.formatted("b", "a"))));
        assertThat(notDone).isEmpty();
    }

    @Test
    void withoutMemoryForTwoTheyRunOneAfterTheOther() {
        List<Process> before = new ArrayList<>();
        MemberStarter shell = shell(Map.of("seed=1", "sleep 0.3"));
        Map<String, Integer> notDone = run(3, NONE, (of, member) -> {
            assertThat(before).noneMatch(Process::isAlive);
            Process process = shell.start(of, member);
            before.add(process);
            return process;
        });
        assertThat(notDone).isEmpty();
        assertThat(started).hasSize(3);
    }

    @Test
    void aSignalIsHandedToEveryProcessOnceAndNoMoreAreStarted() throws Exception {
        String waits =
                "trap 'echo stopped >> %1$s.stopped; sleep 0.3; exit 75' TERM; touch %1$s.ready; while :; do sleep 0.05; done";
        try (StopSignal stop = StopSignal.install()) {
            Thread user = new Thread(() -> {
                while (!Files.exists(directory.resolve("a.ready")) || !Files.exists(directory.resolve("b.ready"))) {
                    LockSupport.parkNanos(10_000_000);
                }
                stop.request();
            });
            user.start();
            Map<String, Integer> notDone =
                    run(2, PLENTY, shell(Map.of("seed=1", waits.formatted("a"), "seed=2", waits.formatted("b"))), stop);
            user.join();
            assertThat(notDone).containsOnly(Map.entry("seed=1", 75), Map.entry("seed=2", 75));
        }
        assertThat(started).containsExactly("seed=1", "seed=2");
        assertThat(directory.resolve("a.stopped")).hasContent("stopped");
        assertThat(directory.resolve("b.stopped")).hasContent("stopped");
    }

    @Test
    void aProcessThatCannotBeStartedEndsTheSweep() {
        assertThatThrownBy(() -> run(1, PLENTY, (of, member) -> {
                    throw new UnavailableException("no room for " + member.name());
                }))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("no room for seed=1");
    }

    @Test
    void memoryIsCountedByWhatTheLargestMemberTook() throws IOException {
        Process sleeping = new ProcessBuilder("sleep", "60").start();
        try {
            long gib = 1L << 30;
            assertThat(new MemberMemory(() -> 2 * gib, gib).admits(List.of(sleeping)))
                    .as("two take up to 2 GiB, of which the first has some already")
                    .isTrue();
            assertThat(new MemberMemory(() -> gib, gib).admits(List.of(sleeping)))
                    .isFalse();
            MemberMemory seen = new MemberMemory(() -> 2 * gib, 1);
            assertThat(seen.admits(List.of(sleeping))).isTrue();
            assertThat(seen.need()).as("what sleep takes").isGreaterThan(1000);
        } finally {
            sleeping.destroyForcibly();
        }
    }
}
