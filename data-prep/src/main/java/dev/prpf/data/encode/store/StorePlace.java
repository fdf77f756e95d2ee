package dev.prpf.data.encode.store;

import dev.prpf.base.config.Rule;
import java.nio.file.Path;

/** The location of an encoder's store. */
public sealed interface StorePlace {
    /**
     * Keeps encodings on disk.
     *
     * @param path folder with one file per encoder
     */
    record Folder(Path path) implements StorePlace {}

    /**
     * Keeps encodings in this process only, separated by {@link Tenant}. A full store evicts the least recently used encoding of
     * the largest tenant.
     *
     * @param bytes maximum bytes of one encoder's encodings, at least 1
     */
    record Memory(long bytes) implements StorePlace {
        public Memory {
            Rule.require(bytes >= 1, "bytes", bytes, "at least 1");
        }
    }
}
