/**
 * What a chat asks of its answers, {@link dev.prpf.par.serve.openai.answer.ToolUse} and {@link dev.prpf.par.serve.openai.answer.ResponseFormat},
 * and what comes of that: {@link dev.prpf.par.serve.openai.answer.AnswerForms} gives the constraint that an answer keeps to and the {@link
 * dev.prpf.par.serve.openai.answer.AnswerReader} that tells words, thoughts and calls apart. Invariant: the pieces that a reader gives do not
 * depend on how its text was cut.
 */
@NullMarked
package dev.prpf.par.serve.openai.answer;

import org.jspecify.annotations.NullMarked;
