package dev.prpf.par.training.grpo;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.MatmulKernel;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.ScriptShape;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.training.ResponseBatch;
import dev.prpf.par.training.SftBatch;

/**
 * The frozen policy that a KL penalty is measured from. It multiplies as training does, so that before the first step it gives the very
 * numbers of the policy. The weights it was made from may be closed.
 */
public final class ReferencePolicy implements AutoCloseable {
    private static final Script SCRIPT = Script.decoder();

    private final DecoderConfig config;
    private final PtNDManager manager;
    private final RotaryTables rotary;
    private final ScriptShape shape;
    private final IValue fused;

    public ReferencePolicy(DecoderWeights weights, Precision precision) {
        config = weights.config();
        manager = TorchRuntime.newManager();
        rotary = new RotaryTables(config, manager);
        shape = new ScriptShape(config);
        fused = SCRIPT.value(
                "fuse", weights.plain(), shape.value(), precision.scalarType(), MatmulKernel.LINEAR.label());
    }

    /** Log-probabilities of the responses' tokens, (B, T); logits are computed for a chunk of rows at a time. */
    PtNDArray logProbabilities(PtNDManager scratch, ResponseBatch batch, double temperature) {
        SftBatch tokens = batch.tokens();
        RotaryTables.Pair tables =
                rotary.upTo(Math.toIntExact(tokens.ids().getShape().get(1)));
        PtNDArray rows = SCRIPT.tensor(
                scratch,
                "fused_rows",
                tokens.ids(),
                tokens.positions(),
                tokens.sequences(),
                tokens.where(),
                tokens.at(),
                tokens.pictures().features(),
                fused,
                tables.cosines(),
                tables.sines(),
                tables.axes());
        PtNDArray[] pieces = tokens.pieces(SftBatch.logitRows(config)).stream()
                .map(piece -> SCRIPT.tensor(
                        scratch, "fused_piece", rows, piece.begin(), piece.end(), tokens.labels(), fused, temperature))
                .toArray(PtNDArray[]::new);
        return SCRIPT.tensors(scratch, "pieces_in_rows", pieces, pieces, batch.rows())[0];
    }

    @Override
    public void close() {
        fused.close();
        shape.close();
        manager.close();
    }
}
