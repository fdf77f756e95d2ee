/**
 * Metrics of a gate: {@link dev.prpf.mpp.gate.ConfusionMatrix} of decisions, {@link dev.prpf.mpp.gate.RocCurve} of scores (PRPF eq. 23 to 26
 * and 30).
 */
@NullMarked
package dev.prpf.mpp.gate;

import org.jspecify.annotations.NullMarked;
