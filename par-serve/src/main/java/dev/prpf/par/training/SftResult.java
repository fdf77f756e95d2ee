package dev.prpf.par.training;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a fine-tuning came to.
 *
 * @param model the Hugging Face directory written
 * @param steps optimizer steps in all
 * @param examples trained on
 * @param tokens seen, prompts and responses, over all epochs
 * @param loss mean of the last logged steps, nats a supervised token
 * @param bestStep after which the model was taken, or null without held-out examples
 * @param devLoss of the model on the held-out share, or null without one
 * @param devAccuracy share of the held-out response tokens that were the likeliest, or null without one
 * @param dev greedy answers of the model to the held-out prompts, or null where nobody asked
 * @param seconds of this process's part
 */
public record SftResult(
        Path model,
        long steps,
        int examples,
        long tokens,
        double loss,
        @Nullable Long bestStep,
        @Nullable Double devLoss,
        @Nullable Double devAccuracy,
        @Nullable PolicyEvaluation dev,
        double seconds) {}
