package dev.prpf.data.synth;

/** The language the made samples are written in. */
public enum Language {
    ZH,
    EN;

    /** Puts sentences of one field together: each ends with the language's full stop. */
    String paragraph(Iterable<String> sentences) {
        String stop = this == ZH ? "。" : ". ";
        StringBuilder text = new StringBuilder();
        sentences.forEach(sentence -> text.append(sentence).append(stop));
        return text.toString().stripTrailing();
    }
}
