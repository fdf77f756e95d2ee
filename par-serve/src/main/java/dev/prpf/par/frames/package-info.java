/**
 * A reasoner's own vision tower as the perceiver's encoder of screenshots ({@code encoder.frame-encoder: vision:DIR}): what {@code data-prep}
 * looks for by {@link dev.prpf.data.encode.image.ImageEncoderProvider}.
 */
@NullMarked
package dev.prpf.par.frames;

import org.jspecify.annotations.NullMarked;
