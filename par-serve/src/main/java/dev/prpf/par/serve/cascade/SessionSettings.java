package dev.prpf.par.serve.cascade;

import dev.prpf.base.config.Rule;

/**
 * Bounds of sessions: the {@code sessions:} section of configs/serve.yaml.
 *
 * @param idleTimeout seconds without a request after which a session is forgotten
 * @param perCaller sessions that one API key may have at once
 * @param inAll sessions at once
 * @param maxFrames that a session keeps, the newest
 * @param maxMb memory for the frames of one session, in 2^20 bytes; the oldest are dropped
 * @param maxTotalMb memory for the frames of all sessions together, in 2^20 bytes
 */
public record SessionSettings(int idleTimeout, int perCaller, int inAll, int maxFrames, int maxMb, int maxTotalMb) {
    /** The values of configs/serve.yaml. */
    public static final SessionSettings DEFAULT = new SessionSettings(600, 32, 128, 64, 8, 256);

    public SessionSettings {
        Rule.require(idleTimeout >= 1, "idle-timeout", idleTimeout, "at least 1");
        Rule.require(perCaller >= 1, "per-caller", perCaller, "at least 1");
        Rule.require(inAll >= 1, "in-all", inAll, "at least 1");
        Rule.require(maxFrames >= 1, "max-frames", maxFrames, "at least 1");
        Rule.require(maxMb >= 1, "max-mb", maxMb, "at least 1");
        Rule.require(maxTotalMb >= maxMb, "max-total-mb", maxTotalMb, "at least max-mb, which is " + maxMb);
    }

    long maxTotalBytes() {
        return (long) maxTotalMb << 20;
    }
}
