package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.JointLoss;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/** Focal loss on the trigger's logit (PRPF eq. 9 and 10), the mean over the batch. */
public final class FocalLoss extends PerceiverLoss {
    private static final long serialVersionUID = 1L;

    private final double gamma;
    private final double alpha;

    /**
     * @param gamma focusing exponent γ
     * @param alpha α of the class "intervene"
     */
    public FocalLoss(@JsonProperty("gamma") double gamma, @JsonProperty("alpha") double alpha) {
        this.gamma = gamma;
        this.alpha = alpha;
    }

    public double getGamma() {
        return gamma;
    }

    public double getAlpha() {
        return alpha;
    }

    @Override
    double[] shares(double[] logits, double[] labels, double[] counts, double[] gradient) {
        JointLoss formula = new JointLoss(gamma, alpha, 0);
        double[] shares = new double[counts.length];
        for (int i = 0; i < shares.length; i++) {
            shares[i] = formula.focal(logits[i], labels[i]) / shares.length;
            gradient[i] = formula.focalGradient(logits[i], labels[i]) / shares.length;
        }
        return shares;
    }
}
