package dev.prpf.base.config;

import java.util.Locale;

/** The kebab-case names of enumeration constants in configurations and options. */
public final class EnumName {
    private EnumName() {}

    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
