package dev.prpf.mpp.network;

import dev.prpf.base.error.UnavailableException;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * The perceiver's network with its optimizer: a DL4J graph of the body, two heads of one hidden layer each (MLP_trig and
 * MLP_scenario of PRPF eq. 7 and 8) and two losses. Float arrays go in and out. Not for use by two threads at once.
 */
public final class MppNetwork implements AutoCloseable {
    private static final String BODY = "body";

    private final NetworkShape shape;
    private final ComputationGraph graph;
    private final DataType type;
    private final AdamW optimizer;

    /** A network with first values drawn from the seed. */
    public MppNetwork(NetworkShape shape, JointLoss loss, long seed) {
        this(shape, loss, seed, DataType.FLOAT);
    }

    MppNetwork(NetworkShape shape, JointLoss loss, long seed, DataType type) {
        Nd4jBackend.start();
        this.shape = shape;
        this.type = type;
        graph = new ComputationGraph(configuration(shape, loss, seed, type));
        graph.init();
        graph.initGradientsView();
        initializeHeads(seed);
        optimizer = new AdamW(length(), segments());
    }

    private static ComputationGraphConfiguration configuration(
            NetworkShape shape, JointLoss loss, long seed, DataType type) {
        int hidden = shape.dimension();
        return new NeuralNetConfiguration.Builder()
                .seed(seed)
                .dataType(type)
                .updater(new NoOp())
                .graphBuilder()
                .addInputs(MppBody.INPUTS)
                .addVertex(BODY, new BodyVertex(shape, seed), MppBody.INPUTS.toArray(String[]::new))
                .addLayer("trigger-hidden", hidden(shape.fusedWidth(), hidden), BODY)
                .addLayer("trigger", output(hidden, 1, new FocalLoss(loss)), "trigger-hidden")
                .addLayer("scenario-hidden", hidden(shape.fusedWidth(), hidden), BODY)
                .addLayer("scenario", output(hidden, shape.scenarios(), new ScenarioLoss(loss)), "scenario-hidden")
                .setOutputs("trigger", "scenario")
                .build();
    }

    private static DenseLayer hidden(int in, int out) {
        return new DenseLayer.Builder()
                .nIn(in)
                .nOut(out)
                .activation(Activation.RELU)
                .build();
    }

    /** Linear outputs: losses and perception take logits, which neither overflow nor saturate. */
    private static OutputLayer output(int in, int out, RowLoss loss) {
        return new OutputLayer.Builder()
                .nIn(in)
                .nOut(out)
                .activation(Activation.IDENTITY)
                .lossFunction(loss)
                .build();
    }

    private void initializeHeads(long seed) {
        graph.paramTable().forEach((name, array) -> {
            if (!name.startsWith(BODY)) {
                float[] values = BodyParameters.initial(name, array.shape(), seed);
                array.assign(Nd4j.create(values, array.shape(), 'c').castTo(type));
            }
        });
    }

    private List<AdamW.Segment> segments() {
        List<AdamW.Segment> segments = new ArrayList<>();
        graph.paramTable().forEach((name, array) -> {
            int from = Math.toIntExact(array.offset());
            segments.add(
                    new AdamW.Segment(from, from + Math.toIntExact(array.length()), BodyParameters.isWeight(name)));
        });
        segments.sort(Comparator.comparingInt(AdamW.Segment::from));
        return segments;
    }

    /**
     * Where this build's networks run: {@code cpu} or {@code cuda}.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if that device or its library is missing
     */
    public static String device() {
        return Nd4jBackend.device().label();
    }

    /**
     * Refuses to run anywhere but where the configuration says.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if this build is for another device, or its device or library is missing
     */
    public static void requireDevice(Device wanted) {
        Device here = Nd4jBackend.device();
        if (here != wanted) {
            throw new UnavailableException("the configuration says device: " + wanted.label()
                    + ", this build runs on " + here.label() + " and never falls back; start it as PRPF_PROFILE="
                    + wanted.label() + " ./prpf …, or set device: " + here.label());
        }
    }

    public NetworkShape shape() {
        return shape;
    }

    /** Number of trainable values. */
    public int length() {
        return Math.toIntExact(graph.params().length());
    }

    /**
     * The joint loss of a training batch, its gradient kept for {@link #update}.
     *
     * @return PRPF eq. 12 before this step; not finite when training has diverged
     */
    public double backward(FeatureBatch batch) {
        ((BodyRuntime) graph.getVertex(BODY)).dropoutStep(optimizer.steps());
        present(batch);
        graph.computeGradientAndScore();
        graph.clearLayerMaskArrays();
        return graph.score();
    }

