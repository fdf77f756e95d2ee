/**
 * The OpenAI chat protocol from the client's side, as vLLM, SGLang and llama.cpp serve it: {@link dev.prpf.par.openai.ChatClient} sends
 * {@link dev.prpf.par.openai.ChatRequest}s, several at a time, and gives a {@link dev.prpf.par.openai.ChatOutcome} each;
 * an {@link dev.prpf.par.openai.AnswerJournal} keeps them and sends no request twice, whatever {@link
 * dev.prpf.par.openai.ChatModel} answers. It knows nothing of samples: reasoners, teachers and judges are built on it.
 *
 * <p>Invariants: an answer is the server's, whole; what stays unreachable is an exception, never an answer. The API key is read from an
 * environment variable and written nowhere.
 */
@NullMarked
package dev.prpf.par.openai;

import org.jspecify.annotations.NullMarked;
