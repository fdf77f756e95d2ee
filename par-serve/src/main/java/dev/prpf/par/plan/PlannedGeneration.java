package dev.prpf.par.plan;

import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationMemory;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionTower.VisionMemory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the memory and work of generating responses with a model of a plan.
 *
 * @param batchSize responses decoded together
 * @param maxNewTokens maximum tokens of a response
 * @param asTrained whether prompts are like the prompts of the model's training; otherwise prompts may show the whole pool
 */
public record PlannedGeneration(
        StagePlan.Model model, Precision precision, int batchSize, int maxNewTokens, boolean asTrained) {
    /**
     * Estimates the need of the responses.
     *
     * @param prompts number of prompts, each prefilled once; null if unknown
     * @param group number of responses to each prompt
     */
    public StageNeed need(StagePlan plan, @Nullable Long prompts, int group) {
        Path file = model.start().resolve("config.json");
        if (!Files.exists(file)) {
            return StageNeed.unknown(file);
        }
        Integer most = plan.longest(model, asTrained);
        if (most == null) {
            return StageNeed.unknownLength();
        }
        DecoderConfig decoder = HuggingFaceDirectory.open(model.start()).config();
        FusedShape shape = FusedShape.of(decoder, precision);
        int longest = Math.min(most, decoder.maxPositions());
        long responses = GenerationMemory.ofResponses(shape, batchSize, batchSize, longest, maxNewTokens)
                .bytes();
        long images = images(longest);
        long bytes = shape.loadedBytes() + responses + images;
        String about = String.format(
                Locale.ROOT,
                "it needs at most %.2f GB of memory (%.2f GB weights, %.2f GB %d responses of %d tokens to prompts of %d,"
                        + " %.2f GB images)",
                bytes / 1e9,
                shape.loadedBytes() / 1e9,
                responses / 1e9,
                batchSize,
                maxNewTokens,
                longest,
                images / 1e9);
        String lower = "decode fewer responses together (--batch-size, sampling.batch-size) or shorter ones (--max-new,"
                + " sampling.max-new-tokens), or take a smaller number format";
        return new StageNeed(bytes, about, prompts == null ? null : work(shape, prompts, longest, group), lower, null);
    }

    /** Returns the work of prefill, and of decoding the longest responses in full batches. Each pass reads all weights. */
    StageNeed.Work work(FusedShape shape, long prompts, int longest, int group) {
        double written = (double) prompts * group * maxNewTokens;
        double tokens = written + (double) prompts * longest;
        return new StageNeed.Work(
                2 * tokens * shape.config().parameterCount(), written / batchSize * shape.loadedBytes(), false);
    }

    private long images(int longest) {
        VisionConfig vision = model.vision();
        if (vision == null) {
            return 0;
        }
        long patches = VisionConfig.MERGE
                * VisionConfig.MERGE
                * model.shown(1, longest).largest();
        return precision.weightBytes() * vision.parameterCount()
                + VisionMemory.of(vision, precision, Math.max(ModelVisionEncoder.BATCHED_PATCHES, patches))
                        .bytes();
    }
}
