package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many passes sequences take, and in which order they get them. */
@Tag("slow")
class SchedulerPassesTest {
    private static final int VOCABULARY = 40;
    private static final int POSITIONS = 300;

    @TempDir
    private Path directory;

    private static List<Sequence> run(Scheduler scheduler, List<Sequence> sequences) {
        while (!scheduler.idle()) {
            scheduler.step();
        }
        return sequences;
    }

    private static SchedulerSettings settings(int rows, long prefixBytes, boolean jumpForward, int promptLookup) {
        return new SchedulerSettings(rows, POSITIONS, 512, prefixBytes, jumpForward, promptLookup);
    }

    @ParameterizedTest
    @EnumSource
    void tokensThatAConstraintForcesTakeNoPassOfTheirOwn(TinyDecoder kind) {
        int width = SmallTokenizer.write(directory);
        try (Tokenizer tokenizer = Tokenizer.load(directory);
                CausalLm decoder = kind.make(width, POSITIONS)) {
            int end = Math.toIntExact(tokenizer.controlToken(ChatMl.END));
            ModelConstraints constraints = new ModelConstraints(tokenizer, List.of(end));
            PlainReplay replay = new PlainReplay(decoder);
            for (Sampling sampling : Arrays.asList(null, new Sampling(1.5, 20, 0.9))) {
                SamplingParams params = new SamplingParams(120, sampling, 1, StoppingCriteria.at(List.of(end)));
                List<PlainReplay.Asked> asked = new ArrayList<>();
                for (ResponseForm form : ResponseForm.values()) {
                    Supplier<TokenConstraint> constraint = () -> constraints.of(
                            width, form, List.copyOf(FunctionPoolFile.shipped().functions()));
                    asked.add(new PlainReplay.Asked(new long[] {40, 41, 42}, params, 5, constraint, POSITIONS));
                }
                List<Sequence> plain = write(decoder, settings(2, 0, false, 0), asked);
                List<Sequence> jumping = write(decoder, settings(2, 1 << 20, true, 4), asked);
                for (int i = 0; i < asked.size(); i++) {
                    replay.require(asked.get(i), jumping.get(i).generation());
                    replay.require(asked.get(i), plain.get(i).generation());
                    assertThat(passes(plain.get(i))).isEqualTo(plain.get(i).length());
                    assertThat(passes(jumping.get(i))).isLessThan(jumping.get(i).length());
                }
            }
            assertThat(replay.divergences()).isLessThanOrEqualTo(replay.tokens() / 500);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRunThatFillsTheLastPositionsGoesThroughInOnePass(TinyDecoder kind) {
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, new SchedulerSettings(1, 12, 512, 0, true, 4))) {
            SamplingParams params = SamplingParams.greedy(100, List.of());
            Sequence sequence = scheduler.add(
                    Requests.of(new long[] {1, 2, 3, 4, 5}, params, 0, new RunningSequenceTest.OneRun(new long[8])),
                    null);
            run(scheduler, List.of());
            assertThat(sequence.newTokens(0, sequence.length())).hasSize(8).containsOnly(0);
            assertThat(sequence.generation().finish()).isEqualTo(FinishReason.LENGTH);
            assertThat(passes(sequence)).isEqualTo(1);
        }
    }

    private static int passes(Sequence sequence) {
        return sequence.generation().cost().passes();
    }

    private static List<Sequence> write(CausalLm decoder, SchedulerSettings settings, List<PlainReplay.Asked> asked) {
        try (Scheduler scheduler = new Scheduler(decoder, settings)) {
            return run(scheduler, asked.stream().map(of -> add(scheduler, of)).toList());
        }
    }

    private static Sequence add(Scheduler scheduler, PlainReplay.Asked of) {
        TokenConstraint constraint =
                of.constraint() == null ? null : of.constraint().get();
        return scheduler.add(Requests.of(of.prompt(), of.params(), of.seed(), constraint), null);
    }

    @ParameterizedTest
    @EnumSource
    void guessesOutOfRepetitiveTextSavePassesAndChangeNothing(TinyDecoder kind) {
        try (CausalLm decoder = kind.makeForgetful(VOCABULARY, POSITIONS)) {
            List<PlainReplay.Asked> asked = new ArrayList<>();
            for (long[] prompt : prompts(6, 40)) {
                asked.add(new PlainReplay.Asked(prompt, SamplingParams.greedy(120, List.of()), 0, null, POSITIONS));
            }
            List<Sequence> plain = write(decoder, settings(3, 0, true, 0), asked);
            List<Sequence> guessing = write(decoder, settings(3, 0, true, 6), asked);
            PlainReplay replay = new PlainReplay(decoder);
            for (int i = 0; i < asked.size(); i++) {
                replay.require(asked.get(i), guessing.get(i).generation());
            }
            assertThat(replay.divergences()).isLessThanOrEqualTo(1);
            assertThat(guessing.stream().mapToInt(SchedulerPassesTest::passes).sum())
                    .isLessThan(
                            plain.stream().mapToInt(SchedulerPassesTest::passes).sum() * 3 / 4);
        }
    }

