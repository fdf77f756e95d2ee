/**
 * Ensembles of gates: linear classifiers over the vectors of several frozen encoders and over TF-IDF, and the perceiver, weighted by scores
 * of held-out folds.
 *
 * <p>Flow: encoders ({@link dev.prpf.mpp.ensemble.TextVectors}) turn a sample's {@link dev.prpf.mpp.ensemble.SampleTexts} into a {@link
 * dev.prpf.mpp.ensemble.LinearInput}. A {@link dev.prpf.mpp.ensemble.MemberPlan} scores each fold with a model of the others, or trains a
 * {@link dev.prpf.mpp.ensemble.EnsembleModel.LinearMember} on all. {@link dev.prpf.mpp.ensemble.OutOfFold} chooses strengths and weights ({@link
 * dev.prpf.mpp.ensemble.ScoreEnsemble}). The result is an {@link dev.prpf.mpp.ensemble.EnsembleModel}. {@link
 * dev.prpf.mpp.ensemble.EnsembleFiles} stores it, and {@link dev.prpf.mpp.ensemble.EnsemblePerceiver} runs it on samples.
 *
 * <p>The linear classifiers are also baselines: {@link dev.prpf.mpp.ensemble.TextAnalyzer} splits a text into terms, {@link
 * dev.prpf.mpp.ensemble.TfIdfGate.Vectorizer} weights them, and {@link dev.prpf.mpp.ensemble.LogisticRegression} or {@link
 * dev.prpf.mpp.ensemble.NaiveBayes} classifies. Equal rows in equal order give the same model, bit for bit.
 *
 * <p>{@link dev.prpf.mpp.ensemble.NestedFolds} plans nested cross-validation. Invariant: a label never influences a member's score of its own
 * fold.
 */
@NullMarked
package dev.prpf.mpp.ensemble;

import org.jspecify.annotations.NullMarked;
