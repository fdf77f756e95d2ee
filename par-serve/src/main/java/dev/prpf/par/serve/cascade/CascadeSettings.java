package dev.prpf.par.serve.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.par.cascade.CascadeFolder;

/**
 * Settings of the served cascade: the {@code cascade:} section of configs/serve.yaml.
 *
 * @param shortlist K: the reasoner may call functions of that many scenarios (PRPF §3.3)
 * @param maxNewTokens maximum tokens of a response
 * @param constrained whether every response is constrained to the grammar and to calls of the candidates
 * @param maxSteps maximum steps of a request's trajectory
 * @param maxCharacters maximum characters of all texts of a sample together, without data URLs
 * @param queue samples that may wait for the perceiver; further ones are refused (429)
 * @param requestTimeout seconds that a sample may wait for the perceiver (504)
 * @param encodingsMb for the outputs of each frozen encoder, in 2^20 bytes of memory; least recently used first out
 * @param shareEncodings whether API keys share encodings. Faster for equal texts, but response times then reveal to a key whether another key
 *     sent the same text or image
 */
public record CascadeSettings(
        int shortlist,
        int maxNewTokens,
        boolean constrained,
        int maxSteps,
        int maxCharacters,
        int queue,
        int requestTimeout,
        int encodingsMb,
        boolean shareEncodings) {
    public CascadeSettings {
        Rule.require(shortlist >= 1, "shortlist", shortlist, "at least 1");
        Rule.require(maxNewTokens >= 1, "max-new-tokens", maxNewTokens, "at least 1");
        Rule.require(maxSteps >= 1, "max-steps", maxSteps, "at least 1");
        Rule.require(maxCharacters >= 1, "max-characters", maxCharacters, "at least 1");
        Rule.require(queue >= 1, "queue", queue, "at least 1");
        Rule.require(requestTimeout >= 1, "request-timeout", requestTimeout, "at least 1");
        Rule.require(encodingsMb >= 1, "encodings-mb", encodingsMb, "at least 1");
    }

    /** Returns these settings with a cascade's settings of responses. */
    public CascadeSettings with(CascadeFolder.Answering answering) {
        return new CascadeSettings(
                answering.shortlist(),
                answering.maxNewTokens(),
                answering.constrained(),
                maxSteps,
                maxCharacters,
                queue,
                requestTimeout,
                encodingsMb,
                shareEncodings);
    }

    long encodingBytes() {
        return (long) encodingsMb << 20;
    }

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
}