    private void present(FeatureBatch batch) {
        graph.setInputs(batch.arrays(type));
        INDArray trigger = batch.trigger(type);
        graph.setLabels(trigger, batch.scenarios(type));
        graph.setLayerMaskArrays(null, new INDArray[] {null, trigger});
    }

    /** One AdamW step along the gradient of the last {@link #backward}. */
    public void update(FeatureBatch batch, double learningRate, double weightDecay) {
        AdamW.Rates rates = new AdamW.Rates(learningRate, weightDecay);
        float scale = 1f / batch.rows();
        INDArray parameters = graph.params();
        INDArray gradients = graph.getFlattenedGradients();
        if (HostArrays.direct(parameters)) {
            optimizer.step(HostArrays.buffer(parameters), HostArrays.buffer(gradients), scale, rates);
        } else {
            FloatBuffer values = FloatBuffer.wrap(parameters.toFloatVector());
            optimizer.step(values, FloatBuffer.wrap(gradients.toFloatVector()), scale, rates);
            HostArrays.write(parameters, values.array());
        }
    }

    /** Logits of the batch's samples, without dropout. */
    public Logits logits(FeatureBatch batch) {
        INDArray[] outputs = graph.output(false, batch.arrays(type));
        float[] trigger = Arrays.copyOf(outputs[0].dup('c').data().asFloat(), batch.samples());
        float[] flat = outputs[1].dup('c').data().asFloat();
        float[][] scenarios = new float[batch.samples()][];
        for (int row = 0; row < scenarios.length; row++) {
            scenarios[row] = Arrays.copyOfRange(flat, row * shape.scenarios(), (row + 1) * shape.scenarios());
        }
        return new Logits(trigger, scenarios);
    }

    /** Every trainable array by name, row-major copies in a fixed order. */
    public Map<String, NamedArray> parameters() {
        Map<String, NamedArray> copies = new LinkedHashMap<>();
        graph.paramTable()
                .forEach((name, array) -> copies.put(
                        name,
                        new NamedArray(array.shape(), array.dup('c').reshape(-1).toFloatVector())));
        return copies;
    }

    /**
     * Replaces every trainable array.
     *
     * @throws IllegalArgumentException if names or shapes are not this network's, or a value is not finite; nothing is replaced then
     */
    public void load(Map<String, NamedArray> values) {
        Map<String, INDArray> table = graph.paramTable();
        if (!table.keySet().equals(values.keySet())) {
            throw new IllegalArgumentException("arrays " + values.keySet() + ", the network has " + table.keySet());
        }
        table.forEach((name, array) -> {
            NamedArray given = Objects.requireNonNull(values.get(name));
            if (!Arrays.equals(given.shape(), array.shape())) {
                throw new IllegalArgumentException("array " + name + " has shape "
                        + Arrays.toString(given.shape()) + ", the network's "
                        + Arrays.toString(array.shape()));
            }
            requireFinite(name, given.values());
        });
        table.forEach((name, array) -> {
            NamedArray given = Objects.requireNonNull(values.get(name));
            array.assign(Nd4j.create(given.values(), given.shape(), 'c').castTo(type));
        });
    }

    private static void requireFinite(String name, float[] values) {
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw new IllegalArgumentException(
                        "array " + name + " holds " + values[i] + " at place " + i + ", every value must be finite");
            }
        }
    }

    /** The optimizer's state, copied. */
    public OptimizerState optimizerState() {
        return new OptimizerState(
                optimizer.firstMoment().clone(), optimizer.secondMoment().clone(), optimizer.steps());
    }

    public void restore(OptimizerState state) {
        optimizer.restore(state.firstMoment(), state.secondMoment(), state.steps());
    }

    /** Optimizer steps taken. */
    public long steps() {
        return optimizer.steps();
    }

    ComputationGraph graph() {
        return graph;
    }

    @Override
    public void close() {
        graph.clear();
    }

    /**
     * A trainable array's copy.
     *
     * @param shape its shape
     * @param values row-major
     */
    public record NamedArray(long[] shape, float[] values) {}

    /**
     * AdamW's memory, in the flat order of the network's arrays.
     *
     * @param firstMoment exponential mean of gradients
     * @param secondMoment exponential mean of squared gradients
     * @param steps steps taken
     */
    public record OptimizerState(float[] firstMoment, float[] secondMoment, long steps) {}
}
