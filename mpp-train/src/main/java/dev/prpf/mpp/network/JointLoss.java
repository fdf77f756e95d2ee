package dev.prpf.mpp.network;

/**
 * The training objective on logits, in plain numbers (PRPF eq. 9 to 12): focal loss on the trigger, binary cross entropy on the
 * scenarios of triggering samples, added with a weight. The paper leaves the reduction open: the cross entropy is the mean over the
 * labels, then the mean over the batch's triggering samples, 0 if there are none.
 *
 * @param gamma focusing exponent γ
 * @param alpha α of the class "intervene"; 1 - α of the other
 * @param scenarioWeight λ
 */
public record JointLoss(double gamma, double alpha, double scenarioWeight) {
    public JointLoss {
        if (!(gamma >= 0)) {
            throw new IllegalArgumentException("gamma = " + gamma + ", must be at least 0");
        }
        if (!(alpha > 0 && alpha < 1)) {
            throw new IllegalArgumentException("alpha = " + alpha + ", must lie in (0, 1)");
        }
        if (!(scenarioWeight >= 0)) {
            throw new IllegalArgumentException("scenario-weight = " + scenarioWeight + ", must be at least 0");
        }
    }

    /** log(1 + eˣ) without overflow. */
    static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    /** σ(x). */
    public static double sigmoid(double x) {
        return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
    }

    /** Eq. 10 for one sample, with y in {0, 1}. */
    public double focal(double logit, double y) {
        double signed = y > 0.5 ? logit : -logit;
        return classWeight(y) * Math.pow(sigmoid(-signed), gamma) * softplus(-signed);
    }

    /** d focal / d logit. */
    double focalGradient(double logit, double y) {
        double sign = y > 0.5 ? 1 : -1;
        double wrong = sigmoid(-sign * logit);
        double crossEntropy = softplus(-sign * logit);
        return -sign * classWeight(y) * Math.pow(wrong, gamma) * (gamma * (1 - wrong) * crossEntropy + wrong);
    }

    private double classWeight(double y) {
        return y > 0.5 ? alpha : 1 - alpha;
    }

    /** Eq. 11 for one sample: the mean over its labels. */
    public static double scenario(float[] logits, float[] labels) {
        double sum = 0;
        for (int i = 0; i < logits.length; i++) {
            sum += softplus(logits[i]) - logits[i] * labels[i];
        }
        return sum / logits.length;
    }

    /**
     * Eq. 12 over a whole set.
     *
     * @param outputs the network's logits, one a sample
     * @param trigger y_trig, shape (n)
     * @param scenarios y_scenario, shape (n, S)
     */
    public double of(Logits outputs, float[] trigger, float[][] scenarios) {
        double focal = 0;
        double crossEntropy = 0;
        int triggering = 0;
        for (int i = 0; i < trigger.length; i++) {
            focal += focal(outputs.trigger()[i], trigger[i]);
            if (trigger[i] > 0.5) {
                crossEntropy += scenario(outputs.scenarios()[i], scenarios[i]);
                triggering++;
            }
        }
        return focal / trigger.length + (triggering == 0 ? 0 : scenarioWeight * crossEntropy / triggering);
    }
}
