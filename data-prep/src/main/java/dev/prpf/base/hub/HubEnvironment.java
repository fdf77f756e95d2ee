package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The hub's settings from the environment variables of {@code huggingface_hub}.
 *
 * @param endpoint {@code HF_ENDPOINT}, without a trailing slash
 * @param cache {@code HF_HUB_CACHE}, else {@code HF_HOME/hub}
 * @param token {@code HF_TOKEN}, else the content of {@code HF_TOKEN_PATH} (default {@code HF_HOME/token}); null for none
 * @param offline {@code HF_HUB_OFFLINE}: no network access
 * @param symlinks whether the cache's snapshots are links; false with {@code HF_HUB_DISABLE_SYMLINKS}
 * @param listingTimeout {@code HF_HUB_ETAG_TIMEOUT}: for a response other than a file
 * @param downloadTimeout {@code HF_HUB_DOWNLOAD_TIMEOUT}: longest time without a byte of a file
 */
public record HubEnvironment(
        String endpoint,
        Path cache,
        @Nullable String token,
        boolean offline,
        boolean symlinks,
        Duration listingTimeout,
        Duration downloadTimeout) {
    private static final Set<String> TRUE = Set.of("1", "ON", "YES", "TRUE");
    private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+|\\{[^}]*})");
    private static final String SECONDS = "10";

    public HubEnvironment {
        URI address = URI.create(endpoint);
        if (address.getHost() == null || !Set.of("http", "https").contains(String.valueOf(address.getScheme()))) {
            throw new IllegalArgumentException("must be an address like https://HOST, is \"" + endpoint + "\"");
        }
    }

    /**
     * Reads the settings from environment variables.
     *
     * @throws PrpfException 78, naming the variable, for an invalid value
     */
    public static HubEnvironment of(Map<String, String> variables) {
        Variables set = new Variables(variables);
        Path home = set.path(
                "HF_HOME",
                set.path("XDG_CACHE_HOME", set.home().resolve(".cache")).resolve("huggingface"));
        Path cache = set.path("HF_HUB_CACHE", set.path("HUGGINGFACE_HUB_CACHE", home.resolve("hub")));
        try {
            return new HubEnvironment(
                    set.text("HF_ENDPOINT", "https://huggingface.co").replaceAll("/+$", ""),
                    cache.toAbsolutePath().normalize(),
                    token(set, home),
                    set.isTrue("HF_HUB_OFFLINE") || set.isTrue("TRANSFORMERS_OFFLINE"),
                    !set.isTrue("HF_HUB_DISABLE_SYMLINKS"),
                    set.seconds("HF_HUB_ETAG_TIMEOUT"),
                    set.seconds("HF_HUB_DOWNLOAD_TIMEOUT"));
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationException("HF_ENDPOINT: " + e.getMessage());
        }
    }

    private static @Nullable String token(Variables set, Path home) {
        if (set.isTrue("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
            return null;
        }
        String given = set.text("HF_TOKEN", set.text("HUGGING_FACE_HUB_TOKEN", ""));
        Path file = set.path("HF_TOKEN_PATH", home.resolve("token"));
        String token = (given.isEmpty() ? read(file) : given)
                .replaceAll("[\\r\\n]", "")
                .strip();
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new InvalidConfigurationException("the hub's token (HF_TOKEN, or " + file
                    + ") holds a blank or a character that no token has; copy it again");
        }
        return token.isEmpty() ? null : token;
    }

    private static String read(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.readString(file, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UnavailableException("the hub's token cannot be read: " + IoFailure.reason(e)
                    + "; mend the file, or set HF_HUB_DISABLE_IMPLICIT_TOKEN=1 to do without");
        }
    }

    /** Describes the settings without the token. */
    @Override
    public String toString() {
        return endpoint + (token == null ? " without a token" : " with a token") + ", cache " + cache;
    }

    /** Environment variables; an empty value counts as unset. */
    private record Variables(Map<String, String> values) {
        String text(String name, String otherwise) {
            String value = values.getOrDefault(name, "").strip();
            return value.isEmpty() ? otherwise : value;
        }

        boolean isTrue(String name) {
            return TRUE.contains(text(name, "").toUpperCase(Locale.ROOT));
        }

        Path home() {
            return Path.of(text("HOME", System.getProperty("user.home", "")));
        }

        Path path(String name, Path otherwise) {
            String value = text(name, "");
            if (value.isEmpty()) {
                return otherwise;
            }
            String expanded = VARIABLE.matcher(value)
                    .replaceAll(found -> Matcher.quoteReplacement(Objects.requireNonNullElse(
                            values.get(found.group(1).replaceAll("[{}]", "")), found.group())));
            return expanded.equals("~") || expanded.startsWith("~/")
                    ? home().resolve(expanded.substring(Math.min(2, expanded.length())))
                    : Path.of(expanded);
        }

        Duration seconds(String name) {
            String value = text(name, SECONDS);
            if (!value.matches("\\d{1,6}") || Integer.parseInt(value) == 0) {
                throw new InvalidConfigurationException(
                        name + " = \"" + value + "\", must be a number of seconds, at least 1");
            }
            return Duration.ofSeconds(Integer.parseInt(value));
        }
    }
}
