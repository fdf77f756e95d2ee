/**
 * Calibration of p_trigger, so that a share p of the samples with probability p acts. A {@link dev.prpf.mpp.calibration.CalibrationMethod}
 * fits a {@link dev.prpf.mpp.calibration.ProbabilityCalibration} on the dev split, stored next to the network. A {@link
 * dev.prpf.mpp.calibration.ReliabilityDiagram} shows its quality on unseen samples.
 *
 * <p>Every calibration is monotone: it never changes the order of two samples' probabilities.
 */
@NullMarked
package dev.prpf.mpp.calibration;

import org.jspecify.annotations.NullMarked;
