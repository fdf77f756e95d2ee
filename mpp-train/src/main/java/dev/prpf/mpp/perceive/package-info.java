/**
 * The trained perceiver: {@link dev.prpf.mpp.perceive.MppModel} on features, {@link dev.prpf.mpp.perceive.MppPerceiver} on samples, and
 * {@link dev.prpf.mpp.perceive.LabelledPerceptions}, what it answers to samples whose right answers are known.
 */
@NullMarked
package dev.prpf.mpp.perceive;

import org.jspecify.annotations.NullMarked;
