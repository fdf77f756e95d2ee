package dev.prpf.mpp.network;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** PRPF eq. 9 and 10 as a DL4J loss; labels and logits (B, 1). */
final class FocalLoss extends RowLoss {
    private static final long serialVersionUID = 1L;

    private final double gamma;
    private final double alpha;

    FocalLoss(JointLoss joint) {
        this.gamma = joint.gamma();
        this.alpha = joint.alpha();
    }

    private JointLoss joint() {
        return new JointLoss(gamma, alpha, 0);
    }

    @Override
    double loss(double[] labels, double[] logits) {
        return joint().focal(logits[0], labels[0]);
    }

    @Override
    double[] gradient(double[] labels, double[] logits) {
        return new double[] {joint().focalGradient(logits[0], labels[0])};
    }

    @Override
    double[] rowWeights(double @Nullable [] mask, int rows) {
        double[] weights = new double[rows];
        Arrays.fill(weights, 1);
        return weights;
    }
}
