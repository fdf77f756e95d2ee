package dev.prpf.par.serve.openai;

import dev.prpf.data.encode.text.TokenEncoder;

/**
 * A frozen text encoder as clients know it. It closes nothing.
 *
 * @param name that requests call it by
 * @param encoder for any number of threads
 */
public record EmbeddingModel(String name, TokenEncoder encoder) {}
