/**
 * Augmentation of training data, so that a small model cannot memorise it. Labelled samples are rewritten before every epoch, so that the model
 * learns to copy a call's words from its context.
 *
 * <p>Invariants: a rewritten sample is a function of the training samples, the settings and the epoch. Its target's calls stay valid, and its copied
 * values stay in its context. A silent sample is shown whole or emptied, never in parts. Samples of screens, and samples without copied values, are
 * unchanged.
 */
@NullMarked
package dev.prpf.par.augment;

import org.jspecify.annotations.NullMarked;
