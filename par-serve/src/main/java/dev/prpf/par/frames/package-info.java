/**
 * A reasoner's own vision encoder as the perceiver's encoder of screenshots ({@code encoder.frame-encoder: vision:DIR}). {@code data-prep} finds it
 * by {@link dev.prpf.data.encode.image.ImageEncoderProvider}.
 */
@NullMarked
package dev.prpf.par.frames;

import org.jspecify.annotations.NullMarked;
