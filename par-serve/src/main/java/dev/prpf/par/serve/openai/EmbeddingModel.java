package dev.prpf.par.serve.openai;

import dev.prpf.data.encode.text.TextEncoder;
import java.util.function.ToIntFunction;

/**
 * A frozen text encoder as clients know it. It closes nothing.
 *
 * @param name that requests call it by
 * @param encoder for any number of threads
 * @param tokens of a text, special ones included
 */
public record EmbeddingModel(String name, TextEncoder encoder, ToIntFunction<String> tokens) {}
