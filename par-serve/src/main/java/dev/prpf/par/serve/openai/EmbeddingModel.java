package dev.prpf.par.serve.openai;

import dev.prpf.data.encode.text.TextEncoder.TokenEncoder;

/**
 * A frozen text encoder of the API. Does not own the encoder.
 *
 * @param name in requests
 * @param encoder thread-safe; the caller closes it
 */
public record EmbeddingModel(String name, TokenEncoder encoder) {}
