/**
 * Chat templates of the Qwen2.5, Qwen3, Qwen3.5 and SmolLM2 families, written in Java and recognised by the Jinja text that a model carries.
 *
 * <p>{@link dev.prpf.par.chat.ConversationReader} makes a {@link dev.prpf.par.chat.Conversation} of JSON,
 * {@link dev.prpf.par.chat.ChatTemplates} finds the {@link dev.prpf.par.chat.ChatTemplate}, which renders it to
 * {@link dev.prpf.par.tokenizer.Piece}s. Invariants: the pieces' text is, byte for byte, what transformers renders; what the template itself
 * writes is control text and all that comes from the conversation is plain; a template that is not known is refused, never approximated.
 */
@NullMarked
package dev.prpf.par.chat;

import org.jspecify.annotations.NullMarked;
