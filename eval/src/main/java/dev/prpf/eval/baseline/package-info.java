/**
 * Text classifiers of the simple kind, the rows a learned gate must be seen beside: TF-IDF with logistic regression, naive Bayes.
 *
 * <p>Flow: {@link dev.prpf.eval.baseline.TextAnalyzer} cuts a text into terms, {@link dev.prpf.eval.baseline.TfIdfGate.Vectorizer} weighs
 * them, {@link dev.prpf.eval.baseline.LogisticRegression} (which takes dense vectors as well) or
 * {@link dev.prpf.eval.baseline.NaiveBayes} classifies; {@link dev.prpf.eval.baseline.TfIdfGate} is the three in one. Nothing here
 * draws a random number: the same rows in the same order give the same model, bit for bit.
 */
@NullMarked
package dev.prpf.eval.baseline;

import org.jspecify.annotations.NullMarked;
