/**
 * Draws the screenshots of made samples with Java2D: 270 x 600 pixels, the size of AITZ's images, those of visual cues in the size that the settings name.
 *
 * <p>Entry: {@link dev.prpf.data.synth.screen.ScreenPainter}. Text is drawn with one font file, never one of the system's, and every
 * rendering hint is set, so the same screen has the same bytes.
 */
@NullMarked
package dev.prpf.data.synth.screen;

import org.jspecify.annotations.NullMarked;
