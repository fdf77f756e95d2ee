package dev.prpf.par.sets;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.prompt.PromptSettings;

/**
 * {@code configs/data-sft*.yaml}.
 *
 * @param prompt how prompts and responses are written
 * @param set what goes into the set
 * @param encoder of the perceiver ({@code --mpp}) and of what screens say; used by data that need it only
 */
public record DataSftConfig(PromptSettings prompt, SftSetSettings set, EncoderSettings encoder) {}
