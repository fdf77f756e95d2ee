package dev.prpf.mpp.ensemble;

import dev.prpf.mpp.linear.LogisticRegression;

/** A trained logistic regression with its feature extraction. */
record LinearMember(String name, FeatureExtractor design, LogisticRegression regression) {
    /** Returns P(an intervention is due) of each sample, with balanced classes; shape (n). */
    double[] probabilities(LinearInput input) {
        return design.rows(input).probabilities(regression);
    }
}
