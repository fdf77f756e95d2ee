/**
 * Calibration of p_trigger, so that of the samples with probability p a share p acts: a {@link dev.prpf.mpp.calibration.ProbabilityCalibration} is fitted on the dev split by a
 * {@link dev.prpf.mpp.calibration.CalibrationMethod} and kept beside the network; a {@link
 * dev.prpf.mpp.calibration.ReliabilityDiagram} shows how well it holds on samples it did not see.
 *
 * <p>Every calibration is monotone: it never changes which of two samples is the more probable one.
 */
@NullMarked
package dev.prpf.mpp.calibration;

import org.jspecify.annotations.NullMarked;
