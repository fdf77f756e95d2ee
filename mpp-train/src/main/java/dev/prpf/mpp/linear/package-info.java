/**
 * Linear classifiers of texts and vectors, members of an ensemble and the rows a learned gate must be seen beside: TF-IDF with logistic
 * regression, naive Bayes.
 *
 * <p>Flow: {@link dev.prpf.mpp.linear.TextAnalyzer} cuts a text into terms, {@link dev.prpf.mpp.linear.TfIdfGate.Vectorizer} weighs
 * them, {@link dev.prpf.mpp.linear.LogisticRegression} (which takes dense rows as well, {@code DensePath}) or
 * {@link dev.prpf.mpp.linear.NaiveBayes} classifies; {@link dev.prpf.mpp.linear.TfIdfGate} is the three in one. Nothing here
 * draws a random number: the same rows in the same order give the same model, bit for bit.
 */
@NullMarked
package dev.prpf.mpp.linear;

import org.jspecify.annotations.NullMarked;
