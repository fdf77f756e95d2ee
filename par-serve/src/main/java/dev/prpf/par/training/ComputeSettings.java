package dev.prpf.par.training;

import dev.prpf.par.engine.Precision;

/**
 * Settings that change losses and gradients only by rounding.
 *
 * @param precision of the products
 * @param packing whether short sequences share a row
 * @param checkpointing whether layers are computed again in the backward pass instead of being stored
 */
public record ComputeSettings(Precision precision, boolean packing, boolean checkpointing) {}
