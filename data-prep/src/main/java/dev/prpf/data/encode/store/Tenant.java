package dev.prpf.data.encode.store;

import java.util.function.Supplier;

/**
 * The tenant of the current thread. A store in memory returns only a tenant's own encodings, so that response times do not reveal
 * contents of other tenants. Threads without a tenant share one unnamed tenant.
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
