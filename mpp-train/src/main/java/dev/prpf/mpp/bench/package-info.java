/**
 * What the perceiver costs: training throughput, decision latency, operations and memory, each by part (text encoder, frame encoder,
 * fusion).
 *
 * <p>{@link dev.prpf.mpp.bench.PerceiverBench} runs it all on made vectors, made texts of exact length and given screenshots. Speed does not
 * depend on what a network has learnt, so none needs to be trained.
 */
@NullMarked
package dev.prpf.mpp.bench;

import org.jspecify.annotations.NullMarked;
