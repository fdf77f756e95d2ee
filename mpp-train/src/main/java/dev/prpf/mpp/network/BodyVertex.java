package dev.prpf.mpp.network;

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
import org.nd4j.linalg.factory.Nd4j;

/**
 * The body as a vertex of a DL4J graph. It declares parameters as the library's own vertex does, but runs as {@link BodyRuntime}: the
 * library's runtime doubles every gradient and crashes with workspaces in this version.
 */
final class BodyVertex extends SameDiffVertex {
    private static final long serialVersionUID = 1L;

    private final transient NetworkShape shape;
    private final long seed;

    BodyVertex(NetworkShape shape, long seed) {
        this.shape = shape;
        this.seed = seed;
    }

    NetworkShape shape() {
        return shape;
    }

    long seed() {
        return seed;
    }

    @Override
    public org.deeplearning4j.nn.graph.vertex.GraphVertex instantiate(
            ComputationGraph graph, String name, int index, INDArray parameters, boolean initialize, DataType type) {
        setName(name);
        return new BodyRuntime(this, graph, name, index, parameters, initialize, type);
    }

    @Override
    public void defineParametersAndInputs(SDVertexParams parameters) {
        parameters.clear();
        parameters.defineInputs(MppBody.INPUTS.toArray(String[]::new));
        BodyParameters.shapes(shape).forEach((name, size) -> {
            if (BodyParameters.isWeight(name)) {
                parameters.addWeightParam(name, size);
            } else {
                parameters.addBiasParam(name, size);
            }
        });
    }

    @Override
    public void initializeParameters(Map<String, INDArray> parameters) {
        BodyParameters.shapes(shape).forEach((name, size) -> {
            INDArray target = Objects.requireNonNull(parameters.get(name), name);
            target.assign(Nd4j.create(BodyParameters.initial(name, size, seed), size, 'c')
                    .castTo(target.dataType()));
        });
    }

    @Override
    public SDVariable defineVertex(
            SameDiff graph,
            Map<String, SDVariable> inputs,
            Map<String, SDVariable> parameters,
            Map<String, SDVariable> masks) {
        throw new UnsupportedOperationException("BodyRuntime builds its own graph");
    }

    @Override
    public InputType getOutputType(int index, InputType... inputs) {
        return InputType.feedForward(shape.fusedWidth());
    }

    @Override
    public @Nullable Pair<INDArray, MaskState> feedForwardMaskArrays(INDArray[] masks, MaskState state, int batch) {
        return null;
    }

    @Override
    public GraphVertex clone() {
        BodyVertex copy = new BodyVertex(shape, seed);
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
        return other instanceof BodyVertex vertex && vertex.seed == seed && vertex.shape.equals(shape);
    }

    @Override
    public int hashCode() {
        return Objects.hash(seed, shape);
    }

    @Override
    protected boolean canEqual(Object other) {
        return other instanceof BodyVertex;
    }
}
