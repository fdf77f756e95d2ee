/**
 * Training the perceiver: {@link dev.prpf.mpp.training.MppTraining} takes one optimizer step a call in memory (suites use it too), {@link
 * dev.prpf.mpp.training.MppTrainingRun} keeps it in a run directory that survives a kill, {@link dev.prpf.mpp.training.TrainingJob} goes
 * from encoded samples to a finished run, and {@link dev.prpf.mpp.training.TrainingSeries} does so for every seed or fold.
 *
 * <p>Invariant: the order of samples, the dropout masks and the arithmetic follow from seed and step alone, so that a resumed run gives the
 * numbers of an undisturbed one.
 */
@NullMarked
package dev.prpf.mpp.training;

import org.jspecify.annotations.NullMarked;
