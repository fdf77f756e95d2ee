package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
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
        /** The same with the labels of these examples. */
        Part of(List<SftExample> examples) {
            return new Part(loss, SftBatch.supervisedTokens(examples), hits);
        }

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
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            SftBatch batch = batch(scratch, examples);
            if (checkpointed != null) {
                return backward(checkpointed, scratch, batch, examples, divisor);
            }
            JniUtils.setGradMode(true);
            PtNDArray[] lossAndHits = Script.decoder().differentiables(scratch, "loss", arguments(batch, divisor));
            Part part = part(lossAndHits, examples);
            if (Double.isFinite(part.loss())) {
                TrainableDecoder.backward(scratch, lossAndHits[0]);
            }
            return part;
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    private static Part backward(
            CheckpointedPass pass, PtNDManager scratch, SftBatch batch, List<SftExample> examples, long divisor) {
        CheckpointedPass.Kept kept = pass.forward(scratch, batch);
        JniUtils.setGradMode(true);
        Part part = pass.loss(scratch, batch, kept, (double) divisor).of(examples);
        if (Double.isFinite(part.loss())) {
            pass.backward(scratch, batch, kept);
        }
        return part;
    }

    /** The value alone. */
    Part value(List<SftExample> examples, long divisor) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            SftBatch batch = batch(scratch, examples);
            if (checkpointed != null) {
                CheckpointedPass.Kept kept = checkpointed.forward(scratch, batch);
                return checkpointed.loss(scratch, batch, kept, (double) divisor).of(examples);
            }
            return part(Script.decoder().tensors(scratch, "loss", arguments(batch, divisor)), examples);
        }
    }

    private SftBatch batch(PtNDManager scratch, List<SftExample> examples) {
        return compute.packing() ? SftBatch.packed(scratch, examples) : SftBatch.of(scratch, examples);
    }

    private static Part part(PtNDArray[] lossAndHits, List<SftExample> examples) {
        return new Part(lossAndHits[0].getFloat(), SftBatch.supervisedTokens(examples), lossAndHits[1].getLong());
    }

    private Object[] arguments(SftBatch batch, long divisor) {
        return decoder.arguments(batch, List.of(), compute.precision(), (double) divisor);
    }
}
