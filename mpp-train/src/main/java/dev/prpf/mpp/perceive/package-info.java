/**
 * The trained perceiver, as {@link dev.prpf.mpp.perceive.MppModel} on features, {@link dev.prpf.mpp.perceive.MppPerceiver} on samples, and
 * {@link dev.prpf.mpp.perceive.LabelledPerceptions}, its answers to labelled samples.
 *
 * <p>On a stream {@link dev.prpf.mpp.perceive.StreamingPerceiver} (texts and screenshots) feeds a {@link
 * dev.prpf.mpp.network.host.HostStream} (vectors) over shared parameters. Each new step gives one answer, equal to the batch path's to 1e-5,
 * at a cost independent of the history's length.
 */
@NullMarked
package dev.prpf.mpp.perceive;

import org.jspecify.annotations.NullMarked;
