package dev.prpf.par.engine;

/** The kinds of position mixing in a decoder layer; names are those of {@code layer_types} in config.json. */
public enum LayerKind {
    /** Softmax attention over all earlier positions. */
    FULL_ATTENTION,
    /** Softmax attention over the nearest earlier positions. */
    SLIDING_ATTENTION,
    /** The gated delta rule: a state of fixed size for any length. */
    LINEAR_ATTENTION
}
