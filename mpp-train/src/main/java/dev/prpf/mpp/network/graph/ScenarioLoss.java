package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.JointLoss;
import java.util.Arrays;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Binary cross entropy on the scenarios' logits (PRPF eq. 11), the mean over the labels, then over the rows with mask 1 (the triggering
 * samples), times a weight; 0 without such rows.
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
    double[] shares(double[] logits, double[] labels, double[] counts, double[] gradient) {
        double[] shares = new double[counts.length];
        int outputs = logits.length / counts.length;
        double each = weight / Arrays.stream(counts).sum() / outputs;
        for (int i = 0; i < shares.length; i++) {
            for (int at = i * outputs; at < (i + 1) * outputs && counts[i] > 0; at++) {
                shares[i] += each * JointLoss.crossEntropy(logits[at], labels[at]);
                gradient[at] = each * (JointLoss.sigmoid(logits[at]) - labels[at]);
            }
        }
        return shares;
    }
}
