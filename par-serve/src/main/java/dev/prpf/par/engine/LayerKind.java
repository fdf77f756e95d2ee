package dev.prpf.par.engine;

/** What mixes positions in a decoder layer; names are those of {@code layer_types} in config.json. */
public enum LayerKind {
    /** Softmax attention over all earlier positions. */
    FULL_ATTENTION(0),
    /** The gated delta rule: a state of fixed size, whatever the length. */
    LINEAR_ATTENTION(1);

    private final int code;

    LayerKind(int code) {
        this.code = code;
    }

    /** Its number in the TorchScript text. */
    int code() {
        return code;
    }
}
