/**
 * The split of each sample: {@link dev.prpf.mpp.split.SampleSplit} draws train, dev and calibration, {@link dev.prpf.mpp.split.SplitRecord}
 * records them. {@link dev.prpf.mpp.split.FoldPlan} draws folds, {@link dev.prpf.mpp.split.NearDuplicates} finds samples that must stay on
 * one side.
 */
@NullMarked
package dev.prpf.mpp.split;

import org.jspecify.annotations.NullMarked;
