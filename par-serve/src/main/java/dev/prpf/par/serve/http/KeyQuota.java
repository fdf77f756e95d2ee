package dev.prpf.par.serve.http;

import java.util.HashMap;
import java.util.Map;

/** Counts the units of a capacity that each API key holds, and grants more by a {@link KeyShare}. Thread-safe. */
final class KeyQuota {
    private final KeyShare share;
    private final Map<String, Long> held = new HashMap<>();
    private long all;

    KeyQuota(KeyShare share) {
        this.share = share;
    }

    /** Takes units if the share allows it. */
    boolean acquire(String key, long units) {
        return acquire(key, units, 0);
    }

    /**
     * Takes units if the share allows it. The only request of a key may take everything that is free, and the only request of the server may
     * take more than the capacity.
     *
     * @param mine units that the same request holds already
     */
    synchronized boolean acquire(String key, long units, long mine) {
        long own = held.getOrDefault(key, 0L);
        boolean granted = all == mine || share.allows(own - mine, all - mine, mine + units);
        if (granted) {
            held.put(key, own + units);
            all += units;
        }
        return granted;
    }

    synchronized void release(String key, long units) {
        held.computeIfPresent(key, (name, own) -> own > units ? own - units : null);
        all -= units;
    }

    /** Returns the units that all keys hold. */
    synchronized long held() {
        return all;
    }
}
