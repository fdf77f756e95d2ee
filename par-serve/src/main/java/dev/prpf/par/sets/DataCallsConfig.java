package dev.prpf.par.sets;

import dev.prpf.par.prompt.PromptSettings;

/**
 * {@code configs/data-calls.yaml}.
 *
 * @param prompt how prompts and responses are written
 * @param set which records are taken, and how they are split
 */
public record DataCallsConfig(PromptSettings prompt, CallSetSettings set) {}
