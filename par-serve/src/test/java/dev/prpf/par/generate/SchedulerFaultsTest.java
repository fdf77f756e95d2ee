package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults of one sequence, while the others generate the same as separately. */
@Tag("slow")
class SchedulerFaultsTest {
    private static final int VOCABULARY = 40;
    private static final int POSITIONS = 200;
    private static final int NAN = VOCABULARY - 1;
    private static final String NO_NUMBERS =
            "the model's logits are NaN; its weights are broken, or its activations overflowed";

    /** After which the next logits would be NaN. */
    private static final List<Integer> END = List.of(NAN);

    private static final Map<TinyDecoder, CausalLm> BROKEN = new EnumMap<>(TinyDecoder.class);

    private static CausalLm broken(TinyDecoder kind) {
        return BROKEN.computeIfAbsent(kind, of -> of.makeBroken(VOCABULARY, POSITIONS, Precision.FP32));
    }

    @AfterAll
    static void close() {
        BROKEN.values().forEach(CausalLm::close);
    }

    private static long[] prompt(long seed, int length) {
        return new Random(seed).longs(length, 0, NAN).toArray();
    }

    private static long[] withNan(long seed, int length, int at) {
        long[] prompt = prompt(seed, length);
        prompt[at] = NAN;
        return prompt;
    }

    private static SchedulerSettings settings(int rows, int batched, int promptLookup) {
        return new SchedulerSettings(rows, POSITIONS, batched, 1 << 20, true, promptLookup);
    }

    private static List<Scheduler.Event> run(Scheduler scheduler) {
        List<Scheduler.Event> events = new ArrayList<>();
        while (!scheduler.idle()) {
            events.addAll(scheduler.step());
        }
        return events;
    }

    private static PlainReplay.Asked asked(long[] prompt, @Nullable Sampling sampling) {
        SamplingParams params = new SamplingParams(12, sampling, 1, StoppingCriteria.at(END));
        return new PlainReplay.Asked(prompt, params, prompt.length, null, POSITIONS);
    }

    private static Sequence add(Scheduler scheduler, PlainReplay.Asked of) {
        return scheduler.add(Requests.of(of.prompt(), of.params(), of.seed(), null), null);
    }

    @ParameterizedTest
    @EnumSource
    void sequenceWithNanLogits_failsAloneAndLeavesNoNanInItsRow(TinyDecoder kind) {
        for (int batched : new int[] {7, 64, 512}) {
            try (Scheduler scheduler = new Scheduler(broken(kind), settings(3, batched, 3))) {
                Map<Sequence, PlainReplay.Asked> good = new LinkedHashMap<>();
                List<Sequence> bad = new ArrayList<>();
                for (int i = 0; i < 12; i++) {
                    Sampling sampling = i % 2 == 0 ? null : new Sampling(1, 5, 0.9);
                    int length = i % 3 == 0 ? 5 : 129 + i;
                    PlainReplay.Asked of = asked(prompt(i, length), sampling);
                    good.put(add(scheduler, of), of);
                    int at = i % 4 == 0 ? 0 : i % 4 == 1 ? 128 + i : 60;
                    bad.add(add(scheduler, asked(withNan(i, 129 + i, at), sampling)));
                }
                List<Scheduler.Event> events = run(scheduler);
                assertThat(events.stream()
                                .filter(Scheduler.Event.Failed.class::isInstance)
                                .map(Scheduler.Event::sequence))
                        .containsExactlyInAnyOrderElementsOf(bad);
                bad.forEach(SchedulerFaultsTest::requireFailed);
                PlainReplay replay = new PlainReplay(broken(kind));
                good.forEach((sequence, of) -> replay.require(of, sequence.generation()));
                assertThat(replay.divergences()).isZero();
            }
        }
    }

