/**
 * The trained perceiver on a stream: one new frame, one answer, at a cost that does not depend on the history's length.
 *
 * <p>{@link dev.prpf.mpp.streaming.StreamingPerceiver} (texts and pictures) feeds a
 * {@link dev.prpf.mpp.streaming.StreamingSession} (vectors), which keeps projections for a shared, immutable
 * {@link dev.prpf.mpp.streaming.StreamingNetwork} in plain Java.
 *
 * <p>Invariant: the answer equals the training graph's on the same sample to 1e-5.
 */
@NullMarked
package dev.prpf.mpp.streaming;

import org.jspecify.annotations.NullMarked;
