package dev.prpf.par.engine;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Counts the weights in the matrices of a decoder's layer, to estimate its memory. */
record LayerMatrices(long normed, long others) {
    private static final List<String> AFTER_NO_NORM = List.of("o_proj.weight", "out_proj.weight", "down_proj.weight");

    static LayerMatrices of(DecoderConfig config) {
        return of(config.parameterShapes(), "model.layers.");
    }

    /** Returns the counts of each layer, from one reading of the shapes. */
    static List<LayerMatrices> byLayer(DecoderConfig config) {
        Map<String, long[]> shapes = config.parameterShapes();
        return IntStream.range(0, config.layers())
                .mapToObj(layer -> of(shapes, "model.layers." + layer + "."))
                .toList();
    }

    private static LayerMatrices of(Map<String, long[]> shapes, String prefix) {
        List<Map.Entry<String, long[]>> matrices = shapes.entrySet().stream()
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
