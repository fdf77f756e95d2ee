package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter;
import dev.prpf.mpp.network.definition.Operations.Input;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.samediff.SDVertexParams;
import org.deeplearning4j.nn.conf.layers.samediff.SameDiffVertex;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonIgnoreProperties;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * The perceiver's body as a vertex of a {@link ComputationGraph}: from the inputs of {@link PerceiverInputs} to the hidden layers of both
 * heads, (B, 2d). It has the configuration and parameters of a {@link SameDiffVertex}. Its passes are {@link PerceiverVertexPass}'s, since
 * the library's gradients are twice too large in this version.
 */
@JsonIgnoreProperties("vertexParams") // derived from the shape
public final class PerceiverVertex extends SameDiffVertex {
    private static final long serialVersionUID = 1L;

    private final transient NetworkShape shape;
    private final long seed;

    /** @param seed of initialization and dropout */
    public PerceiverVertex(@JsonProperty("shape") NetworkShape shape, @JsonProperty("seed") long seed) {
        this.shape = shape;
        this.seed = seed;
    }

    public NetworkShape getShape() {
        return shape;
    }

    public long getSeed() {
        return seed;
    }

    @Override
    public void defineParametersAndInputs(SDVertexParams params) {
        params.clear();
        params.defineInputs(
                PerceiverInputs.read(shape).stream().map(Input::name).toArray(String[]::new));
        for (Parameter parameter : NetworkSummary.of(shape, 1).body()) {
            if (parameter.kind() == Parameter.Kind.WEIGHT) {
                params.addWeightParam(parameter.name(), parameter.shape());
            } else {
                params.addBiasParam(parameter.name(), parameter.shape());
            }
        }
    }

    @Override
    public void initializeParameters(Map<String, INDArray> params) {
        NetworkSummary.of(shape, 1)
                .body()
                .forEach(parameter -> HostMemory.write(
                        Objects.requireNonNull(params.get(parameter.name())), parameter.initial(seed)));
    }

    /** @throws UnsupportedOperationException always: {@link PerceiverVertexPass} builds a graph for each number of steps */
    @Override
    public SDVariable defineVertex(
            SameDiff sameDiff,
            Map<String, SDVariable> layerInput,
            Map<String, SDVariable> paramTable,
            Map<String, SDVariable> maskVars) {
        throw new UnsupportedOperationException("the perceiver's vertex has a runtime of its own");
    }

    @Override
    public org.deeplearning4j.nn.graph.vertex.GraphVertex instantiate(
            ComputationGraph graph,
            String name,
            int idx,
            INDArray paramsView,
            boolean initializeParams,
            DataType networkDatatype) {
        setName(name);
        return new PerceiverVertexPass(this, graph, idx, paramsView, initializeParams, networkDatatype);
    }

    @Override
    public InputType getOutputType(int layerIndex, InputType... vertexInputs) {
        return InputType.feedForward(2L * shape.transformer().dimension());
    }

    @Override
    public @Nullable Pair<INDArray, MaskState> feedForwardMaskArrays(
            INDArray[] maskArrays, MaskState currentMaskState, int minibatchSize) {
        return null; // masks are inputs
    }

    @Override
    public GraphVertex clone() {
        PerceiverVertex copy = new PerceiverVertex(shape, seed);
        copy.setName(getName());
        copy.regularization = regularization;
        copy.regularizationBias = regularizationBias;
        copy.updater = updater;
        copy.biasUpdater = biasUpdater;
        copy.gradientNormalization = gradientNormalization;
        copy.gradientNormalizationThreshold = gradientNormalizationThreshold;
        copy.dataType = dataType;
        return copy;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PerceiverVertex vertex && shape.equals(vertex.shape) && seed == vertex.seed;
    }

    @Override
    public int hashCode() {
        return Objects.hash(shape, seed);
    }
}
