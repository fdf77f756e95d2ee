package dev.prpf.par.chat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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

    static @Nullable ChatRole find(String text) {
        return Arrays.stream(values())
                .filter(role -> role.text().equals(text))
                .findFirst()
                .orElse(null);
    }

    static List<String> texts() {
        return Arrays.stream(values()).map(ChatRole::text).toList();
    }
}
