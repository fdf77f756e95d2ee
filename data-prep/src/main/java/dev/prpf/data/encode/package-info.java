/**
 * Frozen encoders: texts and images to vectors, each content encoded once and kept in a store.
 *
 * <p>{@link dev.prpf.data.encode.SampleEncoder} is the entry: samples to {@link dev.prpf.data.encode.SampleFeatures}, through a
 * {@link dev.prpf.data.encode.text.TextEncoder} (BGE) and the {@link dev.prpf.data.encode.ImageEncoder} that
 * {@link dev.prpf.data.encode.ImageEncoderChoice} names (the screen's text, CLIP, or both), each behind its store. An encoder's id names
 * its weights; vectors of one id never depend on threads, batches or neighbours beyond rounding.
 */
@NullMarked
package dev.prpf.data.encode;

import org.jspecify.annotations.NullMarked;
