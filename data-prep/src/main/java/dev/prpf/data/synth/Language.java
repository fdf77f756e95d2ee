package dev.prpf.data.synth;

import dev.prpf.base.command.EnumOption;
import java.util.List;

/** The language of generated samples. */
public enum Language {
    ZH,
    EN;

    /** Converts the value of an option. */
    public static final class Option extends EnumOption<Language> {
        public Option() {
            super(Language.class);
        }
    }

    public <T> T of(T zh, T en) {
        return this == ZH ? zh : en;
    }

    /** Joins sentences of one field; each ends with the language's full stop. */
    String paragraph(List<String> sentences) {
        String stop = of("。", ". ");
        return (String.join(stop, sentences) + stop).stripTrailing();
    }
}
