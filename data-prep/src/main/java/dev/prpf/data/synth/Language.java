package dev.prpf.data.synth;

import java.util.List;

/** The language the made samples are written in. */
public enum Language {
    ZH,
    EN;

    /** The one of two that is in this language. */
    public <T> T of(T zh, T en) {
        return this == ZH ? zh : en;
    }

    /** Puts sentences of one field together: each ends with the language's full stop. */
    String paragraph(List<String> sentences) {
        String stop = of("。", ". ");
        return (String.join(stop, sentences) + stop).stripTrailing();
    }
}
