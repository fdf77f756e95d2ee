package dev.prpf.par.command;

import dev.prpf.par.prompt.PromptSettings;

/**
 * {@code configs/par-adopt.yaml}.
 *
 * @param prompt how the prompts are written that the model reads
 */
public record RegistrationConfig(PromptSettings prompt) {}
