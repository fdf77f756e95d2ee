/**
 * Training the perceiver: split, epochs, early stopping, checkpoints, threshold.
 *
 * <p>{@link dev.prpf.mpp.training.MppTraining} trains in memory, one step a call, and is what suites use;
 * {@link dev.prpf.mpp.training.MppTrainingRun} wraps it in a run directory that survives a kill. The order of samples, the dropout masks
 * and the arithmetic follow from seed and step alone, so a resumed run gives the numbers of an undisturbed one.
 */
@NullMarked
package dev.prpf.mpp.training;

import org.jspecify.annotations.NullMarked;
