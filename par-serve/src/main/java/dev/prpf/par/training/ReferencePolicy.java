package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import dev.prpf.par.model.DecoderConfig;
import dev.prpf.par.model.DecoderScript;
import dev.prpf.par.model.DecoderWeights;
import dev.prpf.par.model.Precision;
import dev.prpf.par.model.RotaryTables;
import dev.prpf.par.model.TorchRuntime;

/**
 * The frozen policy that a KL penalty is measured from. It multiplies as training does, so that before the first step it gives the very
 * numbers of the policy. The weights it was made from may be closed.
 */
final class ReferencePolicy implements AutoCloseable {
    private static final long LINEAR = 0;

    private final DecoderConfig config;
    private final PtNDManager manager;
    private final RotaryTables rotary;
    private final IValue fused;

    ReferencePolicy(DecoderWeights weights, Precision precision) {
        config = weights.config();
        manager = TorchRuntime.newManager();
        rotary = new RotaryTables(config, manager);
        fused = DecoderScript.get()
                .value("fuse", weights.plain(), config.dims(), config.normEpsilon(), precision.scalarType(), LINEAR);
    }

    /** Log-probabilities of the responses' tokens, (B, T). */
    PtNDArray logProbabilities(PtNDManager scratch, ResponseBatch batch, double temperature) {
        SftBatch tokens = batch.tokens();
        RotaryTables.Pair tables =
                rotary.upTo(Math.toIntExact(tokens.ids().getShape().get(1)));
        return DecoderScript.get()
                .tensors(
                        scratch,
                        "fused_logprobs",
                        tokens.ids(),
                        tokens.positions(),
                        tokens.sequences(),
                        tokens.where(),
                        tokens.labels(),
                        batch.rows(),
                        fused,
                        tables.cosines(),
                        tables.sines(),
                        config.dims(),
                        config.normEpsilon(),
                        temperature)[0];
    }

    @Override
    public void close() {
        fused.close();
        manager.close();
    }
}
