package dev.prpf.par.serve.http;

/**
 * The rule by which API keys share a capacity: dynamic thresholds (Choudhury and Hahne, 1998). A key may hold three times what stays free, so one key
 * gets at most three quarters and the next key always finds room.
 *
 * @param capacity units in all
 * @param reserving whether to reserve room for other keys; false for a single key, which may hold everything
 */
public record KeyShare(long capacity, boolean reserving) {
    private static final int TIMES_FREE = 3;

    /**
     * Returns whether a key may hold more units.
     *
     * @param own units that the key holds
     * @param all units that all keys hold
     * @param more units to add
     */
    public boolean allows(long own, long all, long more) {
        long free = capacity - all - more;
        return free >= 0 && (!reserving || own == 0 || own + more <= TIMES_FREE * free);
    }
}
