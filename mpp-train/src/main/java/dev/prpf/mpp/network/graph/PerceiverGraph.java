package dev.prpf.mpp.network.graph;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.ModelZip;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.host.ParameterStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.regularization.WeightDecay;
import org.nd4j.linalg.lossfunctions.ILossFunction;

/**
 * The perceiver as DL4J's {@link ComputationGraph}. A {@link PerceiverVertex} computes the heads' hidden layers; the trigger and the
 * scenarios have an output layer each, with their losses. Outputs are probabilities before calibration (PRPF eq. 7 and 8).
 */
public final class PerceiverGraph {
    /** The vertex that computes the network up to the heads' hidden layers. */
    public static final String BODY = "body";

    /** 2000-01-01, midnight, in a zip's format: local time, without a zone. */
    private static final int ENTRY_TIME = (20 << 9 | 1 << 5 | 1) << 16;

    private static final int ZIP_END = 22; // bytes after the directory
    private static final int ZIP_END_SIGNATURE = 0x06054b50;
    private static final String TRIGGER = "trigger";
    private static final String SCENARIOS = "scenario";

    private PerceiverGraph() {}

    /**
     * The settings of a graph's training.
     *
     * @param updater of the gradients
     * @param weightDecay decoupled decay, on weights only
     */
    public record Objective(JointLoss loss, IUpdater updater, double weightDecay) {}

    /** Makes a graph in floats with initial parameters; its updater receives all parameters as one flat array. */
    public static ComputationGraph of(NetworkShape shape, Objective objective, long seed) {
        return of(shape, objective, seed, DataType.FLOAT);
    }

    static ComputationGraph of(NetworkShape shape, Objective objective, long seed, DataType type) {
        Device.current(); // starts ND4J
        ComputationGraph graph = new ComputationGraph(configuration(shape, objective, seed, type));
        float[] initial = ParameterStore.initial(shape, seed).values();
        graph.init(
                Nd4j.createFromArray(initial).castTo(type), false); // DL4J copies an array of another rank in each step
        return GraphAdamW.install(graph);
    }

    private static ComputationGraphConfiguration configuration(
            NetworkShape shape, Objective objective, long seed, DataType type) {
        String[] inputs = PerceiverInputs.read(shape).stream().map(Input::name).toArray(String[]::new);
        int d = shape.transformer().dimension();
        PerceiverVertex body = new PerceiverVertex(shape, seed);
        if (objective.weightDecay > 0) {
            body.setRegularization(List.of(new WeightDecay(objective.weightDecay, true)));
        }
        return new NeuralNetConfiguration.Builder()
                .seed(seed)
                .dataType(type)
                .updater(objective.updater)
                .miniBatch(false)
                .trainingWorkspaceMode(WorkspaceMode.NONE)
                .inferenceWorkspaceMode(WorkspaceMode.NONE)
                .graphBuilder()
                .addInputs(inputs)
                .addVertex(BODY, body, inputs)
                .addVertex(TRIGGER + "-hidden", new SubsetVertex(0, d - 1), BODY)
                .addVertex(SCENARIOS + "-hidden", new SubsetVertex(d, 2 * d - 1), BODY)
                .addLayer(TRIGGER, head(d, 1, focal(objective.loss), objective), TRIGGER + "-hidden")
                .addLayer(
                        SCENARIOS,
                        head(d, shape.scenarios(), new ScenarioLoss(objective.loss.scenarioWeight()), objective),
                        SCENARIOS + "-hidden")
                .setOutputs(TRIGGER, SCENARIOS)
                .build();
    }

    private static ILossFunction focal(JointLoss loss) {
        return new FocalLoss(loss.gamma(), loss.alpha());
    }

    /** Sets decay for each layer and for the body: DL4J applies decay of the whole graph twice to layers. */
    private static OutputLayer head(int inputs, int outputs, ILossFunction loss, Objective objective) {
        OutputLayer.Builder layer = new OutputLayer.Builder(loss);
        if (objective.weightDecay > 0) {
            layer.weightDecay(objective.weightDecay, true);
        }
        return layer.nIn(inputs).nOut(outputs).activation(Activation.SIGMOID).build();
    }

    /**
     * Writes a model file. Entries have a fixed time, so that equal graphs give equal bytes and checksums.
     *
     * @param updater whether the file holds the updater's state, to resume training
     */
    public static void write(ComputationGraph graph, Path file, boolean updater) throws IOException {
        ModelSerializer.writeModel(graph, file.toFile(), updater);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer zip = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size())
                    .order(ByteOrder.LITTLE_ENDIAN);
            int end = zip.capacity() - ZIP_END;
            if (zip.getInt(end) != ZIP_END_SIGNATURE) {
                throw new IOException(file + ": the zip that DL4J wrote ends with a comment of unknown length");
            }
            int at = zip.getInt(end + 16); // the directory
            for (int left = zip.getShort(end + 10); left > 0; left--) {
                zip.putInt(at + 12, ENTRY_TIME);
                zip.putInt(zip.getInt(at + 42) + 10, ENTRY_TIME); // in front of the entry
                at += 46 + zip.getShort(at + 28) + zip.getShort(at + 30) + zip.getShort(at + 32);
            }
        }
    }

    /**
     * Restores a graph and its updater's state, to resume training.
     *
     * @throws dev.prpf.base.error.PrpfException 65 under the conditions of {@link ModelZip#requireResumable}, before DL4J reads the file
     */
    public static ComputationGraph restore(ModelZip file, NetworkShape shape) {
        file.requireResumable(shape);
        Device.current();
        try {
            return GraphAdamW.install(
                    ModelSerializer.restoreComputationGraph(file.path().toFile()));
        } catch (IOException | RuntimeException e) {
            throw new InvalidDataException(file.path() + ": DL4J cannot restore it: " + e.getMessage()
                    + "; remove the checkpoint and train again");
        }
    }

    /** Returns the shape of a graph that was made or restored here. */
    public static NetworkShape shape(ComputationGraph graph) {
        GraphVertex body = graph.getConfiguration().getVertices().get(BODY);
        return ((PerceiverVertex) Objects.requireNonNull(body, BODY)).getShape();
    }

    /** Copies all parameters for inference, in the order of {@link NetworkSummary#parameters}. */
    public static ParameterStore parameters(ComputationGraph graph) {
        return new ParameterStore(shape(graph), HostMemory.read(graph.params()));
    }
}
