package dev.prpf.par.sets;

import dev.prpf.base.config.Defaults;
import dev.prpf.par.prompt.PromptSettings;
import java.io.Serializable;

/**
 * The configuration file {@code configs/data-calls.yaml}.
 *
 * @param prompt format of prompts and responses
 * @param set selection and split of the records
 */
@Defaults("/configs/data-calls.yaml")
public record DataCallsConfig(PromptSettings prompt, CallSetSettings set) implements Serializable {}
