/**
 * Linear classifiers of texts and vectors, used as members of an ensemble and as baselines: TF-IDF with logistic regression, naive Bayes.
 *
 * <p>Flow: {@link dev.prpf.mpp.linear.TextAnalyzer} splits a text into terms and {@link dev.prpf.mpp.linear.TfIdfGate.Vectorizer} weights
 * them. {@link dev.prpf.mpp.linear.LogisticRegression} (for dense rows {@code DensePath}) or {@link dev.prpf.mpp.linear.NaiveBayes}
 * classifies. {@link dev.prpf.mpp.linear.TfIdfGate} combines the first three. Nothing here is random: equal rows in equal order give the same
 * model, bit for bit.
 */
@NullMarked
package dev.prpf.mpp.linear;

import org.jspecify.annotations.NullMarked;
