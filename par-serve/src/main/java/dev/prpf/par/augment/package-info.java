/**
 * Training data that a small model cannot learn by heart: labelled samples are rewritten before every epoch, so that what it has to learn is
 * to find the words of a call in its context and to copy them.
 *
 * <p>Invariants: a rewritten sample is a function of the samples trained on, the settings and the epoch; its target's calls stay valid and its copied
 * values stand in its context; a silent sample is shown whole or emptied, never in parts; samples of screens and samples whose target copies nothing stay as they are.
 */
@NullMarked
package dev.prpf.par.augment;

import org.jspecify.annotations.NullMarked;
