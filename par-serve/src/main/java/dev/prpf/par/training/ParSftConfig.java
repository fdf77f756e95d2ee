package dev.prpf.par.training;

import dev.prpf.base.config.Defaults;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;

/**
 * The configuration file {@code configs/reasoner-sft*.yaml}.
 *
 * @param prompt form of prompts and responses
 * @param encoder of the perceiver ({@code --gate}) and of texts on screens; only for data that need it
 * @param training settings of the loop
 */
@Defaults("/configs/reasoner-sft.yaml")
public record ParSftConfig(
        PromptSettings prompt, SftExampleSettings examples, EncoderSettings encoder, SftConfig training) {}
