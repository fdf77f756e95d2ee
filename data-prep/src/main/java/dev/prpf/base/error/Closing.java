package dev.prpf.base.error;

import java.util.function.Function;

/** Closes a resource when the object that would own it cannot be made. */
public final class Closing {
    private Closing() {}

    /** Returns the object made of a resource, which is closed on failure. */
    public static <P extends AutoCloseable, T> T ifRefused(P part, Function<P, T> use) {
        try {
            return use.apply(part);
        } catch (RuntimeException refusal) {
            try {
                part.close();
            } catch (Exception second) {
                refusal.addSuppressed(second);
            }
            throw refusal;
        }
    }
}
