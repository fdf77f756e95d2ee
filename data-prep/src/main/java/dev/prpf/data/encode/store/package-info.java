/** Stores of encodings on disk or in memory, by the SHA-256 of the content and the encoder's id. */
@NullMarked
package dev.prpf.data.encode.store;

import org.jspecify.annotations.NullMarked;
