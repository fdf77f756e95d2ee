/**
 * OpenAI's protocol on the reasoner and the frozen text encoders. {@link dev.prpf.par.serve.openai.OpenAiRoutes} adds models, chat and text
 * completions, embeddings, and vLLM's tokenize and detokenize. A body becomes a request record ({@code ChatCompletionRequest}, {@code TextCompletionRequest}),
 * which becomes generations; their updates are written whole or as events. {@code AnswerForms} gives constraints and
 * readers of answers (JSON, calls of functions). Invariants: text of a request is plain text for the tokenizer. A streamed answer, joined, equals the
 * whole one. A disconnected client frees its resources.
 */
@NullMarked
package dev.prpf.par.serve.openai;

import org.jspecify.annotations.NullMarked;
