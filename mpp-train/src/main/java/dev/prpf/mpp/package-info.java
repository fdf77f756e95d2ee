/**
 * The perceiver (PRPF §3.3): says of a moment whether an intervention is due and which scenarios apply, before anything expensive runs.
 *
 * <p>{@link dev.prpf.mpp.FoldPerceiver} perceives training records with perceivers that did not see them.
 * {@link dev.prpf.mpp.MppPerceiver} is encoders plus {@link dev.prpf.mpp.MppModel}, which is a
 * {@link dev.prpf.mpp.MppDescription} plus a network; {@link dev.prpf.mpp.TriggerThreshold} turns p_trigger into a decision and
 * {@link dev.prpf.mpp.CandidatePool} p_scenario into functions. A {@link dev.prpf.mpp.ThresholdRule} chooses the threshold from the
 * {@link dev.prpf.mpp.LabelledPerceptions} that a trained run keeps of each {@link dev.prpf.mpp.Split}; the same files become the
 * paper's tables in {@code dev.prpf.mpp.tables}. ND4J arrays stay in {@code dev.prpf.mpp.network}.
 */
@NullMarked
package dev.prpf.mpp;

import org.jspecify.annotations.NullMarked;
