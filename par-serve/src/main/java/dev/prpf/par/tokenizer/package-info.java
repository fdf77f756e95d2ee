/**
 * Text to ids and back: {@link dev.prpf.par.tokenizer.Tokenizer} around the Hugging Face library, {@link dev.prpf.par.tokenizer.BpeTraining}
 * which makes a byte-level BPE from the user's own text. What a user or a record says enters as plain {@link dev.prpf.par.tokenizer.Piece}s,
 * in which no control token is ever recognised.
 */
@NullMarked
package dev.prpf.par.tokenizer;

import org.jspecify.annotations.NullMarked;
