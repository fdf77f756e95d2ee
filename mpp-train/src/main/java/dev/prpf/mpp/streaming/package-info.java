/**
 * The trained perceiver on a stream: one new frame, one answer, at a cost that does not depend on the history's length.
 *
 * <p>{@link dev.prpf.mpp.streaming.StreamingPerceiver} (texts and screenshots) feeds a
 * {@link dev.prpf.mpp.network.host.HostStream} (vectors) over the shared parameters of a
 * {@link dev.prpf.mpp.streaming.StreamingNetwork}, by the same steps as training's forward pass.
 *
 * <p>Invariant: the answer equals the batch path's on the same sample to 1e-5.
 */
@NullMarked
package dev.prpf.mpp.streaming;

import org.jspecify.annotations.NullMarked;
