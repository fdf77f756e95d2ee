package dev.prpf.par.openai;

import dev.prpf.base.config.Rule;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a server is reached: the {@code server:} section of configurations. None of these settings changes an answer.
 *
 * @param baseUrl up to and with {@code /v1}
 * @param apiKeyVariable name of the environment variable that holds the key, or null where the server asks for none; no message shows it
 *     unless such a variable is set, since a user may have given the key in its place
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
                    "api-key-variable must be the name of an environment variable, not the key");
        }
        Rule.require(concurrency >= 1, "concurrency", concurrency, "at least 1");
        Rule.require(connectTimeout >= 1, "connect-timeout", connectTimeout, "at least 1");
        Rule.require(requestTimeout >= 1, "request-timeout", requestTimeout, "at least 1");
        Rule.require(retries >= 0, "retries", retries, "at least 0");
        Rule.require(longestWait >= 1, "longest-wait", longestWait, "at least 1");
        baseUrl = baseUrl.replaceAll("/+$", "");
    }

    private static void requireAddress(String baseUrl) {
        URI address;
        try {
            address = new URI(baseUrl);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "base-url is no URL: " + e.getReason() + " at character " + e.getIndex(), e);
        }
        if (!Set.of("http", "https").contains(String.valueOf(address.getScheme()))
                || address.getHost() == null
                || address.getUserInfo() != null
                || address.getQuery() != null
                || baseUrl.contains("/chat/completions")) {
            // Containers have such names, which RFC 1123 does not allow.
            boolean underscored = address.getHost() == null
                    && String.valueOf(address.getAuthority()).contains("_");
            throw new IllegalArgumentException("base-url = \"" + withoutSecrets(baseUrl)
                    + "\", must be as http://HOST:PORT/v1: what stands before /chat/completions, and no key in it"
                    + (underscored ? "; Java takes no host with \"_\" in its name, give its IP address" : ""));
        }
    }

    /** The part of a URL that holds no key: without user info and query. */
    private static String withoutSecrets(String url) {
        return url.replaceFirst("//[^/]*@", "//").replaceFirst("[?#].*", "");
    }
}
