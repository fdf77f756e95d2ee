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
     * In this process only, for as long as there is room, of each {@link Tenant} apart: the tenant that holds most loses what was not asked for the
     * longest.
     *
     * @param bytes that the encodings of one encoder take, at least 1
     */
    record Memory(long bytes) implements StorePlace {
        public Memory {
            Rule.require(bytes >= 1, "bytes", bytes, "at least 1");
        }
    }
}
