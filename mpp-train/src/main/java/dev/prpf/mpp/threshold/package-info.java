/**
 * The gate's threshold: a {@link dev.prpf.mpp.threshold.ThresholdRule} chooses a {@link dev.prpf.mpp.threshold.TriggerThreshold} on dev.
 * {@link dev.prpf.mpp.threshold.LearnThenTest} chooses one that bounds a {@link dev.prpf.mpp.threshold.TriggerThreshold.Risk} with stated confidence.
 */
@NullMarked
package dev.prpf.mpp.threshold;

import org.jspecify.annotations.NullMarked;
