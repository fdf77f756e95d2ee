package dev.prpf.data.synth;

import org.jspecify.annotations.Nullable;

/**
 * Something that can be named in a sample and become a parameter.
 *
 * @param zh its Chinese name
 * @param en its English name
 * @param code the enumeration value it stands for, or null when the name itself is the value
 */
record Entity(String zh, String en, @Nullable String code) {
    String in(Language language) {
        return language.of(zh, en);
    }

    /** The value that a parameter takes from it in that language. */
    String value(Language language) {
        return code == null ? in(language) : code;
    }
}
