package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingVision.BatchImages;
import java.util.List;

/** Computes the masked cross entropy of responses, with or without its gradient (PRPF eq. 13). */
final class SftLoss {
    private final TrainableDecoder decoder;
    private final boolean packing;
    private final DecoderPass pass;

    /**
     * A part of the sum.
     *
     * @param loss summed over the labels, over the divisor
     * @param hits number of labels that the model finds likeliest
     */
    record Part(double loss, long labels, long hits) {
        Part plus(Part other) {
            return new Part(loss + other.loss, labels + other.labels, hits + other.hits);
        }
    }

    public SftLoss(TrainableDecoder decoder, ComputeSettings compute) {
        this.decoder = decoder;
        packing = compute.packing();
        pass = DecoderPass.of(decoder, compute);
    }

    /** Adds the gradient of this batch's part to those of the trained weights. */
    public Part backward(List<SftExample> examples, long divisor) {
        return part(examples, (double) divisor, true);
    }

    /** Returns the value without the gradient. */
    Part value(List<SftExample> examples, long divisor) {
        return part(examples, (double) divisor, false);
    }

    private Part part(List<SftExample> examples, double divisor, boolean learn) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            BatchImages images = decoder.images(scratch, examples, learn);
            SftBatch batch =
                    packing ? SftBatch.packed(scratch, examples, images) : SftBatch.of(scratch, examples, images);
            try (DecoderPass.Forward forward = pass.forward(scratch, batch, learn)) {
                Part part = forward.loss(divisor, SftBatch.supervisedTokens(examples));
                if (learn && Double.isFinite(part.loss())) {
                    forward.backward();
                }
                return part;
            }
        }
    }
}
