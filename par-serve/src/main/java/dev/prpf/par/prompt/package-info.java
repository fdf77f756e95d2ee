/**
 * The reasoner's prompt (PRPF §3.4 and Appendix D): a sample, the perceiver's predictions and the candidate pool, as one user turn. {@link
 * dev.prpf.par.prompt.PromptRenderer} renders, {@link dev.prpf.par.chat.ChatTemplate#prompt} wraps turns, {@link
 * dev.prpf.par.prompt.PromptProvenance} keeps sets and models with different prompts separate.
 */
@NullMarked
package dev.prpf.par.prompt;

import org.jspecify.annotations.NullMarked;
