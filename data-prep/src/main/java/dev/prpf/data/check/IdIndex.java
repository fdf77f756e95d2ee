package dev.prpf.data.check;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Which record had an id first, in 20 bytes a slot: 128 bits of the id's SHA-256 stand for the id (two ids among 10^9 share them with
 * probability below 10^-20), so that a million ids take some 40 MB and not 150. Open addressing, linear probing, at most 3/4 full.
 */
final class IdIndex {
    private final MessageDigest digest = sha256();
    private long[] high = new long[1 << 10];
    private long[] low = new long[1 << 10];
    private int[] record = new int[1 << 10]; // 1 + the record's index; 0 is a free slot
    private int size;

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The record that had the id before, or -1 if this one is the first and now stands for it. */
    int putIfAbsent(String id, int index) {
        if (size + 1 > record.length / 4 * 3) {
            grow();
        }
        ByteBuffer chars = ByteBuffer.allocate(id.length() * Character.BYTES);
        chars.asCharBuffer().put(id); // not a charset's bytes: those replace what is no Unicode
        ByteBuffer hash = ByteBuffer.wrap(digest.digest(chars.array()));
        long first = hash.getLong();
        long second = hash.getLong();
        int slot = find(first, second);
        if (record[slot] != 0) {
            return record[slot] - 1;
        }
        put(slot, first, second, index + 1);
        size++;
        return -1;
    }

    private int find(long first, long second) {
        int mask = record.length - 1;
        int slot = (int) first & mask;
        while (record[slot] != 0 && (high[slot] != first || low[slot] != second)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void put(int slot, long first, long second, int value) {
        high[slot] = first;
        low[slot] = second;
        record[slot] = value;
    }

    private void grow() {
        long[] oldHigh = high;
        long[] oldLow = low;
        int[] oldRecord = record;
        high = new long[oldHigh.length * 2];
        low = new long[oldLow.length * 2];
        record = new int[oldRecord.length * 2];
        for (int i = 0; i < oldRecord.length; i++) {
            if (oldRecord[i] != 0) {
                put(find(oldHigh[i], oldLow[i]), oldHigh[i], oldLow[i], oldRecord[i]);
            }
        }
    }
}
