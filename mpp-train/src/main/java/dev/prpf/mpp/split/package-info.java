/**
 * What each sample is used for: {@link dev.prpf.mpp.split.SampleSplit} draws train, dev and calibration, {@link
 * dev.prpf.mpp.split.SplitRecord} remembers them, {@link dev.prpf.mpp.split.FoldPlan} draws folds,
 * {@link dev.prpf.mpp.split.NearDuplicates} says which samples must not be on two sides.
 */
@NullMarked
package dev.prpf.mpp.split;

import org.jspecify.annotations.NullMarked;
