package dev.prpf.mpp.network.graph;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations.Input;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Feature batches as a graph's arrays. Each {@link Input} that the network reads is one array of B rows, with a sample's rows concatenated:
 * (B, rows * columns). Arrays of a batch shape are reused, so that a training step allocates none.
 */
public final class PerceiverInputs {
    private final NetworkShape shape;
    private final DataType type;
    private final Map<List<Integer>, MultiDataSet> made = new HashMap<>(); // by B and T

    public PerceiverInputs(NetworkShape shape, DataType type) {
        this.shape = shape;
        this.type = type;
    }

    /** Lists the inputs of a network of this shape, in the graph's order. */
    static List<Input> read(NetworkShape shape) {
        return Stream.of(Input.values()).filter(input -> input.isRead(shape)).toList();
    }

    /** Returns T of a batch's arrays; 1 if the slow channel is off and nothing depends on T. */
    static int steps(NetworkShape shape, INDArray[] inputs) {
        int mask = read(shape).indexOf(Input.FRAME_MASK);
        return mask < 0 ? 1 : Math.toIntExact(inputs[mask].size(1));
    }

    /** Returns a batch's features for {@code ComputationGraph.output}. */
    public static INDArray[] features(FeatureBatch batch) {
        PerceiverInputs inputs = new PerceiverInputs(batch.shape(), DataType.FLOAT);
        MultiDataSet set = inputs.empty(batch);
        inputs.fill(set, batch);
        return set.getFeatures();
    }

    /** Returns features, labels and the scenarios' mask of a batch of labelled samples; valid until the next call. */
    public MultiDataSet labelled(FeatureBatch batch) {
        MultiDataSet set = made.computeIfAbsent(List.of(batch.rows(), batch.steps()), size -> empty(batch));
        fill(set, batch);
        int scenarios = shape.scenarios();
        float[] acts = new float[batch.rows()];
        float[] labels = new float[batch.rows() * scenarios];
        for (int row = 0; row < batch.samples().size(); row++) {
            SampleFeatures sample = batch.samples().get(row);
            if (Boolean.TRUE.equals(sample.intervention())) {
                acts[row] = 1;
                System.arraycopy(
                        Objects.requireNonNull(sample.scenarios(), sample.id()), 0, labels, row * scenarios, scenarios);
            }
        }
        HostMemory.write(set.getLabels(0), acts);
        HostMemory.write(set.getLabels(1), labels);
        HostMemory.write(set.getLabelsMaskArray(1), acts);
        return set;
    }

    private MultiDataSet empty(FeatureBatch batch) {
        INDArray[] features = read(shape).stream()
                .map(input -> Nd4j.create(
                        type, batch.rows(), input.size(shape, batch.steps()).length()))
                .toArray(INDArray[]::new);
        INDArray[] labels = {Nd4j.create(type, batch.rows(), 1), Nd4j.create(type, batch.rows(), shape.scenarios())};
        return new MultiDataSet(features, labels, null, new INDArray[] {null, Nd4j.create(type, batch.rows(), 1)});
    }

    private void fill(MultiDataSet set, FeatureBatch batch) {
        List<Input> inputs = read(shape);
        for (int i = 0; i < inputs.size(); i++) {
            HostMemory.write(set.getFeatures(i), batch.values(inputs.get(i)));
        }
    }
}
