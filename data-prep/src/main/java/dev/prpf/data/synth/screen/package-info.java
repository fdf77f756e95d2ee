/**
 * Draws the screenshots of generated samples with Java2D: 270 x 600 pixels as in AITZ, visual cues in the configured size.
 *
 * <p>Entry point: {@link dev.prpf.data.synth.screen.ScreenPainter}. Text uses one font file, never a system font, and all
 * rendering hints are set, so that equal screens have equal bytes.
 */
@NullMarked
package dev.prpf.data.synth.screen;

import org.jspecify.annotations.NullMarked;
