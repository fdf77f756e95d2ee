/**
 * The forms of a chat's answers: {@link dev.prpf.par.serve.openai.answer.ToolUse} and {@link dev.prpf.par.serve.openai.answer.ResponseFormat} are the
 * request. {@link dev.prpf.par.serve.openai.answer.AnswerForms} gives the constraint of an answer and the {@link
 * dev.prpf.par.serve.openai.answer.AnswerForms.AnswerReader} that separates content, reasoning and calls. Invariant: the joined pieces of a reader do not depend
 * on how its text was split.
 */
@NullMarked
package dev.prpf.par.serve.openai.answer;

import org.jspecify.annotations.NullMarked;
