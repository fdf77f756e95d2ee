package dev.prpf.par.engine;

import ai.djl.pytorch.jni.IValue;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import java.util.List;

/** A decoder's shape in the TorchScript text, its {@code Shape}. */
public final class ScriptShape implements AutoCloseable {
    private static final Script SCRIPT = Script.decoder();

    private final IValue value;

    public ScriptShape(DecoderConfig config) {
        DecoderFamily family = config.family();
        List<AttentionShape.Rotation> rotations = config.rotations();
        IValue[] layers = config.mixers().stream()
                .map(mixer -> layer(mixer, family, rotations))
                .toArray(IValue[]::new);
        try (IValue list = IValue.listFrom(layers)) {
            value = SCRIPT.value(
                    "shape",
                    list,
                    config.normEpsilon(),
                    (long) family.normOffset(),
                    family.embeddingScale(config.hiddenSize()),
                    config.logitSoftcap());
        } finally {
            List.of(layers).forEach(IValue::close);
        }
    }

    private static IValue layer(Mixer mixer, DecoderFamily family, List<AttentionShape.Rotation> rotations) {
        if (mixer instanceof AttentionShape attention) {
            return SCRIPT.value(
                    "attention_shape",
                    (long) attention.heads(),
                    (long) attention.keyValueHeads(),
                    (long) attention.headDim(),
                    (long) rotations.indexOf(attention.rotation()),
                    (long) attention.window(),
                    attention.scale(),
                    family.attentionBias(),
                    family.headNorms(),
                    family.outputGate(),
                    (long) family.normOffset(),
                    family.postNorms(),
                    family.gelu());
        }
        DeltaNetShape delta = (DeltaNetShape) mixer;
        return SCRIPT.value(
                "delta_shape",
                (long) delta.keyHeads(),
                (long) delta.valueHeads(),
                (long) delta.keyDim(),
                (long) delta.valueDim(),
                (long) delta.kernel(),
                (long) family.normOffset(),
                family.postNorms(),
                family.gelu());
    }

    /** Returns the script's value; not to be closed. */
    public IValue value() {
        return value;
    }

    @Override
    public void close() {
        value.close();
    }
}
