package dev.prpf.par.chat;

import java.util.Locale;

/** Who speaks. */
public enum ChatRole {
    SYSTEM,
    USER,
    ASSISTANT,
    TOOL;

    /** As messages and templates write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
