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
import org.jspecify.annotations.Nullable;

/** A decoder's weights in the form that {@link DecoderPass} multiplies by. */
interface PassWeights extends AutoCloseable {
    DecoderConfig config();

    RotaryTables rotary();

    /** Returns the script's {@code Fused} that gives shape and kernel, which the caller must not close. */
    IValue kernel();

    /** Returns the embedding matrix, (V, D). */
    PtNDArray embedding();

    /** Returns final norm and head, the script's {@code Fused}, which the caller closes. */
    IValue ends();

    /** Returns a layer, the script's {@code Layer}, which the caller closes. */
    IValue layer(int number);

    /** Returns whether the embedding takes a gradient. */
    boolean embeddingLearns();

    @Override
    void close();

    /** Weights of full training. Each use converts the weights again, so that a gradient belongs to one use only. */
    final class Learning implements PassWeights {
        private static final Script SCRIPT = Script.decoder();

        private final DecoderWeights weights;
        private final PtNDArray[] plain;
        private final Precision precision;
        private final RotaryTables rotary;
        private final ScriptShape shape;
        private final IValue kernel;

        Learning(DecoderWeights weights, Precision precision) {
            this.weights = weights;
            this.precision = precision;
            plain = weights.plain();
            rotary = new RotaryTables(weights.config(), weights.manager());
            shape = new ScriptShape(weights.config());
            kernel = SCRIPT.differentiableValue(
                    "bare", TorchRuntime.anchor(), shape.value(), precision.scalarType(), (long)
                            weights.config().hiddenSize());
        }

        @Override
        public DecoderConfig config() {
            return weights.config();
        }

        @Override
        public RotaryTables rotary() {
            return rotary;
        }

        @Override
        public IValue kernel() {
            return kernel;
        }

        @Override
        public PtNDArray embedding() {
            return plain[0];
        }

        @Override
        public IValue ends() {
            return SCRIPT.differentiableValue(
                    "fuse_ends",
                    plain[plain.length - 1],
                    plain[plain.length - 2],
                    new PtNDArray[0],
                    shape.value(),
                    precision.scalarType(),
                    MatmulKernel.LINEAR.label());
        }

        @Override
        public IValue layer(int number) {
            PtNDArray[] own = Arrays.copyOfRange(plain, weights.begin(number), weights.begin(number + 1));
            return SCRIPT.differentiableValue("learning_layer", own, (long) number, kernel);
        }

        @Override
        public boolean embeddingLearns() {
            return true;
        }

        @Override
        public void close() {
            kernel.close();
            shape.close();
        }
    }

    /** Frozen weights, with or without trained adapters. */
    final class Frozen implements PassWeights {
        private static final Script SCRIPT = Script.decoder();

        private final CausalLm base;
        private final PtNDManager manager = TorchRuntime.newManager();
        private final PtNDArray embedding;
        private final IntFunction<IValue> layers;

        /**
         * @param base the frozen decoder, which the caller closes
         * @param adapted creates each layer with adapters; null for only the frozen weights
         */
        Frozen(CausalLm base, @Nullable IntFunction<IValue> adapted) {
            this.base = base;
            embedding = SCRIPT.differentiable(manager, "embedding_of", base.fused());
            layers =
                    adapted == null ? i -> SCRIPT.differentiableValue("frozen_layer", base.fused(), (long) i) : adapted;
        }

        @Override
        public DecoderConfig config() {
            return base.config();
        }

        @Override
        public RotaryTables rotary() {
            return base.rotary();
        }

        @Override
        public IValue kernel() {
            return base.fused();
        }

        @Override
        public PtNDArray embedding() {
            return embedding;
        }

        @Override
        public IValue ends() {
            return SCRIPT.differentiableValue("ends", base.fused());
        }

        @Override
        public IValue layer(int number) {
            return layers.apply(number);
        }

        @Override
        public boolean embeddingLearns() {
            return false;
        }

        @Override
        public void close() {
            manager.close();
        }
    }
}
