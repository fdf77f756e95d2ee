/**
 * Pictures from files and bytes to pixels: {@link dev.prpf.base.image.EncodedImage} is the one place where they are opened, checked and decoded,
 * {@link dev.prpf.base.image.Pixels} what comes out.
 */
@NullMarked
package dev.prpf.base.image;

import org.jspecify.annotations.NullMarked;
