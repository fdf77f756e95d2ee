package dev.prpf.par.openai;

import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a server is reached; the {@code server:} section of configurations. None of it decides what is answered.
 *
 * @param baseUrl up to and with {@code /v1}
 * @param apiKeyVariable the environment variable that holds the key, or null where the server asks for none
 * @param concurrency requests under way at a time
 * @param connectTimeout seconds
 * @param requestTimeout seconds for one whole answer
 * @param retries further attempts after a first, on 408, 429, 5xx, lost connections and bodies that are no answer
 * @param longestWait seconds between attempts at most, and at most what a server's {@code Retry-After} may ask for
 */
public record ServerSettings(
        String baseUrl,
        @Nullable String apiKeyVariable,
        int concurrency,
        int connectTimeout,
        int requestTimeout,
        int retries,
        int longestWait) {
    public ServerSettings {
        requireAddress(baseUrl);
        if (apiKeyVariable != null && !apiKeyVariable.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new IllegalArgumentException(
                    "api-key-variable must be the name of an environment variable, not a key");
        }
        atLeast("concurrency", concurrency, 1);
        atLeast("connect-timeout", connectTimeout, 1);
        atLeast("request-timeout", requestTimeout, 1);
        atLeast("retries", retries, 0);
        atLeast("longest-wait", longestWait, 1);
        baseUrl = baseUrl.replaceAll("/+$", "");
    }

    private static void requireAddress(String baseUrl) {
        URI address;
        try {
            address = URI.create(baseUrl);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("base-url = \"" + baseUrl + "\": " + e.getMessage(), e);
        }
        if (!Set.of("http", "https").contains(String.valueOf(address.getScheme()))
                || address.getHost() == null
                || address.getUserInfo() != null
                || address.getQuery() != null
                || baseUrl.contains("/chat/completions")) {
            throw new IllegalArgumentException("base-url = \"" + baseUrl
                    + "\", must be as http://HOST:PORT/v1: what stands before /chat/completions, and no key in it"
                    + (isUnderscored(address)
                            ? "; Java takes no host with \"_\" in its name, give its IP address"
                            : ""));
        }
    }

    /** Names as containers have them, which are none by RFC 1123. */
    private static boolean isUnderscored(URI address) {
        return address.getHost() == null
                && String.valueOf(address.getAuthority()).contains("_");
    }

    private static void atLeast(String key, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(key + " = " + value + ", must be at least " + least);
        }
    }
}