    private static List<long[]> prompts(int count, int length) {
        Random random = new Random(5);
        List<long[]> prompts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            prompts.add(random.longs(length, 0, VOCABULARY).toArray());
        }
        return prompts;
    }

    @ParameterizedTest
    @EnumSource
    void sharedPromptIsPrefilledOnce_andItsBlocksServeEqualPrefixes(TinyDecoder kind) {
        long[] prompt = prompts(1, 200).get(0);
        SamplingParams params = SamplingParams.greedy(3, List.of());
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS);
                Scheduler scheduler =
                        new Scheduler(decoder, new SchedulerSettings(4, POSITIONS, 64, 1 << 28, true, 0))) {
            for (int i = 0; i < 7; i++) {
                scheduler.add(Requests.of(prompt, params, i, null), null);
            }
            run(scheduler, List.of());
            assertThat(scheduler.stats().promptTokens()).isEqualTo(7 * 200);
            assertThat(scheduler.stats().prefixTokens()).isEqualTo(6 * 199);

            long[] alike = Arrays.copyOf(prompt, 150);
            alike[140]++;
            scheduler.add(Requests.of(alike, params, 0, null), null);
            run(scheduler, List.of());
            assertThat(scheduler.stats().prefixTokens() - 6 * 199)
                    .as("two blocks of 64")
                    .isEqualTo(128);
        }
    }

    @Test
    void blocksThatWereUsedLastOutliveThoseBefore() {
        List<long[]> prompts = prompts(4, 65);
        SamplingParams params = SamplingParams.greedy(1, List.of());
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, settings(1, 3 * 16_384 + 100, true, 0))) {
            for (int prompt : new int[] {0, 1, 2, 0, 3}) {
                scheduler.add(Requests.of(prompts.get(prompt), params, 0, null), null);
            }
            run(scheduler, List.of());
            assertThat(scheduler.stats().prefixTokens()).as("0 again").isEqualTo(64);
            assertThat(scheduler.stats().prefixBytes()).isEqualTo(3 * 16_384);
            for (int prompt : new int[] {0, 2, 3}) {
                scheduler.add(Requests.of(prompts.get(prompt), params, 0, null), null);
            }
            run(scheduler, List.of());
            assertThat(scheduler.stats().prefixTokens()).as("0, 2 and 3").isEqualTo(4 * 64);
            scheduler.add(Requests.of(prompts.get(1), params, 0, null), null);
            run(scheduler, List.of());
            assertThat(scheduler.stats().prefixTokens()).as("1 went first").isEqualTo(4 * 64);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLongPromptIsNotHeldUpByThoseThatComeAfterIt(TinyDecoder kind) {
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS);
                Scheduler scheduler =
                        new Scheduler(decoder, new SchedulerSettings(2, POSITIONS, 66, 1 << 28, true, 0))) {
            SamplingParams one = SamplingParams.greedy(1, List.of());
            scheduler.add(Requests.of(new long[] {1}, one, 0, null), null);
            Sequence patient = scheduler.add(Requests.of(prompts(1, 200).get(0), one, 0, null), null);
            prompts(30, 66).forEach(prompt -> scheduler.add(Requests.of(prompt, one, 0, null), null));
            run(scheduler, List.of());
            assertThat(passes(patient)).isLessThanOrEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void groupsOfMorePromptsThanAreKeptReadEachPromptOnce(TinyDecoder kind) {
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS)) {
            List<long[]> prompts = prompts(6, 129);
            long ofOne = prefixBytes(decoder, prompts.get(0));
            SchedulerSettings two = new SchedulerSettings(8, POSITIONS, 64, 2 * ofOne, true, 0);
            try (Scheduler scheduler = new Scheduler(decoder, two)) {
                SamplingParams params = SamplingParams.greedy(4, List.of());
                prompts.forEach(prompt -> IntStream.range(0, 4)
                        .forEach(sample -> scheduler.add(Requests.of(prompt, params, sample, null), null)));
                run(scheduler, List.of());
                Scheduler.Stats stats = scheduler.stats();
                assertThat(stats.promptTokens()).isEqualTo(6 * 4 * 129);
                assertThat(stats.prefixTokens()).isEqualTo(6 * 3 * 128);
            }
        }
    }

    private static long prefixBytes(CausalLm decoder, long[] prompt) {
        try (Scheduler scheduler = new Scheduler(decoder, settings(1, 1 << 28, true, 0))) {
            scheduler.add(Requests.of(prompt, SamplingParams.greedy(1, List.of()), 0, null), null);
            run(scheduler, List.of());
            return scheduler.stats().prefixBytes();
        }
    }

    @Test
    void whoeverCameFirstIsLetInFirstButForPromptsThatAreBeingRead() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, settings(2, 1 << 28, true, 0))) {
            List<long[]> prompts = prompts(3, 40);
            List<Sequence> added = new ArrayList<>();
            int[] lengths = {4, 4, 6, 4, 4, 4};
            for (int prompt : new int[] {0, 0, 1, 2, 0, 1}) {
                SamplingParams params = SamplingParams.greedy(lengths[added.size()], List.of());
                added.add(scheduler.add(Requests.of(prompts.get(prompt), params, 0, null), null));
            }
            Set<Integer> order = new LinkedHashSet<>();
            while (!scheduler.idle()) {
                scheduler.step().forEach(event -> order.add(added.indexOf(event.sequence())));
            }
            assertThat(order).containsExactly(0, 2, 1, 3, 4, 5);
        }
    }
}
