/** Encodings on disk or in memory, found by the SHA-256 of what was encoded and the id of the encoder. */
@NullMarked
package dev.prpf.data.encode.store;

import org.jspecify.annotations.NullMarked;
