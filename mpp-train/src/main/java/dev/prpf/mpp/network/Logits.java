package dev.prpf.mpp.network;

/**
 * What the network said of n samples, before the sigmoids of PRPF eq. 7 and 8.
 *
 * @param trigger shape (n)
 * @param scenarios shape (n, S)
 */
public record Logits(float[] trigger, float[][] scenarios) {}
