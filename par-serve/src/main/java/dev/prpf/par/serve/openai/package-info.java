/**
 * OpenAI's protocol on the reasoner and the frozen text encoders: {@link dev.prpf.par.serve.openai.OpenAiRoutes} adds models, chat and text
 * completions, embeddings, and vLLM's tokenize and detokenize. A body becomes a request record ({@code ChatRequest}, {@code
 * CompletionRequest}), that becomes jobs, and what these give is written whole or as events. {@link dev.prpf.par.serve.openai.answer.AnswerForms} is
 * where constraints and readers of answers (JSON, calls of functions) come in. Invariants: text of a request is plain text for the tokenizer;
 * a streamed answer, joined, is the whole one; whoever hangs up frees what was theirs.
 */
@NullMarked
package dev.prpf.par.serve.openai;

import org.jspecify.annotations.NullMarked;
