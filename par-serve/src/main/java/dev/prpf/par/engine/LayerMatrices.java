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

    /** Of all layers. */
    static LayerMatrices of(DecoderConfig config) {
        return of(config, "model.layers.");
    }

    /** Of one layer. */
    static LayerMatrices of(DecoderConfig config, int layer) {
        return of(config, "model.layers." + layer + ".");
    }

    private static LayerMatrices of(DecoderConfig config, String prefix) {
        long normed = 0;
        long others = 0;
        for (Map.Entry<String, long[]> parameter : config.parameterShapes().entrySet()) {
            String name = parameter.getKey();
            long[] shape = parameter.getValue();
            if (name.startsWith(prefix) && shape.length == 2) {
                if (AFTER_NO_NORM.stream().anyMatch(name::endsWith)) {
                    others += shape[0] * shape[1];
                } else {
                    normed += shape[0] * shape[1];
                }
            }
        }
        return new LayerMatrices(normed, others);
    }

    long all() {
        return normed + others;
    }
}
