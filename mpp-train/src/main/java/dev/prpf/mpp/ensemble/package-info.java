/**
 * Several gates as one: linear classifiers over the vectors of several frozen encoders and over TF-IDF, and the perceiver, mixed by weights
 * that follow from scores of held-out folds.
 *
 * <p>Flow: {@link dev.prpf.mpp.ensemble.SampleTexts} of a sample become a {@link dev.prpf.mpp.ensemble.LinearInput}, by way of the encoders
 * ({@link dev.prpf.mpp.ensemble.TextVectors}). A {@link dev.prpf.mpp.ensemble.MemberPlan} scores each fold with a model of the others, or
 * trains a {@link dev.prpf.mpp.ensemble.LinearMember} on all. {@link dev.prpf.mpp.ensemble.OutOfFold} chooses strengths and weights ({@link
 * dev.prpf.mpp.ensemble.ScoreEnsemble}). {@link dev.prpf.mpp.ensemble.EnsembleModel} is what comes of it, {@link
 * dev.prpf.mpp.ensemble.EnsembleFiles} keeps it, and {@link dev.prpf.mpp.ensemble.EnsemblePerceiver} perceives samples with it.
 *
 * <p>{@link dev.prpf.mpp.ensemble.NestedFolds} says who is held out of what where choices are made inside of an outer split. Invariant: a
 * label never changes the score that a member gives its own fold.
 */
@NullMarked
package dev.prpf.mpp.ensemble;

import org.jspecify.annotations.NullMarked;