    private static void requireFailed(Sequence sequence) {
        assertThat(sequence.failure()).isNotNull().hasMessage(NO_NUMBERS);
        assertThat(ExitCode.of(Objects.requireNonNull(sequence.failure()))).isEqualTo(ExitCode.BAD_DATA);
        assertThat(sequence.length()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void sequenceInTheRowOfAFailedOrCancelledOne_isUnaffected(TinyDecoder kind) {
        for (boolean reading : new boolean[] {false, true}) {
            try (Scheduler scheduler = new Scheduler(broken(kind), settings(3, reading ? 40 : 512, 0))) {
                PlainReplay.Asked longer = asked(prompt(1, 180), null);
                PlainReplay.Asked shorter = asked(prompt(2, 4), null);
                Sequence first = add(scheduler, asked(withNan(3, 150, 2), null));
                Sequence second = add(scheduler, asked(withNan(4, 150, 2), null));
                scheduler.step();
                scheduler.step();
                if (reading) {
                    scheduler.cancel(first);
                    scheduler.step();
                    scheduler.cancel(second);
                }
                List<Sequence> later =
                        List.of(add(scheduler, longer), add(scheduler, shorter), add(scheduler, shorter));
                run(scheduler);
                PlainReplay replay = new PlainReplay(broken(kind));
                assertThat(later).extracting(Sequence::failure).containsOnlyNulls();
                replay.require(longer, later.get(0).generation());
                replay.require(shorter, later.get(1).generation());
                replay.require(shorter, later.get(2).generation());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void sequenceInTheRowOfOneEndedByForcedTokens_isUnaffected(TinyDecoder kind) {
        SamplingParams unread = new SamplingParams(12, null, 1, StoppingCriteria.at(END), false);
        PlainReplay.Asked longer = asked(prompt(1, 180), null);
        PlainReplay.Asked shorter = asked(prompt(2, 4), null);
        try (Scheduler scheduler = new Scheduler(broken(kind), settings(2, 512, 0))) {
            Sequence forced = scheduler.add(
                    Requests.of(withNan(3, 150, 2), unread, 0, new RunningSequenceTest.OneRun(1, 2, NAN)), null);
            Sequence other = add(scheduler, longer);
            Sequence later = add(scheduler, shorter);
            run(scheduler);
            assertThat(forced.failure()).isNull();
            assertThat(forced.generation().ids()).containsExactly(1, 2, NAN);
            assertThat(later.failure()).isNull();
            PlainReplay replay = new PlainReplay(broken(kind));
            replay.require(longer, other.generation());
            replay.require(shorter, later.generation());
        }
    }

    @ParameterizedTest
    @EnumSource
    void blocksThatAreNoNumbersAreNotKept(TinyDecoder kind) {
        for (Precision precision : new Precision[] {Precision.FP32, Precision.BF16}) {
            try (CausalLm decoder = kind.makeBroken(VOCABULARY, POSITIONS, precision)) {
                for (int batched : new int[] {32, 64, 512}) {
                    requireNotKept(decoder, settings(1, batched, 0));
                }
            }
        }
    }

    private static void requireNotKept(CausalLm decoder, SchedulerSettings settings) {
        try (Scheduler scheduler = new Scheduler(decoder, settings)) {
            Sequence bad = add(scheduler, asked(withNan(1, 129, 2), null));
            run(scheduler);
            requireFailed(bad);
            assertThat(scheduler.stats().prefixBytes()).isZero();
            scheduler.add(Requests.of(prompt(1, 129), SamplingParams.greedy(1, List.of()), 0, null), null);
            run(scheduler);
            assertThat(scheduler.stats().prefixBytes()).isPositive();
        }
    }

    @Test
    void logitsThatOverflowedFailTheSequenceToo() {
        GenerationRequest request = Requests.of(new long[] {1}, SamplingParams.greedy(2, List.of()), 0, null);
        Sequence sequence = new Sequence(VOCABULARY, request, 2, null);
        assertThat(Sampler.requireNumber(sequence, -700)).isTrue();
        assertThat(Sampler.requireNumber(sequence, Double.NEGATIVE_INFINITY)).isFalse();
        assertThat(sequence.failure()).hasMessage(NO_NUMBERS);
    }

    private static void requireRefused(ThrowingCallable call, ExitCode exitCode, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(PrpfException.class)
                .hasMessage(message)
                .extracting(e -> ExitCode.of(e))
                .isEqualTo(exitCode);
    }

    @Test
    void whatCannotBeContinuedIsRefusedWhenItIsAddedAndTheOthersGoOn() {
        CausalLm decoder = broken(TinyDecoder.LLAMA);
        SamplingParams params = SamplingParams.greedy(3, END);
        try (Scheduler scheduler = new Scheduler(decoder, new SchedulerSettings(2, 50, 512, 1 << 20, true, 0))) {
            PlainReplay.Asked of = new PlainReplay.Asked(prompt(1, 20), SamplingParams.greedy(10, END), 0, null, 50);
            Sequence sequence = add(scheduler, of);
            scheduler.step();
            requireRefused(
                    () -> scheduler.add(Requests.of(new long[0], params, 0, null), null),
                    ExitCode.BAD_DATA,
                    "the prompt has 0 tokens; the model takes 1 to 200");
            requireRefused(
                    () -> scheduler.add(Requests.of(prompt(1, 201), params, 0, null), null),
                    ExitCode.BAD_DATA,
                    "the prompt has 201 tokens; the model takes 1 to 200");
            requireRefused(
                    () -> scheduler.add(Requests.of(prompt(1, 51), params, 0, null), null),
                    ExitCode.USAGE,
                    "the prompt has 51 tokens; a sequence has at most 50 positions here");
            for (long id : new long[] {VOCABULARY, -1}) {
                requireRefused(
                        () -> scheduler.add(Requests.of(new long[] {1, id}, params, 0, null), null),
                        ExitCode.BAD_DATA,
                        "the prompt holds token " + id + "; the vocabulary ends at 39");
            }
            requireRefused(
                    () -> scheduler.add(Requests.of(prompt(1, 49), params, 0, new ThreeTokens()), null),
                    ExitCode.USAGE,
                    "max-new-tokens = 2: the shortest response has 3 tokens, its end among them; give it at least as many");
            scheduler.step();
            run(scheduler);
            new PlainReplay(decoder).require(of, sequence.generation());
            assertThat(sequence.length()).isEqualTo(10);
        }
    }

    private static final class ThreeTokens implements TokenConstraint {
        @Override
        public int shortest() {
            return 3;
        }

        @Override
        public long[] forced(int left) {
            return new long[0];
        }

        @Override
        public long[] allowed(int left) {
            return new long[] {-1};
        }

        @Override
        public void accept(long token) {}
    }

    @Test
    void aScriptCallWhoseShapesDisagreeNamesThem() {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray logits = (PtNDArray) scratch.zeros(new Shape(2, 5));
            PtNDArray ids = CausalLm.longs(scratch, new long[3], 3, 1);
            assertThatThrownBy(() -> Script.decoder().tensor(scratch, "logprobs_at", logits, ids))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("method logprobs_at of the script failed with ((2, 5), (3, 1))");
        }
    }

    /** Free until it has written some tokens; then it throws, or allows or forces tokens that the vocabulary does not have. */
    private static final class Breaks implements TokenConstraint {
        private final String at;
        private int left = 3;

        Breaks(String at) {
            this.at = at;
        }

        private void turn(String method) {
            if (left == 0 && at.equals(method)) {
                throw new IllegalStateException(method);
            }
        }

        @Override
        public int shortest() {
            return 1;
        }

        @Override
        public long[] forced(int most) {
            turn("forced");
            return left == 0 && at.equals("ids") ? new long[] {VOCABULARY} : new long[0];
        }

        @Override
        public long[] allowed(int most) {
            turn("allowed");
            long[] all = new long[left == 0 && at.equals("words") ? 3 : 1];
            Arrays.fill(all, -1);
            return all;
        }

        @Override
        public void accept(long token) {
            left--;
            turn("accept");
        }
    }

    @ParameterizedTest
    @EnumSource
    void faultyConstraint_failsOnlyItsSequence(TinyDecoder kind) {
        Map<String, String> messages = Map.of(
                "forced", "forced",
                "allowed", "allowed",
                "accept", "accept",
                "words", "a constraint allows a set of 3 words of 64 tokens; the vocabulary has 1",
                "ids", "a constraint forces token 40; the vocabulary ends at 39");
        messages.forEach((method, message) -> {
            try (Scheduler scheduler = new Scheduler(broken(kind), settings(2, 512, 0))) {
                PlainReplay.Asked good = asked(prompt(1, 20), null);
                Sequence bad = scheduler.add(Requests.of(prompt(2, 30), good.params(), 0, new Breaks(method)), null);
                List<Sequence> others = List.of(add(scheduler, good), add(scheduler, good));
                run(scheduler);
                assertThat(bad.failure())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(message);
                PlainReplay replay = new PlainReplay(broken(kind));
                others.forEach(sequence -> replay.require(good, sequence.generation()));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void aPassThatBreaksFailsThoseInItAndThoseThatWaitGoOn(TinyDecoder kind) {
        try (Scheduler scheduler = new Scheduler(broken(kind), settings(2, 512, 3))) {
            PlainReplay.Asked good = asked(prompt(1, 4), null);
            StoppingCriteria unreadable = new StoppingCriteria(Set.of(), List.of("."), ids -> {
                throw new IllegalStateException("unreadable");
            });
            Sequence bad = scheduler.add(
                    Requests.of(prompt(2, 150), new SamplingParams(12, null, 1, unreadable), 0, null), null);
            Sequence other = add(scheduler, asked(prompt(3, 150), null));
            List<Sequence> waiting = List.of(add(scheduler, good), add(scheduler, good));
            List<Scheduler.Event> events = run(scheduler);
            assertThat(events.stream()
                            .filter(Scheduler.Event.Failed.class::isInstance)
                            .map(Scheduler.Event::sequence))
                    .containsExactlyInAnyOrder(bad, other);
            PlainReplay replay = new PlainReplay(broken(kind));
            waiting.forEach(sequence -> replay.require(good, sequence.generation()));
        }
    }

    @Test
    void aTimeoutOfAllTimeIsNone() {
        try (Scheduler scheduler = new Scheduler(broken(TinyDecoder.LLAMA), settings(1, 512, 0))) {
            PlainReplay.Asked of = asked(prompt(1, 4), null);
            Sequence sequence = scheduler.add(
                    Requests.of(of.prompt(), of.params(), of.seed(), null), ChronoUnit.FOREVER.getDuration());
            run(scheduler);
            new PlainReplay(broken(TinyDecoder.LLAMA)).require(of, sequence.generation());
        }
    }

    @ParameterizedTest
    @EnumSource
    void prefixBlocksHoldWhatTheyCountAndNeverMoreThanTheBudget(TinyDecoder kind) {
        try (KvCache cache = new KvCache(broken(kind), 1, POSITIONS);
                PtNDManager scratch = TorchRuntime.newManager()) {
            long[] prompt = prompt(1, 2 * PrefixCache.BLOCK);
            cache.forward(scratch, new long[][] {prompt}, new long[0]);
            try (KvCache.Saved saved = cache.save(0, 0, prompt.length, true)) {
                assertThat(saved.holdsNan()).isFalse();
                long held = saved.memory().getManagedArrays().stream()
                        .mapToLong(array ->
                                array.getShape().size() * array.getDataType().getNumOfBytes())
                        .sum();
                assertThat(saved.bytes()).isEqualTo(held);
                try (PrefixCache small = new PrefixCache(saved.bytes() * 3 / 4, !cache.rewinds())) {
                    small.save("", prompt, prompt.length, firstRow(cache));
                    assertThat(small.bytes()).isBetween(1L, saved.bytes() * 3 / 4);
                }
            }
        }
    }

    private static PrefixCache.Row firstRow(KvCache cache) {
        return (begin, end, states) -> cache.save(0, begin, end, states);
    }

    /** Nothing is kept, nothing fails, and what was kept before stays; any other failure is one. */
    @ParameterizedTest
    @EnumSource
    void aBlockForWhichThereIsNoMemoryIsDropped(TinyDecoder kind) {
        KvCache cache = new KvCache(broken(kind), 1, POSITIONS);
        try (PrefixCache prefixes = new PrefixCache(1 << 20, !cache.rewinds());
                PtNDManager scratch = TorchRuntime.newManager()) {
            long[] prompt = prompt(1, 2 * PrefixCache.BLOCK);
            cache.forward(scratch, new long[][] {prompt}, new long[0]);
            prefixes.save("", prompt, prompt.length, firstRow(cache));
            long kept = prefixes.bytes();
            assertThat(kept).isPositive();
            long[] other = prompt(2, prompt.length);
            prefixes.save("", other, other.length, (begin, end, states) -> {
                throw new OutOfMemoryError("Java heap space");
            });
            prefixes.save("", other, other.length, (begin, end, states) -> {
                throw new IllegalStateException("method save_positions of the script failed", tooMuch(scratch));
            });
            assertThat(prefixes.bytes()).isEqualTo(kept);
            cache.close();
            assertThatThrownBy(() -> prefixes.save("", other, other.length, firstRow(cache)))
                    .isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> prefixes.save("", other, other.length, (begin, end, states) -> {
                        throw new EngineException("shapes disagree");
                    }))
                    .hasMessage("shapes disagree");
            assertThat(prefixes.bytes()).isEqualTo(kept);
        }
    }

    /** Provokes libtorch's error for more memory than a process can address. */
    private static EngineException tooMuch(PtNDManager scratch) {
        return catchThrowableOfType(EngineException.class, () -> scratch.zeros(new Shape(1L << 46)));
    }

    @Test
    void aCacheTakesNoMoreThanItHasPositions() {
        try (KvCache cache = new KvCache(broken(TinyDecoder.LLAMA), 1, 4);
                PtNDManager scratch = TorchRuntime.newManager()) {
            cache.forward(scratch, new long[][] {{1, 2, 3}}, new long[0]);
            for (long[] tokens : new long[][] {{4, 5}, {}}) {
                assertThatThrownBy(() -> cache.forward(scratch, new long[][] {tokens}, new long[0]))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("row 0 of the cache holds 3 of 4 positions and takes 1 to 1 tokens, not "
                                + tokens.length);
            }
            assertThat(cache.length(0)).isEqualTo(3);
        }
    }

    @Test
    void aPromptIsTheCallersToChangeOnceItWasAdded() {
        long[] prompt = prompt(1, 20);
        PlainReplay.Asked of = asked(prompt.clone(), null);
        try (Scheduler scheduler = new Scheduler(broken(TinyDecoder.LLAMA), settings(1, 512, 0))) {
            Sequence sequence = scheduler.add(Requests.of(prompt, of.params(), of.seed(), null), null);
            Arrays.fill(prompt, NAN);
            run(scheduler);
            new PlainReplay(broken(TinyDecoder.LLAMA)).require(of, sequence.generation());
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsCalledOffOrLateEndsAsItIsWaitingReadingOrWriting(TinyDecoder kind) {
        try (Scheduler scheduler = new Scheduler(broken(kind), settings(3, 20, 0))) {
            PlainReplay.Asked of = asked(prompt(1, 12), null);
            Sequence writing = add(scheduler, of);
            Sequence reading = add(scheduler, asked(prompt(2, 190), null));
            Sequence other = scheduler.add(Requests.of(prompt(3, 9), of.params(), 0, null), Duration.ofDays(20_000));
            Sequence waiting = scheduler.add(Requests.of(prompt(4, 9), of.params(), 0, null), Duration.ZERO);
            while (writing.length() < 1) {
                scheduler.step();
            }
            assertThat(waiting.generation().finish()).isEqualTo(FinishReason.TIMEOUT);
            writing.expireIn(Duration.ZERO);
            scheduler.cancel(reading);
            assertThat(scheduler.idle()).isFalse();
            assertThat(scheduler.step())
                    .contains(new Scheduler.Event.Finished(writing), new Scheduler.Event.Finished(reading));
            scheduler.cancel(writing);
            run(scheduler);
            assertThat(writing.generation().finish()).isEqualTo(FinishReason.TIMEOUT);
            assertThat(writing.length()).isEqualTo(1);
            assertThat(reading.generation().finish()).isEqualTo(FinishReason.CANCELLED);
            assertThat(reading.length() + waiting.length()).isZero();
            assertThat(other.generation().finish()).isIn(FinishReason.LENGTH, FinishReason.END_TOKEN);
            new PlainReplay(broken(kind)).require(of, writing.generation());
            assertThat(scheduler.step()).isEmpty();
        }
    }
}
