/**
 * The runs of {@code gate train}. {@link dev.prpf.mpp.run.MppRun} and its cases own the files of a run directory: one perceiver, an ensemble,
 * the runs of seeds or the runs of folds. {@link dev.prpf.mpp.run.MppConfig} and {@link dev.prpf.mpp.run.EnsembleConfig} are the
 * configurations. {@link dev.prpf.mpp.run.SeedPlan} lists the runs of a training over seeds.
 */
@NullMarked
package dev.prpf.mpp.run;

import org.jspecify.annotations.NullMarked;
