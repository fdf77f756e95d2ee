package dev.prpf.data.encode.store;

import java.util.function.Supplier;

/**
 * The tenant that the current thread encodes for. A store in memory returns to a tenant only what was encoded for this tenant: the time of an
 * answer does not tell one tenant what another sent. Threads that serve no tenant share one unnamed tenant.
 */
public final class Tenant {
    private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "");

    private Tenant() {}

    /** Does work for a tenant. */
    public static <T> T as(String tenant, Supplier<T> work) {
        String before = CURRENT.get();
        CURRENT.set(tenant);
        try {
            return work.get();
        } finally {
            CURRENT.set(before);
        }
    }

    static String current() {
        return CURRENT.get();
    }
}
