/**
 * The OpenAI chat protocol from the client's side, as vLLM, SGLang and llama.cpp serve it: {@link dev.prpf.par.openai.ChatClient} sends
 * {@link dev.prpf.par.openai.ChatRequest}s, several at a time, and gives a {@link dev.prpf.par.openai.ChatOutcome} each;
 * an {@link dev.prpf.par.openai.AnswerJournal} keeps them and sends no request twice, whatever {@link
 * dev.prpf.par.openai.ChatModel} answers. {@link dev.prpf.par.openai.CompletionClient} continues prompts of tokens instead. Both send through
 * a {@code ServerPool}, whose {@code Replicas} give each request to the least loaded of a model's servers. It knows nothing of samples:
 * reasoners, teachers, judges and rollouts are built on it.
 *
 * <p>Invariants: an answer is the server's, whole; what stays unreachable is an exception, never an answer; which server answered changes
 * nothing that is kept. The API key is read from an environment variable and written nowhere.
 */
@NullMarked
package dev.prpf.par.openai;

import org.jspecify.annotations.NullMarked;
