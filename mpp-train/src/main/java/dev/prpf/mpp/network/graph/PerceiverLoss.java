package dev.prpf.mpp.network.graph;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.ILossFunction;

/**
 * A part of the joint loss (PRPF eq. 12) on an output layer. The loss includes its own denominator: scores are equal with and without
 * averaging, and a graph must be built with {@code miniBatch(false)}. It reads logits, not activations.
 */
abstract class PerceiverLoss implements ILossFunction {
    private static final long serialVersionUID = 1L;

    /**
     * Returns each row's share of the loss, (B), and writes d loss / d logits to the gradient array.
     *
     * @param logits with labels and gradient (B, outputs)
     * @param counts the mask of the rows, (B)
     */
    abstract double[] shares(double[] logits, double[] labels, double[] counts, double[] gradient);

    private double[] shares(INDArray labels, INDArray logits, @Nullable INDArray mask, double[] gradient) {
        double[] counts = new double[Math.toIntExact(logits.size(0))];
        Arrays.fill(counts, 1);
        return shares(
                HostMemory.doubles(logits),
                HostMemory.doubles(labels),
                mask == null ? counts : HostMemory.doubles(mask),
                gradient);
    }

    private static double[] zeros(INDArray like) {
        return new double[Math.toIntExact(like.length())];
    }

    @Override
    public double computeScore(
            INDArray labels, INDArray preOutput, IActivation activation, @Nullable INDArray mask, boolean average) {
        return Arrays.stream(shares(labels, preOutput, mask, zeros(preOutput))).sum();
    }

    @Override
    public INDArray computeScoreArray(
            INDArray labels, INDArray preOutput, IActivation activation, @Nullable INDArray mask) {
        double[] shares = shares(labels, preOutput, mask, zeros(preOutput));
        return Nd4j.create(shares, new long[] {shares.length, 1}, preOutput.dataType());
    }

    @Override
    public INDArray computeGradient(
            INDArray labels, INDArray preOutput, IActivation activation, @Nullable INDArray mask) {
        double[] gradient = zeros(preOutput);
        shares(labels, preOutput, mask, gradient);
        return Nd4j.create(gradient, preOutput.shape(), preOutput.dataType());
    }

    @Override
    public Pair<Double, INDArray> computeGradientAndScore(
            INDArray labels, INDArray preOutput, IActivation activation, @Nullable INDArray mask, boolean average) {
        return Pair.of(
                computeScore(labels, preOutput, activation, mask, average),
                computeGradient(labels, preOutput, activation, mask));
    }

    @Override
    public String name() {
        return getClass().getSimpleName();
    }
}
