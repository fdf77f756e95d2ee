package dev.prpf.data.encode.store;

import dev.prpf.base.config.Rule;
import java.nio.file.Path;

/** Where an encoder's encodings are kept. */
public sealed interface StorePlace {
    /**
     * On disk, for good.
     *
     * @param path holds one file an encoder
     */
    record Folder(Path path) implements StorePlace {}

    /**
     * Keeps encodings in this process only, apart for each {@link Tenant}. Without room, the tenant that holds most loses its least recently used
     * encoding.
     *
     * @param bytes that the encodings of one encoder take, at least 1
     */
    record Memory(long bytes) implements StorePlace {
        public Memory {
            Rule.require(bytes >= 1, "bytes", bytes, "at least 1");
        }
    }
}
