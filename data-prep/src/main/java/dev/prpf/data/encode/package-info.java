/**
 * Frozen encoders of texts and images, with stores, so that each content is encoded once.
 *
 * <p>{@link dev.prpf.data.encode.SampleEncoder} encodes samples to {@link dev.prpf.data.encode.SampleFeatures}. It uses a
 * {@link dev.prpf.data.encode.text.TextEncoder} (BGE) and the {@link dev.prpf.data.encode.ImageEncoder} that
 * {@link dev.prpf.data.encode.ImageEncoderChoice} names (the screen's text, CLIP, or both), each with a store. An encoder's id
 * names its weights; vectors depend on threads, batches and neighbours only by rounding.
 */
@NullMarked
package dev.prpf.data.encode;

import org.jspecify.annotations.NullMarked;
