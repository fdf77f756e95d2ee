/**
 * The runs of {@code mpp train}: {@link dev.prpf.mpp.run.MppRun} owns the files of a run directory, {@link dev.prpf.mpp.run.MppConfig} is
 * its configuration ({@link dev.prpf.mpp.run.EnsembleConfig} of an ensemble, whose further files {@link dev.prpf.mpp.run.EnsembleRun} owns), and {@link dev.prpf.mpp.run.SeedPlan} lists the runs of a training over seeds.
 */
@NullMarked
package dev.prpf.mpp.run;

import org.jspecify.annotations.NullMarked;
