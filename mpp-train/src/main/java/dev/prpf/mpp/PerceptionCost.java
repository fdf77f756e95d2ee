package dev.prpf.mpp;

import dev.prpf.data.encode.EncodingCost;

/**
 * What one perception cost.
 *
 * @param encoding its share of what the frozen encoders did
 * @param fusionFlops floating-point operations of the network on its features, two a multiply-add
 * @param fusionSeconds its share of the network's wall clock
 */
public record PerceptionCost(EncodingCost encoding, double fusionFlops, double fusionSeconds) {}
