/**
 * Screenshots to pixels and image vectors: reading and resizing of images, and CLIP vision towers behind {@link
 * dev.prpf.data.encode.image.ImageEncoder}.
 */
@NullMarked
package dev.prpf.data.encode.image;

import org.jspecify.annotations.NullMarked;
