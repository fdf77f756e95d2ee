package dev.prpf.par.sets;

import dev.prpf.base.config.Defaults;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.prompt.PromptSettings;

/**
 * The configuration files {@code configs/data-sft-set*.yaml}.
 *
 * @param prompt format of prompts and responses
 * @param set content of the set
 * @param encoder of the perceiver ({@code --gate}) and of screen texts; only used if needed
 */
@Defaults("/configs/data-sft-set.yaml")
public record DataSftConfig(PromptSettings prompt, SftSetSettings set, EncoderSettings encoder) {}
