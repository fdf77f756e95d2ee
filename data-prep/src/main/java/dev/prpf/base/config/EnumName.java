package dev.prpf.base.config;

import java.util.Locale;

/** How configurations and options write the constants of an enumeration: in kebab case. */
public final class EnumName {
    private EnumName() {}

    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
