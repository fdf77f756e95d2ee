package dev.prpf.par.engine;

/** What mixes positions in a decoder layer; names are those of {@code layer_types} in config.json. */
public enum LayerKind {
    /** Softmax attention over all earlier positions. */
    FULL_ATTENTION,
    /** Softmax attention over the nearest earlier positions. */
    SLIDING_ATTENTION,
    /** The gated delta rule: a state of fixed size, whatever the length. */
    LINEAR_ATTENTION
}
