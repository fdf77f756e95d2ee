package dev.prpf.par.sets;

import dev.prpf.par.prompt.PromptSettings;
import java.io.Serializable;

/**
 * {@code configs/data-calls.yaml}.
 *
 * @param prompt how prompts and responses are written
 * @param set which records are taken, and how they are split
 */
public record DataCallsConfig(PromptSettings prompt, CallSetSettings set) implements Serializable {}
