package dev.prpf.par.serve.cascade;

import dev.prpf.base.config.Rule;

/**
 * Bounds of sessions: the {@code sessions:} section of configs/serve.yaml.
 *
 * @param idleTimeout seconds without a request after which a session is forgotten
 * @param perCaller sessions that one API key may have at once
 * @param inAll sessions at once
 * @param maxFrames that a session remembers, the newest
 * @param maxMb that their texts and pictures take, in 2^20 characters; older frames go first
 */
public record SessionSettings(int idleTimeout, int perCaller, int inAll, int maxFrames, int maxMb) {
    /** What configs/serve.yaml says. */
    public static final SessionSettings DEFAULT = new SessionSettings(600, 32, 128, 64, 8);

    public SessionSettings {
        Rule.require(idleTimeout >= 1, "idle-timeout", idleTimeout, "at least 1");
        Rule.require(perCaller >= 1, "per-caller", perCaller, "at least 1");
        Rule.require(inAll >= 1, "in-all", inAll, "at least 1");
        Rule.require(maxFrames >= 1, "max-frames", maxFrames, "at least 1");
        Rule.require(maxMb >= 1, "max-mb", maxMb, "at least 1");
    }

    long maxCharacters() {
        return (long) maxMb << 20;
    }
}
