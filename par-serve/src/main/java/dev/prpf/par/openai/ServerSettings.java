package dev.prpf.par.openai;

import dev.prpf.base.config.Rule;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the connection to a model's servers: the {@code server:} section of configurations. None of these settings changes an answer.
 *
 * @param urls addresses of the servers, each ending with {@code /v1}; several are replicas, with the same model under the same name
 * @param apiKeyVariable name of the environment variable with the key, or null without a key. Messages show it only if the variable is set,
 *     since a user may have given the key itself
 * @param concurrency maximum number of running requests over all servers
 * @param connectTimeout in seconds
 * @param requestTimeout for one complete answer, in seconds
 * @param retries number of retries on 408, 429, 5xx, lost connections and invalid bodies
 * @param longestWait maximum wait between attempts in seconds, also for a server's {@code Retry-After}
 * @param tooLongPattern regular expression for this server's errors about too long prompts, or null if the known codes and texts suffice
 */
public record ServerSettings(
        List<String> urls,
        @Nullable String apiKeyVariable,
        int concurrency,
        int connectTimeout,
        int requestTimeout,
        int retries,
        int longestWait,
        @Nullable String tooLongPattern) {
    public ServerSettings {
        urls = addresses(urls);
        if (apiKeyVariable != null && !apiKeyVariable.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new IllegalArgumentException(
                    "api-key-variable must be the name of an environment variable, not the key");
        }
        Rule.require(concurrency >= 1, "concurrency", concurrency, "at least 1");
        Rule.require(connectTimeout >= 1, "connect-timeout", connectTimeout, "at least 1");
        Rule.require(requestTimeout >= 1, "request-timeout", requestTimeout, "at least 1");
        Rule.require(retries >= 0, "retries", retries, "at least 0");
        Rule.require(longestWait >= 1, "longest-wait", longestWait, "at least 1");
        requirePattern(tooLongPattern);
    }

    private static void requirePattern(@Nullable String pattern) {
        try {
            Pattern.compile(pattern == null ? "" : pattern);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "too-long-pattern = \"" + pattern + "\" must be a regular expression: " + e.getDescription(), e);
        }
    }

    private static List<String> addresses(List<String> urls) {
        Rule.require(!urls.isEmpty(), "urls", urls, "a list of at least one server's address");
        List<String> addresses = new ArrayList<>();
        for (String url : urls) {
            String key = "urls[" + addresses.size() + "]";
            requireAddress(key, url);
            String address = url.replaceAll("/+$", "");
            Rule.require(!addresses.contains(address), key, address, "an address without duplicates");
            addresses.add(address);
        }
        return List.copyOf(addresses);
    }

    private static void requireAddress(String key, String url) {
        URI address;
        try {
            address = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    key + " is not a URL: " + e.getReason() + " at character " + e.getIndex(), e);
        }
        if (!Set.of("http", "https").contains(String.valueOf(address.getScheme()))
                || address.getHost() == null
                || address.getUserInfo() != null
                || address.getQuery() != null
                || url.contains("/chat/completions")) {
            // Containers have such names, which RFC 1123 does not allow.
            boolean underscored = address.getHost() == null
                    && String.valueOf(address.getAuthority()).contains("_");
            throw new IllegalArgumentException(key + " = \"" + withoutSecrets(url)
                    + "\", must be like http://HOST:PORT/v1: the part before /chat/completions, without a key"
                    + (underscored ? "; Java rejects host names with \"_\", give its IP address" : ""));
        }
    }

    /** Returns a URL without user info and query, which may hold a key. */
    private static String withoutSecrets(String url) {
        return url.replaceFirst("//[^/]*@", "//").replaceFirst("[?#].*", "");
    }
}
