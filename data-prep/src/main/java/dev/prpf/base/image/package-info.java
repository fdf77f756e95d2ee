/**
 * Decodes images from files and memory. {@link dev.prpf.base.image.EncodedImage} opens, checks and decodes files and bytes to
 * {@link dev.prpf.base.image.Pixels}.
 */
@NullMarked
package dev.prpf.base.image;

import org.jspecify.annotations.NullMarked;
