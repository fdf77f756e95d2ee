package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.model.DecoderConfig;
import dev.prpf.par.model.DecoderScript;
import dev.prpf.par.model.Precision;
import dev.prpf.par.model.RotaryTables;
import dev.prpf.par.model.TorchRuntime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The masked cross entropy of PRPF eq. 13, with or without its gradient. */
final class SftLoss {
    private final TrainableDecoder decoder;
    private final Precision precision;
    private final boolean packing;
    private final RotaryTables rotary;

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

    /** One example a row. */
    SftLoss(TrainableDecoder decoder, Precision precision) {
        this(decoder, precision, false);
    }

    /** @param packing whether short examples share a row; the numbers are the same */
    SftLoss(TrainableDecoder decoder, Precision precision, boolean packing) {
        this.decoder = decoder;
        this.precision = precision;
        this.packing = packing;
        rotary = new RotaryTables(decoder.config(), decoder.manager());
    }

    /** Adds the gradient of this batch's part to those of what learns. */
    Part backward(List<SftExample> examples, long divisor) {
        JniUtils.setGradMode(true);
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray[] lossAndHits =
                    DecoderScript.get().differentiables(scratch, "loss", arguments(scratch, examples, divisor));
            Part part = part(lossAndHits, examples);
            if (Double.isFinite(part.loss())) {
                try (PtNDArray one = (PtNDArray) scratch.create(1f)) {
                    JniUtils.backward(lossAndHits[0], one, false, false);
                }
            }
            return part;
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    /** The value alone. */
    Part value(List<SftExample> examples, long divisor) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            return part(DecoderScript.get().tensors(scratch, "loss", arguments(scratch, examples, divisor)), examples);
        }
    }

    private static Part part(PtNDArray[] lossAndHits, List<SftExample> examples) {
        return new Part(lossAndHits[0].getFloat(), SftBatch.supervisedTokens(examples), lossAndHits[1].getLong());
    }

    private Object[] arguments(PtNDManager scratch, List<SftExample> examples, long divisor) {
        SftBatch batch = packing ? SftBatch.packed(scratch, examples) : SftBatch.of(scratch, examples);
        DecoderConfig config = decoder.config();
        RotaryTables.Pair tables =
                rotary.upTo(Math.toIntExact(batch.ids().getShape().get(1)));
        List<Object> arguments = new ArrayList<>(
                List.of(batch.ids(), batch.positions(), batch.sequences(), batch.where(), batch.labels()));
        arguments.addAll(Arrays.asList(decoder.arguments()));
        arguments.addAll(List.of(
                tables.cosines(), tables.sines(), config.dims(), config.normEpsilon(), precision.scalarType(), (double)
                        divisor));
        return arguments.toArray();
    }
}
