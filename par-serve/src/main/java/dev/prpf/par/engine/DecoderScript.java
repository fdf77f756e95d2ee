package dev.prpf.par.engine;

/** The one loaded copy of {@code decoder.torchscript}. */
public final class DecoderScript {
    private DecoderScript() {}

    /** Loads it on first use. */
    public static Script get() {
        return Loaded.SCRIPT;
    }

    private static final class Loaded {
        static final Script SCRIPT = Script.load(DecoderScript.class, "decoder.torchscript");
    }
}
