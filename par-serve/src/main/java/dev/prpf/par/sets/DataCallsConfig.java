package dev.prpf.par.sets;

import dev.prpf.par.prompt.PromptSettings;
import java.io.Serializable;

/**
 * The configuration file {@code configs/data-calls.yaml}.
 *
 * @param prompt format of prompts and responses
 * @param set selection and split of the records
 */
public record DataCallsConfig(PromptSettings prompt, CallSetSettings set) implements Serializable {}
