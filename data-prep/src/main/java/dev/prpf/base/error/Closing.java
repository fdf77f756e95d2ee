package dev.prpf.base.error;

import java.util.function.Function;

/** Closes a part of something larger when the larger thing cannot be made. */
public final class Closing {
    private Closing() {}

    /** Returns the result made of a part, which is closed if making it fails. */
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
