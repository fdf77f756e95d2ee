package dev.prpf.par.bench;

import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Scheduler;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import dev.prpf.par.generate.Sequence;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Sequences that went through a {@link Scheduler}, all queued at its start.
 *
 * @param ids new tokens of each sequence
 * @param passes that wrote tokens, counted for each sequence by itself: as many as tokens where each pass writes one
 * @param first seconds until every sequence had its first token
 * @param busy as long as every slot had a sequence
 * @param seconds until the last one ended
 */
record ScheduledRun(List<long[]> ids, long passes, double first, Busy busy, double seconds) {
    /**
     * The time in which every slot had a sequence.
     *
     * @param promptTokens of the prompts that were read to their ends, which gives each one's first new token
     * @param newTokens written after the first ones
     */
    record Busy(double seconds, long promptTokens, long newTokens) {
        static Busy of(double seconds, List<GenerationRequest> tasks, List<Sequence> sequences) {
            List<Integer> read = IntStream.range(0, tasks.size())
                    .filter(i -> sequences.get(i).length() > 0)
                    .boxed()
                    .toList();
            return new Busy(
                    seconds,
                    read.stream().mapToLong(i -> tasks.get(i).prompt().length()).sum(),
                    read.stream().mapToLong(i -> sequences.get(i).length() - 1L).sum());
        }
    }

    /** Through a scheduler of its own. */
    static ScheduledRun of(CausalLm decoder, SchedulerSettings settings, List<GenerationRequest> tasks, StopSignal stop) {
        try (Scheduler scheduler = new Scheduler(decoder, settings)) {
            return of(scheduler, settings.maxSequences(), tasks, stop);
        }
    }

    /**
     * Through a scheduler in which nothing else waits or runs.
     *
     * @throws dev.prpf.base.error.PrpfException 75 at the next token once a signal came
     */
    static ScheduledRun of(Scheduler scheduler, int slots, List<GenerationRequest> tasks, StopSignal stop) {
        long start = System.nanoTime();
        List<Sequence> sequences =
                tasks.stream().map(task -> add(scheduler, task)).toList();
        long passes = 0;
        double first = Double.NaN;
        Busy busy = null;
        while (!scheduler.idle()) {
            passes += written(scheduler.step());
            stop.requireNone();
            double seconds = (System.nanoTime() - start) / 1e9;
            if (Double.isNaN(first) && sequences.stream().allMatch(sequence -> sequence.length() > 0)) {
                first = seconds;
            }
            long left = sequences.stream().filter(sequence -> !sequence.done()).count();
            if (busy == null && left < slots) {
                busy = Busy.of(seconds, tasks, sequences);
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        List<long[]> ids = sequences.stream()
                .map(sequence -> sequence.newTokens(0, sequence.length()))
                .toList();
        return new ScheduledRun(ids, passes, first, busy == null ? Busy.of(seconds, tasks, sequences) : busy, seconds);
    }

    private static Sequence add(Scheduler scheduler, GenerationRequest task) {
        return scheduler.add(task, null);
    }

    private static long written(List<Scheduler.Event> events) {
        long passes = 0;
        for (Scheduler.Event event : events) {
            if (event instanceof Scheduler.Event.Failed failed) {
                throw failed.cause();
            }
            passes += event instanceof Scheduler.Event.Tokens ? 1 : 0;
        }
        return passes;
    }

    /** New tokens of all sequences. */
    long tokens() {
        return ids.stream().mapToLong(tokens -> tokens.length).sum();
    }

    /** How many sequences have other tokens than in another run; of one that ran fewer, these are compared. */
    int differing(ScheduledRun other) {
        return (int) IntStream.range(0, Math.min(ids.size(), other.ids.size()))
                .filter(i -> !Arrays.equals(ids.get(i), other.ids.get(i)))
                .count();
    }
}
