/**
 * Encoding and decoding of text. {@link dev.prpf.par.tokenizer.Tokenizer} wraps the Hugging Face library, {@link
 * dev.prpf.par.tokenizer.BpeTraining} trains a byte-level BPE on the user's text. Text of users and records enters as plain {@link
 * dev.prpf.par.tokenizer.Piece}s, in which control tokens are never recognised.
 */
@NullMarked
package dev.prpf.par.tokenizer;

import org.jspecify.annotations.NullMarked;
