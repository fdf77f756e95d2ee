package dev.prpf.par.training;

import dev.prpf.par.engine.Precision;

/**
 * How losses and gradients are computed; none of it changes what they are, but for rounding.
 *
 * @param precision of the products
 * @param packing whether short sequences share a row
 * @param checkpointing whether layers are computed again on the way back instead of being remembered
 */
public record ComputeSettings(Precision precision, boolean packing, boolean checkpointing) {}
