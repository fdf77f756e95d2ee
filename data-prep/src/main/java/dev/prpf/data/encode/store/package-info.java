/**
 * Stores of encodings, so that nothing is encoded twice. An {@link EmbeddingStore} finds a vector or text by the SHA-256 of the
 * content and the encoder's id. Stores are on disk ({@code RecordFile}) or in memory ({@code RecentPayloads}, separate for each
 * {@link EmbeddingStore.Tenant}).
 */
@NullMarked
package dev.prpf.data.encode.store;

import org.jspecify.annotations.NullMarked;
