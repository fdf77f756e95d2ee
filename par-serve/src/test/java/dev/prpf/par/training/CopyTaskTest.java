package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.Training.LearningRate;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The first skill of a new reasoner: to find the token after a mark in the prompt and to copy it. Prompts have marks
 * among noise, each before a random token. The response copies these tokens in the order of the marks' numbers, then
 * ends.
 */
class CopyTaskTest {
    private static final int END = 0;
    private static final int FIRST_MARK = 1;
    private static final int FIRST_WORD = 3;
    private static final int VOCABULARY = 24;
    private static final double PEAK_RATE = 4e-3;

    private static SftExample oneMark(Random random) {
        long[] prompt = random.longs(7, FIRST_WORD, VOCABULARY).toArray();
        int mark = random.nextInt(6);
        prompt[mark] = FIRST_MARK;
        return new SftExample(prompt, new long[] {prompt[mark + 1], END});
    }

    private static SftExample twoMarks(Random random) {
        long[] prompt = random.longs(14, FIRST_WORD, VOCABULARY).toArray();
        int first = random.nextInt(6);
        int second = 7 + random.nextInt(6);
        boolean swapped = random.nextBoolean();
        int one = swapped ? second : first;
        int two = swapped ? first : second;
        prompt[one] = FIRST_MARK;
        prompt[two] = FIRST_MARK + 1;
        return new SftExample(prompt, new long[] {prompt[one + 1], prompt[two + 1], END});
    }

    private static List<SftExample> examples(Function<Random, SftExample> task, int count, long seed) {
        Random random = new Random(seed);
        return Stream.generate(() -> task.apply(random)).limit(count).toList();
    }

    @Test
    @Tag("slow")
    void aModelFromNothingLearnsToCopyAfterOneMark() {
        assertLearns(CopyTaskTest::oneMark, 300);
    }

    /** The smaller test is {@link #aModelFromNothingLearnsToCopyAfterOneMark}. */
    @Test
    @Tag("nightly")
    void aModelFromNothingLearnsToCopyWhatItHasNeverSeenTogether() {
        assertLearns(CopyTaskTest::twoMarks, 700);
    }

    private static void assertLearns(Function<Random, SftExample> task, int steps) {
        DecoderConfig config =
                TinyModels.llama(VOCABULARY, 64, 128, 2, AttentionShape.of(4, 4, 16, 10_000.0), 32, true, List.of(END));
        List<SftExample> unseen = examples(task, 64, 99);
        try (DecoderWeights weights = ModelInit.random(config, 1)) {
            train(weights, task, steps);
            try (CausalLm decoder = CausalLm.of(weights, Precision.FP32)) {
                List<Generation> copies = Requests.generate(
                        decoder,
                        unseen.stream().map(SftExample::prompt).toList(),
                        GenerationSettings.greedy(6, List.of(END), 16));
                long right = 0;
                for (int i = 0; i < unseen.size(); i++) {
                    right += Arrays.equals(copies.get(i).ids(), unseen.get(i).response()) ? 1 : 0;
                }
                assertThat(right).as("of 64 unseen prompts answered exactly").isGreaterThanOrEqualTo(58);
            }
        }
    }

    private static void train(DecoderWeights weights, Function<Random, SftExample> task, int steps) {
        Random random = new Random(7);
        SftLoss loss = new SftLoss(TrainableDecoder.full(weights), new ComputeSettings(Precision.FP32, false, false));
        FusedAdamW optimizer =
                FusedAdamW.fresh(TrainableDecoder.full(weights), new AdamWSettings(0.9, 0.95, 1e-8, 0.01));
        LearningRate rate = LearningRate.of(LrSchedulerType.COSINE, PEAK_RATE, 0.1, steps);
        for (int step = 1; step <= steps; step++) {
            List<SftExample> batch = examples(task, 32, random.nextLong());
            loss.backward(batch, SftBatch.supervisedTokens(batch));
            optimizer.step(rate.at(step), 1.0);
        }
    }
}
