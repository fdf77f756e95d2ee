package dev.prpf.spark;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;

/**
 * One record of an input as JSON.
 *
 * @param index its place in the whole input, from 0: files by path, lines or rows in a file's order
 * @param json in UTF-8
 */
record Numbered(long index, byte[] json) implements Serializable {
    String text() {
        return new String(json, StandardCharsets.UTF_8);
    }
}
