package dev.prpf.mpp.network;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.ILossFunction;

/**
 * A DL4J loss that is a sum of independent rows, taken on logits (the activation is ignored) and computed in double precision on the
 * host: a batch is a few hundred numbers. DL4J divides the sum by the batch size.
 */
abstract class RowLoss implements ILossFunction {
    private static final long serialVersionUID = 1L;

    /** Loss of one row. */
    abstract double loss(double[] labels, double[] logits);

    /** d loss / d logits of one row. */
    abstract double[] gradient(double[] labels, double[] logits);

    /** What each row counts, shape (rows). */
    abstract double[] rowWeights(double @Nullable [] mask, int rows);

    private static double @Nullable [] column(@Nullable INDArray mask) {
        return mask == null ? null : mask.reshape(-1).toDoubleVector();
    }

    @Override
    public double computeScore(
            INDArray labels, INDArray logits, IActivation ignored, @Nullable INDArray mask, boolean average) {
        double sum =
                computeScoreArray(labels, logits, ignored, mask).sumNumber().doubleValue();
        return average ? sum / logits.size(0) : sum;
    }

    @Override
    public INDArray computeScoreArray(INDArray labels, INDArray logits, IActivation ignored, @Nullable INDArray mask) {
        double[][] y = rows(labels);
        double[][] x = rows(logits);
        double[] weights = rowWeights(column(mask), x.length);
        double[] scores = new double[x.length];
        for (int row = 0; row < x.length; row++) {
            scores[row] = weights[row] == 0 ? 0 : weights[row] * loss(y[row], x[row]);
        }
        return Nd4j.createFromArray(scores);
    }

    /** A matrix on the host, copied in one piece: the library's own way makes an array of every row. */
    private static double[][] rows(INDArray matrix) {
        double[] flat = matrix.dup('c').data().asDouble();
        double[][] rows = new double[Math.toIntExact(matrix.size(0))][];
        int columns = flat.length / rows.length;
        for (int row = 0; row < rows.length; row++) {
            rows[row] = Arrays.copyOfRange(flat, row * columns, (row + 1) * columns);
        }
        return rows;
    }

    @Override
    public INDArray computeGradient(INDArray labels, INDArray logits, IActivation ignored, @Nullable INDArray mask) {
        double[][] y = rows(labels);
        double[][] x = rows(logits);
        double[] weights = rowWeights(column(mask), x.length);
        double[] flat = new double[Math.toIntExact(logits.length())];
        int columns = flat.length / x.length;
        for (int row = 0; row < x.length; row++) {
            if (weights[row] != 0) {
                double[] gradient = gradient(y[row], x[row]);
                for (int column = 0; column < columns; column++) {
                    flat[row * columns + column] = weights[row] * gradient[column];
                }
            }
        }
        return Nd4j.create(flat, new long[] {x.length, columns}, 'c').castTo(logits.dataType());
    }

    @Override
    public Pair<Double, INDArray> computeGradientAndScore(
            INDArray labels, INDArray logits, IActivation ignored, @Nullable INDArray mask, boolean average) {
        return Pair.of(
                computeScore(labels, logits, ignored, mask, average), computeGradient(labels, logits, ignored, mask));
    }

    @Override
    public String name() {
        return getClass().getSimpleName();
    }
}
