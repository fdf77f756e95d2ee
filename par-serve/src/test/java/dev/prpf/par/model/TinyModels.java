package dev.prpf.par.model;

import java.util.List;

/** Decoders small enough for tests. */
public final class TinyModels {
    private TinyModels() {}

    /** Two layers, four heads over two key-value heads. */
    public static DecoderConfig config(int vocabulary, int maxPositions, boolean tied) {
        return new DecoderConfig(
                vocabulary, 32, 48, 2, 4, 2, 8, maxPositions, 10_000.0, 1e-5, tied, null, List.of(2), null);
    }
}
