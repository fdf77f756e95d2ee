/**
 * Screenshots to pixels and image vectors: reading and resizing of images, and vision towers ({@link
 * dev.prpf.data.encode.image.OnnxImageEncoder}).
 */
@NullMarked
package dev.prpf.data.encode.image;

import org.jspecify.annotations.NullMarked;
