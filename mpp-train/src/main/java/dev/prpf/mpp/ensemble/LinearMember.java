package dev.prpf.mpp.ensemble;

import dev.prpf.mpp.linear.LogisticRegression;

/** A trained logistic regression and what it makes of a sample. */
public record LinearMember(String name, Design design, LogisticRegression regression) {
    /** P(an intervention is due), classes weighing the same, of each sample; shape (n). */
    double[] probabilities(LinearInput input) {
        return design.rows(input).probabilities(regression);
    }
}
