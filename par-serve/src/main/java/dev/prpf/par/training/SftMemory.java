package dev.prpf.par.training;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftSplit;
import dev.prpf.par.training.TrainingMemory.Sampling;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Estimates the {@link TrainingMemory} of a supervised fine-tuning. */
public final class SftMemory {
    /** Bytes of a logit: the log-softmax, its gradient and that of the loss, float32. */
    static final int LOGIT_BYTES = 3 * Float.BYTES;

    private SftMemory() {}

    /** Estimates a training on text. */
    public static TrainingMemory of(SftConfig config, DecoderConfig model, List<SftExample> examples) {
        return of(config, new TrainingMemory.Estimator(config, model), examples);
    }

    /**
     * Estimates a training on unmodified examples; augmentation changes their length little.
     *
     * @param estimator of the configuration and the model
     * @throws PrpfException 65 for an example that is longer than the model takes
     */
    public static TrainingMemory of(SftConfig config, TrainingMemory.Estimator estimator, List<SftExample> examples) {
        int maxPositions = estimator.model().maxPositions();
        List<SftExample> train = SftSplit.of(examples, maxPositions, config.devShare(), config.seed())
                .train(examples);
        BatchOrder order = BatchOrder.of(config, train.size());
        GradientMemory gradient = estimator.gradient();
        GradientMemory.Parts update = IntStream.range(0, config.epochs())
                .mapToObj(epoch -> order.epoch(epoch, train))
                .flatMap(List::stream)
                .flatMap(List::stream)
                .map(batch -> estimator.update(
                        gradient, SftBatch.size(batch, config.packing()), LOGIT_BYTES, TowerMemory.Shown.of(batch)))
                .max(Comparator.comparingLong(GradientMemory.Parts::bytes))
                .orElseThrow();
        return estimator.memory(
                false, update, config.predicts() ? predictions(estimator, config, examples) : Sampling.NONE);
    }

    /**
     * Estimates the memory for examples that do not exist yet: each has the maximum length, and all tokens are learned.
     *
     * @param maxLength tokens of an example
     * @param shown the most images of a batch; zeros for text
     */
    public static TrainingMemory atMost(
            SftConfig config, TrainingMemory.Estimator estimator, int maxLength, TowerMemory.Shown shown) {
        int rows = config.batchSize();
        int width = SftBatch.width(maxLength);
        long labels = SftBatch.rows((long) rows * width);
        GradientMemory.Batch batch = new GradientMemory.Batch(rows, width, labels, config.packing());
        return estimator.memory(
                false,
                estimator.update(batch, LOGIT_BYTES, shown),
                config.predicts() ? estimator.sampling(rows, rows, maxLength, maxLength) : Sampling.NONE);
    }

    /** Returns the memory of predictions for held-out prompts, with the longest responses. */
    private static Sampling predictions(
            TrainingMemory.Estimator estimator, SftConfig config, List<SftExample> examples) {
        int rows = Math.min(config.batchSize(), examples.size());
        int prompt = longest(examples, SftExample::prompt);
        return estimator.sampling(rows, rows, prompt, longestResponse(examples));
    }

    /** Returns the tokens of the longest response, the limit of predictions. */
    public static int longestResponse(List<SftExample> examples) {
        return longest(examples, SftExample::response);
    }

    private static int longest(List<SftExample> examples, Function<SftExample, long[]> part) {
        return examples.stream()
                .mapToInt(example -> part.apply(example).length)
                .max()
                .orElseThrow();
    }

    /** Returns advice for needing less memory. */
    public static String lower(SftConfig config, DecoderConfig model) {
        String first = config.batchSize() > 1
                ? "lower training.batch-size (and raise training.gradient-accumulation-steps as much)"
                : "lower examples.max-length";
        return new TrainingMemory.Estimator(config, model).lower(first, true);
    }
}
