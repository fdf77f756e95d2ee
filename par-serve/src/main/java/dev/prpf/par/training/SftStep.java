package dev.prpf.par.training;

/**
 * One optimizer step.
 *
 * @param step counted from 1
 * @param loss nats a supervised token, over all its batches (PRPF eq. 13)
 * @param gradientNorm before clipping
 * @param learningRate used
 * @param tokens seen, prompts and responses
 * @param labels supervised tokens
 * @param hits those that were the likeliest
 */
public record SftStep(
        long step, double loss, double gradientNorm, double learningRate, long tokens, long labels, long hits) {}
