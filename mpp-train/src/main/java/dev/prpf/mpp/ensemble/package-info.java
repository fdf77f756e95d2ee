/**
 * Several gates as one: folds in which each point is scored by a model that has not seen it, and the weights that follow from such scores.
 *
 * <p>{@link dev.prpf.mpp.ensemble.NestedFolds} says who is held out of what; {@link dev.prpf.mpp.ensemble.ScoreEnsemble} weighs gates by
 * their scores of held-out points.
 */
@NullMarked
package dev.prpf.mpp.ensemble;

import org.jspecify.annotations.NullMarked;
