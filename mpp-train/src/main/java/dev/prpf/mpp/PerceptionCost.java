package dev.prpf.mpp;

import dev.prpf.data.encode.EncodingCost;

/**
 * The cost of one perception.
 *
 * @param encoding its share of the frozen encoders' cost
 * @param fusionFlops floating-point operations of the network on its features, two a multiply-add
 * @param fusionSeconds its share of the network's wall clock
 */
public record PerceptionCost(EncodingCost encoding, double fusionFlops, double fusionSeconds) {}
