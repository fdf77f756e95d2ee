/**
 * Clients of the OpenAI protocol, for servers such as vLLM, SGLang and llama.cpp. {@link dev.prpf.par.openai.ChatClient} sends {@link
 * dev.prpf.par.openai.ChatRequest}s in parallel and returns a {@link dev.prpf.par.openai.ChatModel.ChatOutcome} for each. An {@link
 * dev.prpf.par.openai.AnswerJournal} stores the answers of any {@link dev.prpf.par.openai.ChatModel} and sends no request twice. It also
 * continues token prompts. Its {@code Replicas} choose the least loaded
 * server. Reasoners, teachers, judges and rollouts build on this package.
 *
 * <p>Invariants: answers are complete and unchanged. An unreachable server is an exception, never an answer. The choice of the server changes
 * nothing in stored data. The API key is read from an environment variable and never written.
 */
@NullMarked
package dev.prpf.par.openai;

import org.jspecify.annotations.NullMarked;
