/** Reads, resizes and preprocesses images, and encodes them with vision encoders ({@link dev.prpf.data.encode.image.OnnxImageEncoder}). */
@NullMarked
package dev.prpf.data.encode.image;

import org.jspecify.annotations.NullMarked;
