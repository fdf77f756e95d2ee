package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Random requests that come and are called off between the steps of one scheduler of random settings; what came of each. */
final class RandomTraffic {
    static final int VOCABULARY = 40;
    static final int POSITIONS = 200;

    private static final int END = 7;
    private static final int SEQUENCES = 18;

    private final SplittableRandom random;
    private final CausalLm decoder;
    private final SchedulerSettings settings;
    private final long[][] beginnings = new long[3][];
    private final Map<Sequence, PlainReplay.Asked> asked = new LinkedHashMap<>();
    private final Map<Sequence, Integer> reported = new LinkedHashMap<>();
    private final Map<Sequence, FinishReason> calledOff = new LinkedHashMap<>();
    private Scheduler.@Nullable Stats stats;

    RandomTraffic(CausalLm decoder, long seed) {
        random = new SplittableRandom(seed);
        this.decoder = decoder;
        int batched = pick(1, 7, 64, 512);
        settings = new SchedulerSettings(
                pick(1, 2, 3, 6),
                random.nextInt(3) == 0 ? 150 : POSITIONS + 40,
                batched,
                pick(0, 40_000, 1 << 28),
                random.nextBoolean(),
                pick(0, 0, 1, 5));
        int longest = batched < 8 && random.nextInt(3) > 0 ? 30 : 140;
        for (int i = 0; i < beginnings.length; i++) {
            beginnings[i] = random.longs(longest, 0, VOCABULARY).toArray();
        }
        beginnings[0] = LongStream.range(0, longest).map(i -> i % 5).toArray();
    }

    private int pick(int... values) {
        return values[random.nextInt(values.length)];
    }

    SchedulerSettings settings() {
        return settings;
    }

    Scheduler.Stats stats() {
        return Objects.requireNonNull(stats);
    }

    /** Runs to the end and holds every result to the plain reference. */
    void run(PlainReplay replay) {
        try (Scheduler scheduler = new Scheduler(decoder, settings)) {
            while (asked.size() < SEQUENCES || !scheduler.idle()) {
                for (int i = random.nextInt(4); i > 0 && asked.size() < SEQUENCES; i--) {
                    add(scheduler);
                }
                if (random.nextInt(12) == 0) {
                    cancel(scheduler);
                }
                scheduler.step().forEach(this::take);
                assertThat(scheduler.stats().prefixBytes()).isLessThanOrEqualTo(settings.prefixCacheBytes());
            }
            assertThat(scheduler.step()).as("events after the last").isEmpty();
            stats = scheduler.stats();
        }
        asked.forEach((sequence, of) -> require(replay, sequence, of));
    }

    private void add(Scheduler scheduler) {
        int positions = Math.min(POSITIONS, settings.maxPositions());
        long[] prompt = prompt(positions);
        long seed = random.nextLong();
        Supplier<TokenConstraint> constraint =
                random.nextInt(3) == 0 ? () -> new RandomRuns(seed, VOCABULARY, END) : null;
        PlainReplay.Asked of = new PlainReplay.Asked(prompt, params(), seed, constraint, positions);
        Duration timeout =
                switch (random.nextInt(12)) {
                    case 0 -> Duration.ZERO;
                    case 1 -> Duration.ofDays(1);
                    default -> null;
                };
        TokenConstraint own = constraint == null ? null : constraint.get();
        Sequence sequence = scheduler.add(Requests.of(prompt, of.params(), seed, own), timeout);
        asked.put(sequence, of);
        if (Duration.ZERO.equals(timeout)) {
            calledOff.put(sequence, FinishReason.TIMEOUT);
        }
    }

    /** Returns an earlier prompt again, or a shared prefix with a new end, of one token to all positions. */
    private long[] prompt(int positions) {
        List<PlainReplay.Asked> before = List.copyOf(asked.values());
        if (!before.isEmpty() && random.nextInt(4) == 0) {
            return before.get(random.nextInt(before.size())).prompt();
        }
        long[] beginning = beginnings[random.nextInt(beginnings.length)];
        int shared = random.nextInt(5) == 0 ? 0 : random.nextInt(beginning.length + 1);
        int own = random.nextInt(20) == 0 && beginning.length > 30 ? positions - shared : 1 + random.nextInt(4);
        long[] prompt = Arrays.copyOf(beginning, shared + own);
        for (int i = shared; i < prompt.length; i++) {
            prompt[i] = random.nextInt(VOCABULARY);
        }
        return prompt;
    }

    private SamplingParams params() {
        Sampling sampling =
                switch (random.nextInt(8)) {
                    case 0 -> new Sampling(1, 0, 1);
                    case 1 -> new Sampling(0.7, 10, 0.9);
                    case 2 -> new Sampling(1.6, 0, 0.8, 0.02);
                    case 3 -> new Sampling(2, 0, 1, 0.05);
                    case 4 -> new Sampling(1.2, 5, 1);
                    default -> null;
                };
        StoppingCriteria ending =
                switch (random.nextInt(3)) {
                    case 0 -> StoppingCriteria.at(List.of());
                    case 1 -> StoppingCriteria.at(List.of(END, 31));
                    default -> new StoppingCriteria(Set.of(END), List.of("qx", "abc"), SamplesTest::letters);
                };
        return new SamplingParams(1 + random.nextInt(30), sampling, random.nextInt(4) == 0 ? 1.3 : 1, ending);
    }

    private void cancel(Scheduler scheduler) {
        List<Sequence> all = asked.keySet().stream().toList();
        if (!all.isEmpty()) {
            Sequence sequence = all.get(random.nextInt(all.size()));
            if (!sequence.done()) {
                calledOff.put(sequence, FinishReason.CANCELLED);
            }
            scheduler.cancel(sequence);
        }
    }

    /** Counts tokens; below 0 after the reported end. */
    private void take(Scheduler.Event event) {
        Sequence sequence = event.sequence();
        int before = reported.getOrDefault(sequence, 0);
        if (event instanceof Scheduler.Event.Tokens tokens) {
            assertThat(tokens.begin()).isEqualTo(before);
            assertThat(sequence.length()).isGreaterThan(before);
            reported.put(sequence, sequence.length());
        } else {
            assertThat(event).isInstanceOf(Scheduler.Event.Finished.class);
            assertThat(before).as("reported before").isEqualTo(sequence.length());
            reported.put(sequence, -1);
        }
    }

    private void require(PlainReplay replay, Sequence sequence, PlainReplay.Asked of) {
        assertThat(reported).containsEntry(sequence, -1);
        Generation generation = sequence.generation();
        FinishReason called = calledOff.get(sequence);
        if (called != null) {
            assertThat(generation.finish()).isEqualTo(called);
        }
        replay.require(of, generation);
    }
}
