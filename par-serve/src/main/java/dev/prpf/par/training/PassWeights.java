package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.MatmulKernel;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.ScriptShape;
import dev.prpf.par.engine.TorchRuntime;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A decoder's weights in the number format and layout that {@link DecoderPass} multiplies by.
 *
 * @param kernel the script's {@code Fused} that gives shape and kernel
 * @param embedding matrix, (V, D)
 * @param embeddingLearns whether it takes a gradient
 * @param ends creates final norm and head, the script's {@code Fused}, which the caller closes
 * @param layers creates a layer from its number, the script's {@code Layer}, which the caller closes
 * @param release frees the memory of these weights, except for the decoder's
 */
record PassWeights(
        DecoderConfig config,
        RotaryTables rotary,
        IValue kernel,
        PtNDArray embedding,
        boolean embeddingLearns,
        Supplier<IValue> ends,
        IntFunction<IValue> layers,
        Runnable release)
        implements AutoCloseable {
    private static final Script SCRIPT = Script.decoder();

    /** Creates the weights of full training. Each use converts them again, so that a gradient belongs to one use only. */
    static PassWeights learning(DecoderWeights weights, Precision precision) {
        DecoderConfig config = weights.config();
        PtNDArray[] plain = weights.plain();
        ScriptShape shape = new ScriptShape(config);
        long type = precision.scalarType();
        IValue kernel = SCRIPT.differentiableValue(
                "bare", TorchRuntime.anchor(), shape.value(), type, (long) config.hiddenSize());
        return new PassWeights(
                config,
                new RotaryTables(config, weights.manager()),
                kernel,
                plain[0],
                true,
                () -> SCRIPT.differentiableValue(
                        "fuse_ends",
                        plain[plain.length - 1],
                        plain[plain.length - 2],
                        new PtNDArray[0],
                        shape.value(),
                        type,
                        MatmulKernel.LINEAR.label()),
                layer -> {
                    PtNDArray[] own = Arrays.copyOfRange(plain, weights.begin(layer), weights.begin(layer + 1));
                    return SCRIPT.differentiableValue("learning_layer", own, (long) layer, kernel);
                },
                () -> {
                    kernel.close();
                    shape.close();
                });
    }

    /**
     * Creates frozen weights, with or without trained adapters.
     *
     * @param base the frozen decoder, which the caller closes
     * @param adapted creates each layer with adapters; null for only the frozen weights
     */
    static PassWeights frozen(CausalLm base, @Nullable IntFunction<IValue> adapted) {
        IValue fused = base.fused();
        PtNDManager manager = TorchRuntime.newManager();
        return new PassWeights(
                base.config(),
                base.rotary(),
                fused,
                SCRIPT.differentiable(manager, "embedding_of", fused),
                false,
                () -> SCRIPT.differentiableValue("ends", fused),
                adapted == null ? layer -> SCRIPT.differentiableValue("frozen_layer", fused, (long) layer) : adapted,
                manager::close);
    }

    @Override
    public void close() {
        release.run();
    }
}
