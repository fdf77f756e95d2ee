/**
 * The trained perceiver: {@link dev.prpf.mpp.perceive.MppModel} on features, {@link dev.prpf.mpp.perceive.MppPerceiver} on samples, and
 * {@link dev.prpf.mpp.perceive.LabelledPerceptions}, what it answers to samples whose right answers are known.
 *
 * <p>On a stream {@link dev.prpf.mpp.perceive.StreamingPerceiver} (texts and screenshots) feeds a
 * {@link dev.prpf.mpp.network.host.HostStream} (vectors) over parameters that streams share: one new frame, one
 * answer, equal to the batch path's on the same sample to 1e-5, at a cost that does not depend on the history's length.
 */
@NullMarked
package dev.prpf.mpp.perceive;

import org.jspecify.annotations.NullMarked;
