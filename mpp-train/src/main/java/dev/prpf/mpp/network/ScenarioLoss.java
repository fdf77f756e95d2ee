package dev.prpf.mpp.network;

import org.jspecify.annotations.Nullable;

/**
 * PRPF eq. 11, weighted by λ, as a DL4J loss; labels and logits (B, S), mask (B, 1) = y_trig. DL4J divides by the batch size B, the
 * mean runs over the n triggering rows only: each of them counts B / n.
 */
final class ScenarioLoss extends RowLoss {
    private static final long serialVersionUID = 1L;

    private final double weight;

    ScenarioLoss(JointLoss joint) {
        this.weight = joint.scenarioWeight();
    }

    @Override
    double loss(double[] labels, double[] logits) {
        double sum = 0;
        for (int i = 0; i < logits.length; i++) {
            sum += JointLoss.softplus(logits[i]) - logits[i] * labels[i];
        }
        return weight * sum / logits.length;
    }

    @Override
    double[] gradient(double[] labels, double[] logits) {
        double[] gradient = new double[logits.length];
        for (int i = 0; i < logits.length; i++) {
            gradient[i] = weight * (JointLoss.sigmoid(logits[i]) - labels[i]) / logits.length;
        }
        return gradient;
    }

    @Override
    double[] rowWeights(double @Nullable [] mask, int rows) {
        if (mask == null) {
            throw new IllegalStateException("the scenario loss needs y_trig as its label mask");
        }
        int triggering = 0;
        for (double y : mask) {
            triggering += y > 0.5 ? 1 : 0;
        }
        double[] weights = new double[rows];
        for (int row = 0; row < rows; row++) {
            weights[row] = mask[row] > 0.5 ? (double) rows / triggering : 0;
        }
        return weights;
    }
}
