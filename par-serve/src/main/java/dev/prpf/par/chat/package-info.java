/**
 * Chat templates of the Qwen2.5, Qwen3, Qwen3.5 and SmolLM2 families, written in Java and recognised by a model's Jinja text.
 *
 * <p>{@link dev.prpf.par.chat.ConversationReader} reads a {@link dev.prpf.par.chat.ChatTemplate.Conversation} from JSON. {@link dev.prpf.par.chat.ChatTemplates}
 * finds the {@link dev.prpf.par.chat.ChatTemplate}, which renders it to {@link dev.prpf.par.tokenizer.Piece}s. Invariants: the pieces' text is, byte
 * for byte, transformers' rendering. The template's own words are control text, everything from the conversation is plain. An unknown template is
 * refused, never approximated.
 */
@NullMarked
package dev.prpf.par.chat;

import org.jspecify.annotations.NullMarked;
