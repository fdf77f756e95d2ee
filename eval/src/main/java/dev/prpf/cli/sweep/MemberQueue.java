package dev.prpf.cli.sweep;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.run.AvailableMemory;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.workflow.InOwnProcess;
import dev.prpf.cli.sweep.MemberRun.MemberRecord;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Runs the unfinished members on this machine, several at a time; a failed one does not stop the others. */
final class MemberQueue {
    private static final long POLL_MILLIS = 200;
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
    private boolean signalled;
    private boolean held;

    /** @param workers number of processes at a time, at least 1 */
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
     * Runs all unfinished members. After a signal, every process is signalled once and awaited.
     *
     * @return the status of each unfinished member, 75 if it was stopped; without members that never started
     */
    Map<SweepMember, Integer> run(StopSignal stop) {
        int all = plan.members().size();
        if (waiting.size() < all) {
            System.err.println((all - waiting.size()) + " of " + all + " members were done before");
        }
        Thread hangUp = new Thread(this::signalAll, "sweep-hang-up"); // a closed terminal ends only this process
        Runtime.getRuntime().addShutdownHook(hangUp);
        try {
            while (!running.isEmpty() || (!waiting.isEmpty() && !stop.requested())) {
                if (stop.requested()) {
                    signalAll();
                } else {
                    startMore();
                }
                SweepMember one = ended.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (one != null) {
                    ended(one);
                }
            }
            Runtime.getRuntime().removeShutdownHook(hangUp);
        } catch (RuntimeException e) {
            signalAll();
            throw e;
        } catch (InterruptedException e) {
            signalAll();
            Thread.currentThread().interrupt();
            throw new RunInterruptedException("interrupted while members ran", e);
        }
        return notDone;
    }

    /** Sends SIGTERM once to each process, which saves and exits with 75. */
    private synchronized void signalAll() {
        if (!signalled) {
            signalled = true;
            List.copyOf(running.values()).forEach(Process::destroy);
        }
    }

    private void startMore() {
        while (!waiting.isEmpty() && running.size() < workers) {
            if (!running.isEmpty() && !memory.admits(running.values())) {
                if (!held) {
                    System.err.printf(
                            Locale.ROOT,
                            "the next member waits: it may need %.1f GiB, more than the running ones leave free%n",
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
        if (signalled) {
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
            String how = status == ExitCode.CHECKPOINTED.status() ? "stopped, it can resume" : "exit code " + status;
            say(member, how + ", log " + plan.log(member) + outlook());
        }
    }

    private void say(SweepMember member, String what) {
        System.err.println(
                "[" + (member.index() + 1) + "/" + plan.members().size() + "] " + member.name() + ": " + what);
    }

    /** Describes the number of members left and the expected end. */
    private String outlook() {
        int left = waiting.size() + running.size();
        if (left == 0 || signalled) {
            return "";
        }
        double seconds = (System.nanoTime() - start) / 1e9 / endedHere * left;
        LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
        LocalDateTime end = now.plusSeconds(Math.round(seconds));
        return "; " + left + " to go, ends about "
                + (end.toLocalDate().equals(now.toLocalDate()) ? TIME : DAY).format(end);
    }

    /** Saves the status of a member that could not save it itself. */
    private void note(SweepMember member, int status) {
        Path file = plan.results(member);
        MemberRecord record = MemberRecord.of(member, file);
        if (record.exit() == null && !LockFile.isHeld(MemberRun.lock(plan, member))) {
            record.left(status, why(status)).write(file);
        }
    }

    private static @Nullable String why(int status) {
        if (status == SIGNALLED + 9) {
            return "killed by signal 9, as the system does when memory runs out";
        }
        return status > SIGNALLED
                ? "killed by signal " + (status - SIGNALLED)
                : "exit code " + status + " before it began";
    }

    /** Starts processes that run members. */
    interface MemberStarter {
        /**
         * Starts a member's process.
         *
         * @throws dev.prpf.base.error.PrpfException 69 if it cannot be started
         */
        Process start(SweepPlan plan, SweepMember member);
    }

    /**
     * Runs each member in a Java process with this one's options and a share of the cores. The process has its own session, so that only this
     * process passes on Ctrl-C: a second signal would end a command before it has saved.
     *
     * @param mainClass with the main method of {@code prpf}
     * @param workers number of processes that share the cores
     */
    record JavaStarter(String mainClass, int workers, MemberGpus gpus) implements MemberStarter {
        private static final String TERMINAL = "-Dprpf.terminal=";
        private static final String TORCH_THREADS = "-Dai.djl.pytorch.num_threads=";

        @Override
        public Process start(SweepPlan plan, SweepMember member) {
            Path log = plan.log(member);
            AtomicFiles.requireWritable(log);
            ProcessBuilder builder = new ProcessBuilder(line(member))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
            if (workers > 1) {
                builder.environment().put("OMP_NUM_THREADS", Integer.toString(cores()));
            }
            try {
                return gpus.start(builder);
            } catch (IOException e) {
                throw new UnavailableException(
                        "cannot start a process for member " + member.name() + ": " + IoFailure.reason(e)
                                + "; setsid (util-linux) and the JDK must be installed",
                        e);
            }
        }

        List<String> line(SweepMember member) {
            List<String> java = new InOwnProcess(mainClass).line(member.command());
            java.removeIf(word -> word.startsWith(TERMINAL)); // a log is no terminal
            if (workers > 1) {
                java.replaceAll(word -> word.startsWith(TORCH_THREADS) ? TORCH_THREADS + cores() : word);
                java.add(1, "-XX:ActiveProcessorCount=" + cores());
            }
            List<String> line = new ArrayList<>(List.of("setsid"));
            line.addAll(java);
            return line;
        }

        private int cores() {
            return Math.max(1, Runtime.getRuntime().availableProcessors() / workers);
        }
    }

    /**
     * Decides whether another member fits into memory: available memory must hold the growth still expected of all members. A member is expected to
     * need as much as the largest so far, at least Java's heap limit ({@code PRPF_HEAP}).
     */
    static final class MemberMemory {
        private final LongSupplier available;
        private long need;

        /**
         * @param available bytes available to processes now
         * @param atLeast minimum bytes that a member is expected to need
         */
        MemberMemory(LongSupplier available, long atLeast) {
            this.available = available;
            this.need = atLeast;
        }

        /** Reads the memory of this machine or of this process's container. */
        static MemberMemory ofMachine() {
            return new MemberMemory(AvailableMemory::bytes, Runtime.getRuntime().maxMemory());
        }

        /** Measures the running members; returns false while another one might not fit. */
        boolean admits(Collection<Process> running) {
            long growth = 0;
            for (Process process : running) {
                Long peak = ProcessMemory.peakBytes(process.pid());
                need = peak == null ? need : Math.max(need, peak);
            }
            for (Process process : running) {
                Long resident = ProcessMemory.residentBytes(process.pid());
                growth += resident == null ? 0 : Math.max(0, need - resident);
            }
            return available.getAsLong() >= growth + need;
        }

        /** Returns the bytes that a member is expected to need. */
        long need() {
            return need;
        }
    }
}
