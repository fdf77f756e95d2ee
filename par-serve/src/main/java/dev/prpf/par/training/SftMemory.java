package dev.prpf.par.training;

import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationMemory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftSplit;
import java.util.ArrayList;
import java.util.List;

/** {@link TrainingMemory} of a supervised fine-tuning. */
public final class SftMemory {
    /** The log-softmax, its gradient and that of the loss, float32. */
    private static final int LOGIT_BYTES = 3 * Float.BYTES;

    private SftMemory() {}

    /** Of examples as the data have them; what augmentation makes of them differs little in length. */
    public static TrainingMemory of(SftConfig config, DecoderConfig model, List<SftExample> examples) {
        Precision precision = config.precision().resolve();
        GradientMemory gradient = new GradientMemory(model, precision, config.lora() == null);
        long update = batches(config, examples).stream()
                .mapToLong(batch ->
                        TrainingMemory.update(gradient, model, batch, LOGIT_BYTES, config.gradientCheckpointing()))
                .max()
                .orElseThrow();
        TrainingMemory.Model weights = TrainingMemory.Model.of(model, config.lora());
        return new TrainingMemory(
                TrainingMemory.InUse.now(),
                weights.weights(),
                weights.learning(),
                0,
                Math.max(update, config.lora() == null ? 0 : merged(model)),
                config.asks() ? answers(config, model, examples) : 0);
    }

    /** The weights that adapters are merged into before they are written. */
    private static long merged(DecoderConfig model) {
        return Float.BYTES * model.parameterCount();
    }

    /** A decoder of the model, and a batch of held-out prompts with answers as long as any response. */
    private static long answers(SftConfig config, DecoderConfig model, List<SftExample> examples) {
        FusedShape decoder = FusedShape.of(model, config.precision().resolve());
        int rows = Math.min(config.batchSize(), examples.size());
        int prompt = examples.stream()
                .mapToInt(example -> example.prompt().length)
                .max()
                .orElseThrow();
        long written = GenerationMemory.of(decoder, rows, rows, prompt, longestResponse(examples))
                .bytes();
        return decoder.bytes() + Math.max(written, config.lora() == null ? 0 : merged(model));
    }

    /** Tokens of the longest response, which is as long as answers may get. */
    public static int longestResponse(List<SftExample> examples) {
        return examples.stream()
                .mapToInt(example -> example.response().length)
                .max()
                .orElseThrow();
    }

    /** Every batch of every epoch. */
    private static List<GradientMemory.Batch> batches(SftConfig config, List<SftExample> examples) {
        List<SftExample> train = SftSplit.of(examples, Integer.MAX_VALUE, config.devShare(), config.seed())
                .train(examples);
        BatchOrder order = BatchOrder.of(config, train.size());
        List<GradientMemory.Batch> batches = new ArrayList<>();
        for (int epoch = 0; epoch < config.epochs(); epoch++) {
            for (List<List<SftExample>> step : order.epoch(epoch, train)) {
                step.forEach(batch -> batches.add(SftBatch.size(batch, config.packing())));
            }
        }
        return batches;
    }

    /** What makes it smaller. */
    public static String lower(SftConfig config) {
        return (config.batchSize() > 1
                        ? "lower training.batch-size (and raise training.gradient-accumulation-steps as much)"
                        : "lower examples.max-length")
                + TrainingMemory.checkpointing(config.gradientCheckpointing())
                + TrainingMemory.smaller(config.lora(), config.precision());
    }
}
