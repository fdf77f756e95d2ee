package dev.prpf.data.encode.store;

import java.util.function.Supplier;

/**
 * The tenant that the current thread encodes for. A store in memory returns to a tenant only encodings made for this tenant, so that response
 * times do not reveal the contents of other tenants. Threads that serve no tenant share one unnamed tenant.
 */
public final class Tenant {
    private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "");

    private Tenant() {}

    /** Runs work on behalf of a tenant. */
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
