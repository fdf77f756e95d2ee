/**
 * The reasoner: a language model that answers the samples which pass the gate.
 *
 * <p>Model: {@code engine} (decoder), {@code huggingface} (its files), {@code tokenizer}, {@code chat} (templates), {@code
 * vision} (images), {@code lora}, {@code device} and {@code libtorch}. Generation: {@code generate}, {@code constraint} and
 * {@code schema} (allowed tokens).
 *
 * <p>Prompt and answer: {@code prompt}, {@code response}, {@code reward}. Training: {@code sets}, {@code teacher}, {@code
 * rollout}, {@code grpo}, {@code training}; {@code export} writes sets for other trainers, {@code plan} estimates memory.
 *
 * <p>Use: {@code cascade} joins gate and reasoner, {@code openai} uses models on servers, {@code serve} is the server, {@code
 * command} has the commands, {@code bench} measures speed.
 */
@NullMarked
package dev.prpf.par;

import org.jspecify.annotations.NullMarked;
