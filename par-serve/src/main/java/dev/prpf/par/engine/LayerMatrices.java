package dev.prpf.par.engine;

import java.util.List;
import java.util.Map;

/**
 * How many weights the matrices of a decoder's layers have.
 *
 * @param normed of those that a norm comes before
 * @param others of the rest
 */
record LayerMatrices(long normed, long others) {
    private static final List<String> AFTER_NO_NORM = List.of("o_proj.weight", "out_proj.weight", "down_proj.weight");

    static LayerMatrices of(DecoderConfig config) {
        return of(config, "model.layers.");
    }

    static LayerMatrices of(DecoderConfig config, int layer) {
        return of(config, "model.layers." + layer + ".");
    }

    private static LayerMatrices of(DecoderConfig config, String prefix) {
        List<Map.Entry<String, long[]>> matrices = config.parameterShapes().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix) && entry.getValue().length == 2)
                .toList();
        return new LayerMatrices(sum(matrices, false), sum(matrices, true));
    }

    private static long sum(List<Map.Entry<String, long[]>> matrices, boolean afterNoNorm) {
        return matrices.stream()
                .filter(entry -> AFTER_NO_NORM.stream().anyMatch(entry.getKey()::endsWith) == afterNoNorm)
                .mapToLong(entry -> entry.getValue()[0] * entry.getValue()[1])
                .sum();
    }

    long all() {
        return normed + others;
    }
}
