package dev.prpf.data.world;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/** A clock that only its owner moves, so that a day takes only its computing time. */
public final class VirtualClock extends Clock {
    private final ZoneId zone;
    private Instant now;

    public VirtualClock(Instant start, ZoneId zone) {
        this.now = start;
        this.zone = zone;
    }

    /**
     * Moves the clock to a later time.
     *
     * @throws IllegalArgumentException if the time is before the present
     */
    public void moveTo(Instant time) {
        if (time.isBefore(now)) {
            throw new IllegalArgumentException("the clock shows " + now + " and cannot go back to " + time);
        }
        now = time;
    }

    /** Sets the clock to the time of a snapshot, which may be earlier. */
    void restore(Instant time) {
        now = time;
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    /** Returns a clock of another zone that starts at the present; the two move separately. */
    @Override
    public Clock withZone(ZoneId other) {
        return new VirtualClock(now, other);
    }
}
