/**
 * Pictures on their way into the decoder (Qwen3.5's vision tower): {@link dev.prpf.par.vision.Picture} is one that was not decoded yet, {@link
 * dev.prpf.par.vision.PictureEncoder} makes of it what stands in the place of its placeholders' embeddings.
 */
@NullMarked
package dev.prpf.par.vision;

import org.jspecify.annotations.NullMarked;
