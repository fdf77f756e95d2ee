package dev.prpf.par.tokenizer;

/**
 * A token and what it writes.
 *
 * @param id in the vocabulary
 * @param bytes UTF-8, maybe pieces of characters; never empty
 */
public record WrittenToken(int id, byte[] bytes) {}
