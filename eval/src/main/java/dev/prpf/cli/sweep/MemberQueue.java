package dev.prpf.cli.sweep;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.RunInterruptedException;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.run.StopSignal;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs the members that are not done here, several at a time; a failed one does not keep the others. */
final class MemberQueue {
    private static final long LOOK_MILLIS = 200;
    private static final int SIGNALLED = 128;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

    private final SweepPlan plan;
    private final int workers;
    private final MemberStarter starter;
    private final MemberMemory memory;
    private final Map<SweepMember, Process> running = new LinkedHashMap<>();
    private final Map<SweepMember, Long> started = new LinkedHashMap<>();
    private final Map<SweepMember, Integer> notDone = new LinkedHashMap<>();
    private final Deque<SweepMember> waiting = new ArrayDeque<>();
    private final BlockingQueue<SweepMember> ended = new LinkedBlockingQueue<>();
    private final long start = System.nanoTime();
    private int endedHere;
    private boolean told;
    private boolean held;

    /** @param workers processes at a time, at least 1 */
    MemberQueue(SweepPlan plan, int workers, MemberStarter starter, MemberMemory memory) {
        this.plan = plan;
        this.workers = workers;
        this.starter = starter;
        this.memory = memory;
        plan.members().stream()
                .filter(member -> !MemberRecord.of(member, plan.results(member)).done())
                .forEach(waiting::add);
    }

    /**
     * Runs them. Once a signal came, every process is told once and waited for.
     *
     * @return the status of each member that is not done, 75 where it was stopped; members that were never started are not there
     */
    Map<SweepMember, Integer> run(StopSignal stop) {
        int all = plan.members().size();
        if (waiting.size() < all) {
            System.err.println((all - waiting.size()) + " of " + all + " members were done before");
        }
        Thread hangUp = new Thread(this::tell, "sweep-hang-up"); // a terminal that closes takes this process alone
        Runtime.getRuntime().addShutdownHook(hangUp);
        try {
            while (!running.isEmpty() || (!waiting.isEmpty() && !stop.requested())) {
                if (stop.requested()) {
                    tell();
                } else {
                    startMore();
                }
                SweepMember one = ended.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                if (one != null) {
                    ended(one);
                }
            }
            Runtime.getRuntime().removeShutdownHook(hangUp);
        } catch (RuntimeException e) {
            tell();
            throw e;
        } catch (InterruptedException e) {
            tell();
            Thread.currentThread().interrupt();
            throw new RunInterruptedException("interrupted while members ran", e);
        }
        return notDone;
    }

    /** SIGTERM, once: each saves and leaves with 75. */
    private synchronized void tell() {
        if (!told) {
            told = true;
            List.copyOf(running.values()).forEach(Process::destroy);
        }
    }

    private void startMore() {
        while (!waiting.isEmpty() && running.size() < workers) {
            if (!running.isEmpty() && !memory.admits(running.values())) {
                if (!held) {
                    System.err.printf(
                            Locale.ROOT,
                            "the next member waits: one may take %.1f GiB, which is not free beside those that run%n",
                            memory.need() / (double) (1L << 30));
                }
                held = true;
                return;
            }
            held = false;
            start(waiting.remove());
        }
    }

    private synchronized void start(SweepMember member) {
        if (told) {
            return;
        }
        Process process = starter.start(plan, member);
        running.put(member, process);
        started.put(member, System.nanoTime());
        say(member, "started, log " + plan.log(member));
        CompletableFuture<Void> unused = process.onExit().thenRun(() -> ended.add(member));
    }

    private synchronized void ended(SweepMember member) {
        Process process = running.remove(member);
        int status = process == null ? ExitCode.BUG.status() : process.exitValue();
        endedHere++;
        if (status == ExitCode.DONE.status()) {
            long nanos = System.nanoTime() - started.getOrDefault(member, start);
            say(member, String.format(Locale.ROOT, "done in %.1f s%s", nanos / 1e9, outlook()));
        } else {
            notDone.put(member, status);
            note(member, status);
            String how = status == ExitCode.CHECKPOINTED.status()
                    ? "stopped, it goes on where it was"
                    : "left with " + status;
            say(member, how + ", log " + plan.log(member) + outlook());
        }
    }

    private void say(SweepMember member, String what) {
        System.err.println(
                "[" + (member.index() + 1) + "/" + plan.members().size() + "] " + member.name() + ": " + what);
    }

    /** How much is left and when it ends, should it go on as it did. */
    private String outlook() {
        int left = waiting.size() + running.size();
        if (left == 0 || told) {
            return "";
        }
        double seconds = (System.nanoTime() - start) / 1e9 / endedHere * left;
        LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
        LocalDateTime end = now.plusSeconds(Math.round(seconds));
        return "; " + left + " to go, ends about "
                + (end.toLocalDate().equals(now.toLocalDate()) ? TIME : DAY).format(end);
    }

    /** Keeps the status of a member that could not keep it itself. */
    private void note(SweepMember member, int status) {
        Path file = plan.results(member);
        MemberRecord record = MemberRecord.of(member, file);
        if (record.exit() == null && !LockFile.isHeld(MemberRun.lock(plan, member))) {
            record.left(status, why(status)).write(file);
        }
    }

    private static @Nullable String why(int status) {
        if (status == SIGNALLED + 9) {
            return "killed by signal 9, as the system does where memory ends";
        }
        return status > SIGNALLED
                ? "killed by signal " + (status - SIGNALLED)
                : "left with " + status + " before it began";
    }
}
