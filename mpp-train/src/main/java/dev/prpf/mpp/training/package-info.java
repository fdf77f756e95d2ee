/**
 * The training of the perceiver. {@link dev.prpf.mpp.training.MppTraining} trains in memory (suites use it too), {@link
 * dev.prpf.mpp.training.TrainingJob.MppTrainingRun} in a run directory that survives a kill. {@link dev.prpf.mpp.training.TrainingJob} goes from encoded
 * samples to a finished run, {@link dev.prpf.mpp.training.TrainingSeries} does so for every seed or fold.
 *
 * <p>{@link dev.prpf.mpp.training.MppRun} and its cases own the files of a run directory: one perceiver, an ensemble, the runs of seeds or the
 * runs of folds. {@link dev.prpf.mpp.training.MppConfig} and {@link dev.prpf.mpp.training.EnsembleConfig} are the configurations.
 *
 * <p>Invariant: sample order, dropout masks and arithmetic depend only on seed and step. So a resumed run gives the numbers of an
 * uninterrupted one.
 */
@NullMarked
package dev.prpf.mpp.training;

import org.jspecify.annotations.NullMarked;
