package dev.prpf.mpp.network;

import dev.prpf.base.error.UnavailableException;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkEngine;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Parameter;
import dev.prpf.mpp.network.graph.GraphEngine;
import dev.prpf.mpp.network.host.AdamW;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.network.host.WorkerPool;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.nd4j.linalg.api.buffer.DataType;

/** The perceiver's network with its objective and its optimizer. Float arrays go in and out. Not for use by two threads at once. */
public final class MppNetwork implements AutoCloseable {
    private final NetworkShape shape;
    private final JointLoss loss;
    private final NetworkEngine engine;
    private final AdamW optimizer;

    /**
     * An initialized network on as many threads as {@link WorkerPool#defaultThreads()} says; on a processor results agree up to rounding
     * whatever their number.
     */
    public MppNetwork(NetworkShape shape, JointLoss loss, long seed) {
        this(shape, loss, seed, engine(shape, seed));
    }

    MppNetwork(NetworkShape shape, JointLoss loss, long seed, NetworkEngine engine) {
        this.shape = shape;
        this.loss = loss;
        this.engine = engine;
        optimizer = new AdamW(engine.parameters(), WorkerPool.defaultThreads());
        FloatBuffer values = engine.values();
        engine.parameters().forEach(parameter -> values.put(parameter.initial(seed)));
        engine.valuesChanged();
    }

    private static NetworkEngine engine(NetworkShape shape, long seed) {
        return Nd4jBackend.device() == Device.CPU
                ? new HostEngine(shape, seed, WorkerPool.defaultThreads())
                : new GraphEngine(shape, seed, DataType.FLOAT);
    }

    /** @throws dev.prpf.base.error.PrpfException 69 if the device of this build, {@code cpu} or {@code cuda}, or its library is missing */
    public static String device() {
        return Nd4jBackend.device().label();
    }

    /** @throws dev.prpf.base.error.PrpfException 69 if this build is for another device than wanted, or its device or library is missing */
    public static void requireDevice(Device wanted) {
        Device here = Nd4jBackend.device();
        if (here != wanted) {
            throw new UnavailableException("the configuration says device: " + wanted.label()
                    + ", this build runs on " + here.label() + " and never falls back; start it as PRPF_PROFILE="
                    + wanted.profile() + " ./prpf …, or set device: " + here.label());
        }
    }

    public NetworkShape shape() {
        return shape;
    }

    /** Number of trainable values. */
    public int length() {
        return engine.values().capacity();
    }

    /** The joint loss (PRPF eq. 12) before this step, its gradient kept for {@link #update}; not finite when training has diverged. */
    public double backward(FeatureBatch batch) {
        double[][] logits = engine.forward(batch, optimizer.steps());
        JointLoss.Evaluation evaluated = loss.evaluate(logits, batch.samples());
        engine.backward(evaluated.gradient());
        return evaluated.loss();
    }

    /** One AdamW step along the gradient of the last {@link #backward}. */
    public void update(double learningRate, double weightDecay) {
        optimizer.step(engine.values(), engine.gradients(), learningRate, weightDecay);
        engine.valuesChanged();
    }

    /**
     * Logits of the batch's samples, without dropout (before the sigmoids of PRPF eq. 7 and 8): a row a sample, the trigger's first, then
     * the scenarios', (n, 1 + S).
     */
    public double[][] logits(FeatureBatch batch) {
        return Arrays.copyOf(engine.infer(batch), batch.samples().size());
    }

    /** Every trainable array by name, row-major copies in a fixed order. */
    public Map<String, NamedArray> parameters() {
        Map<String, NamedArray> copies = new LinkedHashMap<>();
        FloatBuffer values = engine.values();
        for (Parameter parameter : engine.parameters()) {
            float[] own = new float[parameter.length()];
            values.get(own);
            copies.put(parameter.name(), new NamedArray(parameter.shape(), own));
        }
        return copies;
    }

    /** A copy of every trainable array, which any number of streams may share. */
    public ParameterStore parametersForStreams() {
        return new ParameterStore(shape, engine.values());
    }

    /**
     * Replaces every trainable array.
     *
     * @throws IllegalArgumentException if names or shapes are not this network's, or a value is not finite; nothing is replaced then
     */
    public void load(Map<String, NamedArray> arrays) {
        Set<String> names = parameters().keySet();
        if (!names.equals(arrays.keySet())) {
            throw new IllegalArgumentException("arrays " + arrays.keySet() + ", the network has " + names);
        }
        List<float[]> fitting = engine.parameters().stream()
                .map(parameter ->
                        Objects.requireNonNull(arrays.get(parameter.name())).fitting(parameter))
                .toList();
        FloatBuffer values = engine.values();
        fitting.forEach(values::put);
        engine.valuesChanged();
    }

    /** The optimizer's state, copied. */
    public AdamW.State optimizerState() {
        return optimizer.state();
    }

    public void restore(AdamW.State state) {
        optimizer.restore(state);
    }

    @Override
    public void close() {
        engine.close();
    }

    /** A trainable array's shape and a copy of its values, row-major. */
    public record NamedArray(long[] shape, float[] values) {
        private float[] fitting(Parameter parameter) {
            if (!Arrays.equals(shape, parameter.shape())) {
                throw new IllegalArgumentException("array " + parameter.name() + " has shape " + Arrays.toString(shape)
                        + ", the network's " + Arrays.toString(parameter.shape()));
            }
            for (int i = 0; i < values.length; i++) {
                if (!Float.isFinite(values[i])) {
                    throw new IllegalArgumentException("array " + parameter.name() + " holds " + values[i]
                            + " at place " + i + ", every value must be finite");
                }
            }
            return values;
        }
    }
}
