package dev.prpf.par.training;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SftExampleSettings;

/**
 * {@code configs/par-sft*.yaml}.
 *
 * @param prompt how prompts and responses are written
 * @param examples how examples are built
 * @param encoder of the perceiver ({@code --mpp}) and of what screens say; used by data that need it only
 * @param training the loop
 */
public record ParSftConfig(
        PromptSettings prompt, SftExampleSettings examples, EncoderSettings encoder, SftConfig training) {}
