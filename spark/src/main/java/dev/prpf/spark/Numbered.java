package dev.prpf.spark;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;

/**
 * One record of an input as JSON.
 *
 * @param index in the whole input, from 0: files sorted by path, lines or rows in file order
 * @param json in UTF-8
 */
record Numbered(long index, byte[] json) implements Serializable {
    String text() {
        return new String(json, StandardCharsets.UTF_8);
    }
}
