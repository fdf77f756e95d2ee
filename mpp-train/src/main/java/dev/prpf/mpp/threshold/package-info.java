/**
 * The gate's threshold: a {@link dev.prpf.mpp.threshold.ThresholdRule} chooses a {@link dev.prpf.mpp.threshold.TriggerThreshold} on dev, or
 * by {@link dev.prpf.mpp.threshold.LearnThenTest} one whose {@link dev.prpf.mpp.threshold.Risk} is bounded with stated confidence.
 */
@NullMarked
package dev.prpf.mpp.threshold;

import org.jspecify.annotations.NullMarked;
