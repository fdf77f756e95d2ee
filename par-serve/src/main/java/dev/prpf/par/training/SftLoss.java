package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.sets.SftExample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The masked cross entropy of PRPF eq. 13, with or without its gradient. */
public final class SftLoss {
    private final TrainableDecoder decoder;
    private final ComputeSettings compute;
    private final @Nullable CheckpointedPass checkpointed;

    /**
     * A part of the sum.
     *
     * @param loss summed over the labels, over the divisor
     * @param labels supervised tokens
     * @param hits those that were the likeliest
     */
    record Part(double loss, long labels, long hits) {
        Part plus(Part other) {
            return new Part(loss + other.loss, labels + other.labels, hits + other.hits);
        }
    }

    public SftLoss(TrainableDecoder decoder, ComputeSettings compute) {
        this.decoder = decoder;
        this.compute = compute;
        checkpointed = compute.checkpointing() ? new CheckpointedPass(decoder, compute.precision()) : null;
    }

    /** Adds the gradient of this batch's part to those of what learns. */
    public Part backward(List<SftExample> examples, long divisor) {
        return part(examples, (double) divisor, true);
    }

    /** The value alone. */
    Part value(List<SftExample> examples, long divisor) {
        return part(examples, (double) divisor, false);
    }

    private Part part(List<SftExample> examples, double divisor, boolean learn) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            BatchPictures pictures = decoder.pictures(scratch, examples, learn);
            SftBatch batch = compute.packing()
                    ? SftBatch.packed(scratch, examples, pictures)
                    : SftBatch.of(scratch, examples, pictures);
            long labels = SftBatch.supervisedTokens(examples);
            if (checkpointed != null) {
                CheckpointedPass.Kept kept = checkpointed.forward(scratch, batch);
                JniUtils.setGradMode(learn);
                Part part = checkpointed.loss(scratch, batch, kept, divisor, labels);
                if (learn && Double.isFinite(part.loss())) {
                    checkpointed.backward(scratch, batch, kept);
                }
                return part;
            }
            JniUtils.setGradMode(learn);
            PtNDArray[] lossAndHits = Script.decoder()
                    .differentiables(
                            scratch, "loss", decoder.arguments(batch, List.of(), compute.precision(), divisor));
            double loss = HostValues.number(lossAndHits[0]);
            if (learn && Double.isFinite(loss)) {
                TrainableDecoder.backward(scratch, lossAndHits[0]);
                pictures.backward();
            }
            return new Part(loss, labels, HostValues.whole(lossAndHits[1]));
        } finally {
            JniUtils.setGradMode(false);
        }
    }
}
