package dev.prpf.data;

import dev.prpf.base.command.EnumOption;
import java.util.List;

/** The language of records. */
public enum Language {
    ZH,
    EN;

    /** Converts the value of an option. */
    public static final class Option extends EnumOption<Language> {
        public Option() {
            super(Language.class);
        }
    }

    private static final double CHINESE_SHARE = 0.3;

    /** Returns the language of a text; foreign names in a Chinese text do not make it English. */
    public static Language ofText(String text) {
        long letters = text.codePoints().filter(Character::isLetter).count();
        long chinese = text.codePoints().filter(Character::isIdeographic).count();
        return chinese > CHINESE_SHARE * letters ? ZH : EN;
    }

    public <T> T of(T zh, T en) {
        return this == ZH ? zh : en;
    }

    /** Joins sentences of one field; each ends with the language's full stop. */
    public String paragraph(List<String> sentences) {
        String stop = of("。", ". ");
        return (String.join(stop, sentences) + stop).stripTrailing();
    }
}
