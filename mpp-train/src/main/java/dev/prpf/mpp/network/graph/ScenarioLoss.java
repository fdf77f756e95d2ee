package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.JointLoss;
import java.util.Arrays;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Binary cross entropy on the scenarios' logits (PRPF eq. 11), the mean over the labels, then over the rows whose mask is 1 (the
 * triggering samples), times a weight; 0 if there are none.
 */
public final class ScenarioLoss extends PerceiverLoss {
    private static final long serialVersionUID = 1L;

    private final double weight;

    /** @param weight λ of PRPF eq. 12 */
    public ScenarioLoss(@JsonProperty("weight") double weight) {
        this.weight = weight;
    }

    public double getWeight() {
        return weight;
    }

    @Override
    double[] shares(Rows rows, double[] gradient) {
        double[] shares = new double[rows.counts().length];
        double each = weight / Arrays.stream(rows.counts()).sum() / rows.outputs();
        for (int i = 0; i < shares.length; i++) {
            for (int at = i * rows.outputs(); at < (i + 1) * rows.outputs() && rows.counts()[i] > 0; at++) {
                double logit = rows.logits()[at];
                shares[i] += each * JointLoss.crossEntropy(logit, rows.labels()[at]);
                gradient[at] = each * (JointLoss.sigmoid(logit) - rows.labels()[at]);
            }
        }
        return shares;
    }
}
