package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.ImageInputs;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.TorchRuntime;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The tokens of passes, for decoders with states that cannot be rewound. */
class RunningSequenceTest {
    private static final int POSITIONS = 200;
    private static final int LETTERS = 4;

    private CausalLm decoder;
    private KvCache cache;

    @BeforeEach
    void make() {
        decoder = TinyDecoder.QWEN3_5.make(40, POSITIONS);
        cache = new KvCache(decoder, 1, POSITIONS);
    }

    @AfterEach
    void close() {
        cache.close();
        decoder.close();
    }

    private static Sequence sequence(int length, @Nullable TokenConstraint constraint) {
        long[] prompt = new Random(1).longs(length, 0, LETTERS).toArray();
        return sequence(Prompt.ofText(prompt), constraint);
    }

    private static Sequence sequence(Prompt prompt, @Nullable TokenConstraint constraint) {
        SamplingParams params = SamplingParams.greedy(60, List.of());
        return new Sequence(40, new GenerationRequest(prompt, params, 0, null), 60, constraint);
    }

    private RunningSequence running(Sequence sequence, int promptLookup) {
        return new RunningSequence(sequence, cache, 0, promptLookup, 0);
    }

    private long[] pass(RunningSequence row, int tokens, boolean blocks) {
        row.plan(tokens, blocks, true);
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            cache.forward(scratch, new long[][] {row.fed()}, new long[0]);
        }
        return row.fed();
    }

    @Test
    void guessesThatAreAlwaysWrongDoNotPileUpWhatIsReadAgain() {
        Sequence sequence = sequence(60, null);
        RunningSequence row = running(sequence, 4);
        int guesses = 0;
        for (int i = 0; i < 40; i++) {
            int fed = pass(row, 100, false).length;
            int guessed = row.draft().length;
            guesses += guessed;
            assertThat(fed).as("pass %d with %d guesses", i, guessed).isLessThanOrEqualTo(i == 0 ? 60 : 3);
            long other = guessed == 0 ? i % LETTERS : (row.draft()[0] + 1) % LETTERS;
            sequence.append(other, 0, 0, 0);
            row.settle(0);
        }
        assertThat(guesses).isGreaterThan(10);
    }

    /** The earlier continuation of the prompt's last tokens is an image's placeholders. */
    @Test
    void placeholdersOfAnImageAreNotGuessed() {
        ImageFeatures image = new ImageFeatures("a", new ImageGrid(2, 2), new float[4 * 32]);
        long[] ids = {1, 2, 39, 39, 39, 39, 3, 3, 1, 2};
        Prompt seen = new Prompt(ids, ImageInputs.of(ids, 39, List.of(image)));
        assertThat(guess(Prompt.ofText(ids))).containsExactly(39, 39);
        assertThat(guess(seen)).isEmpty();
    }

    private long[] guess(Prompt prompt) {
        cache.clear(0);
        RunningSequence row = running(sequence(prompt, null), 4);
        row.plan(prompt.length() - 1, false, false);
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            cache.forward(scratch, new long[][] {row.fed()}, new long[0]);
        }
        row.plan(100, false, false);
        return row.draft();
    }

    @Test
    void aPromptsChunkKeepsToTheBudgetBetweenBlocksToo() {
        RunningSequence row = running(sequence(150, null), 0);
        assertThat(pass(row, 50, true)).hasSize(50);
        assertThat(pass(row, 50, true)).as("up to the end of the block").hasSize(14);
        assertThat(pass(row, 1, true)).hasSize(1);
        assertThat(pass(row, 1000, true))
                .as("up to the end of the last whole block")
                .hasSize(63);
        assertThat(pass(row, 1000, true)).as("up to the prompt's last token").hasSize(21);
        assertThat(pass(row, 1000, true)).hasSize(1);
    }

    @Test
    void knownTokensKeepToTheBudget() {
        Sequence sequence = sequence(10, new OneRun(new long[30]));
        RunningSequence row = running(sequence, 0);
        int known = 0;
        for (int tokens : new int[] {4, 14, 1, 5}) {
            assertThat(pass(row, tokens, false)).hasSize(tokens);
            known += row.forced().length;
            for (int i = row.chooses() ? row.forced().length : -1; i >= 0; i--) {
                sequence.append(0, 0, 0, 0);
            }
        }
        assertThat(known).isEqualTo(8 + 4);
        assertThat(sequence.length()).isEqualTo(known + 3);
    }

    /** Leaves no choice about as many tokens. */
    static final class OneRun implements TokenConstraint {
        private final long[] tokens;
        private int read;

        OneRun(long... tokens) {
            this.tokens = tokens.clone();
        }

        @Override
        public int shortest() {
            return tokens.length - read;
        }

        @Override
        public long[] forced(int left) {
            return Arrays.copyOfRange(tokens, read, tokens.length);
        }

        @Override
        public long[] allowed(int left) {
            return new long[] {-1};
        }

        @Override
        public void accept(long token) {
            read++;
        }
    }
}
