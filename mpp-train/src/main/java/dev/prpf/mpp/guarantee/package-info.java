/**
 * A threshold whose error rate is bounded with stated confidence: {@link dev.prpf.mpp.guarantee.LearnThenTest} bounds a {@link
 * dev.prpf.mpp.guarantee.Risk} at every τ of the grid at once, from samples that nothing else was fitted on, and the {@link
 * dev.prpf.mpp.guarantee.Guarantee} of the τ chosen goes into the run's threshold file.
 */
@NullMarked
package dev.prpf.mpp.guarantee;

import org.jspecify.annotations.NullMarked;
