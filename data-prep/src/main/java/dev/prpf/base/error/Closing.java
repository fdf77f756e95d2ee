package dev.prpf.base.error;

import java.util.List;
import java.util.function.Function;

/** Closes resources: one that its owner cannot take, or all of an owner. */
public final class Closing {
    private Closing() {}

    /** Returns the object made of a resource, which is closed on failure. */
    public static <P extends AutoCloseable, T> T ifRefused(P part, Function<P, T> use) {
        try {
            return use.apply(part);
        } catch (RuntimeException | Error refusal) {
            try {
                part.close();
            } catch (Exception second) {
                refusal.addSuppressed(second);
            }
            throw refusal;
        }
    }

    /** Closes all parts, the last first. Throws the first failure after all parts were closed. */
    public static void all(List<Runnable> parts) {
        if (parts.isEmpty()) {
            return;
        }
        int last = parts.size() - 1;
        ifRefused(() -> all(parts.subList(0, last)), rest -> {
            parts.get(last).run();
            return rest;
        });
        all(parts.subList(0, last));
    }
}
