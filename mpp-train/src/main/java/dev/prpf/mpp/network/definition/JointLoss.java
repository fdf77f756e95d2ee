package dev.prpf.mpp.network.definition;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.data.encode.SampleFeatures;
import java.util.List;
import java.util.Objects;

/**
 * The training objective on logits (PRPF eq. 9 to 12): focal loss on the trigger, binary cross entropy on the scenarios of triggering
 * samples, added with a weight. The paper leaves the reduction open. Here the cross entropy is the mean over the labels, then over the
 * batch's triggering samples, or 0 without any.
 *
 * @param gamma focusing exponent γ
 * @param alpha weight of the samples that want help; the silent ones have 1 - alpha
 */
public record JointLoss(double gamma, double alpha, double scenarioWeight) {
    public JointLoss {
        require(gamma >= 0, "gamma", gamma, "at least 0");
        require(alpha > 0 && alpha < 1, "alpha", alpha, "in (0, 1)");
        require(scenarioWeight >= 0, "scenario-weight", scenarioWeight, "at least 0");
    }

    /** Returns log(1 + eˣ) without overflow. */
    public static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    /** Returns the logistic function σ(x). */
    public static double sigmoid(double x) {
        return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
    }

    /** Returns the focal loss (PRPF eq. 10) of one sample, with y in {0, 1}. */
    public double focal(double logit, double y) {
        double signed = y > 0.5 ? logit : -logit;
        return classWeight(y) * Math.pow(sigmoid(-signed), gamma) * softplus(-signed);
    }

    /** d focal / d logit. */
    public double focalGradient(double logit, double y) {
        double sign = y > 0.5 ? 1 : -1;
        double wrong = sigmoid(-sign * logit);
        double crossEntropy = softplus(-sign * logit);
        return -sign * classWeight(y) * Math.pow(wrong, gamma) * (gamma * (1 - wrong) * crossEntropy + wrong);
    }

    private double classWeight(double y) {
        return y > 0.5 ? alpha : 1 - alpha;
    }

    /** Binary cross entropy of one label (eq. 11), on its logit. */
    public static double crossEntropy(double logit, double label) {
        return softplus(logit) - logit * label;
    }

    /**
     * Returns the joint loss (PRPF eq. 12) over n labelled samples.
     *
     * @param logits one row for each sample, the trigger's first, then the scenarios'; at least n rows of 1 + S
     */
    public double of(double[][] logits, List<SampleFeatures> samples) {
        int n = samples.size();
        long triggering = samples.stream().filter(JointLoss::acts).count();
        double loss = 0;
        for (int i = 0; i < n; i++) {
            SampleFeatures sample = samples.get(i);
            loss += focal(logits[i][0], acts(sample) ? 1 : 0) / n;
            if (acts(sample)) {
                float[] labels = Objects.requireNonNull(sample.scenarios(), sample.id());
                loss += scenarioWeight / triggering * meanCrossEntropy(logits[i], labels);
            }
        }
        return loss;
    }

    private static boolean acts(SampleFeatures sample) {
        return Boolean.TRUE.equals(sample.intervention());
    }

    private static double meanCrossEntropy(double[] logits, float[] labels) {
        double sum = 0;
        for (int s = 0; s < labels.length; s++) {
            sum += crossEntropy(logits[s + 1], labels[s]);
        }
        return sum / labels.length;
    }
}
