package dev.prpf.par.cascade;

import dev.prpf.par.openai.ServerSettings;
import org.jspecify.annotations.Nullable;

/**
 * A reasoner on a server: {@code configs/remote.yaml}.
 *
 * @param server how it is reached; may change when a run goes on
 * @param reasoner what it is asked; may not
 * @param price what it costs, or null where that is nobody's question
 */
public record RemoteConfig(ServerSettings server, RemoteSettings reasoner, @Nullable Price price) {
    /**
     * Of a million tokens, in whatever money.
     *
     * @param prompt of prompts
     * @param completion of answers
     */
    public record Price(double prompt, double completion) {
        private static final double MILLION = 1e6;

        public Price {
            if (!(prompt >= 0 && completion >= 0)) {
                throw new IllegalArgumentException(
                        "price = " + prompt + " and " + completion + ", must be at least 0 each");
            }
        }

        /** Of so many tokens. */
        public double of(long promptTokens, long completionTokens) {
            return (promptTokens * prompt + completionTokens * completion) / MILLION;
        }
    }
}
