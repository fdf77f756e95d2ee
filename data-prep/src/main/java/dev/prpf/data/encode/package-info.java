/** Frozen encoders: texts and pictures to vectors, each content encoded once and kept in a store. */
@NullMarked
package dev.prpf.data.encode;

import org.jspecify.annotations.NullMarked;
