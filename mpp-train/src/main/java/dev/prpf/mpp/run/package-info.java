/**
 * The runs of {@code mpp train}: {@link dev.prpf.mpp.run.MppRun} owns the files of a run directory, {@link dev.prpf.mpp.run.MppConfig} is its
 * configuration. {@link dev.prpf.mpp.run.EnsembleConfig} and {@link dev.prpf.mpp.run.EnsembleRun} are the configuration and additional files
 * of an ensemble. {@link dev.prpf.mpp.run.SeedPlan} lists the runs of a training over seeds.
 */
@NullMarked
package dev.prpf.mpp.run;

import org.jspecify.annotations.NullMarked;
