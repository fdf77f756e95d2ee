package dev.prpf.cli.tracking;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an MLflow client, from MLflow's own environment variables.
 *
 * @param uri {@code MLFLOW_TRACKING_URI}, without a slash at its end
 * @param experimentId {@code MLFLOW_EXPERIMENT_ID}; null without
 * @param experimentName {@code MLFLOW_EXPERIMENT_NAME}; null without, and without both it is MLflow's experiment 0
 * @param parentRun {@code MLFLOW_RUN_ID}: the parent of our runs; null without
 * @param insecureTls {@code MLFLOW_TRACKING_INSECURE_TLS}: certificates are not checked
 * @param timeout {@code MLFLOW_HTTP_REQUEST_TIMEOUT} of one request, seconds; 30 by default
 */
record MlflowEnvironment(
        String uri,
        @Nullable String experimentId,
        @Nullable String experimentName,
        @Nullable String parentRun,
        Credentials credentials,
        boolean insecureTls,
        Duration timeout) {
    private static final String URI_KEY = "MLFLOW_TRACKING_URI";
    private static final String TIMEOUT_KEY = "MLFLOW_HTTP_REQUEST_TIMEOUT";

    /** {@code MLFLOW_TRACKING_USERNAME}, {@code _PASSWORD} and {@code _TOKEN}; null where not given. */
    record Credentials(@Nullable String user, @Nullable String password, @Nullable String token) {
        /** Returns the header {@code Authorization}, chosen as in MLflow's client; null without credentials. */
        @Nullable
        String authorization() {
            if (user != null && password != null) {
                byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
                return "Basic " + Base64.getEncoder().encodeToString(pair);
            }
            return token == null ? null : "Bearer " + token;
        }

        @Override
        public String toString() {
            return "Credentials[hidden]";
        }
    }

    /**
     * Reads the settings from environment variables.
     *
     * @throws PrpfException 78, naming the variable, for a missing or invalid value
     */
    static MlflowEnvironment of(Map<String, String> variables) {
        return new MlflowEnvironment(
                address(text(variables, URI_KEY)),
                text(variables, "MLFLOW_EXPERIMENT_ID"),
                text(variables, "MLFLOW_EXPERIMENT_NAME"),
                text(variables, "MLFLOW_RUN_ID"),
                new Credentials(
                        text(variables, "MLFLOW_TRACKING_USERNAME"),
                        text(variables, "MLFLOW_TRACKING_PASSWORD"),
                        text(variables, "MLFLOW_TRACKING_TOKEN")),
                Set.of("1", "true")
                        .contains(String.valueOf(text(variables, "MLFLOW_TRACKING_INSECURE_TLS"))
                                .toLowerCase(Locale.ROOT)),
                timeout(Objects.requireNonNullElse(text(variables, TIMEOUT_KEY), "30")));
    }

    private static @Nullable String text(Map<String, String> variables, String key) {
        return StringUtils.trimToNull(variables.get(key));
    }

    private static String address(@Nullable String given) {
        if (given == null) {
            throw new InvalidConfigurationException("tracking with mlflow needs the environment variable " + URI_KEY
                    + ", the address of a server of MLflow, as http://localhost:5000");
        }
        if (given.matches("[^/]*//[^/]*@.*")) {
            throw new InvalidConfigurationException(URI_KEY + " holds a user's name; give MLFLOW_TRACKING_USERNAME and"
                    + " MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN, in its place");
        }
        URI address;
        try {
            address = URI.create(given);
        } catch (IllegalArgumentException e) {
            throw unusable(given);
        }
        boolean web = Set.of("http", "https").contains(String.valueOf(address.getScheme()));
        if (!web || address.getHost() == null || address.getQuery() != null || address.getFragment() != null) {
            throw unusable(given);
        }
        return StringUtils.stripEnd(given, "/");
    }

    private static InvalidConfigurationException unusable(String address) {
        String given = address.replaceFirst("[?#].*", ""); // the rest may hold a secret
        return new InvalidConfigurationException(URI_KEY + " = " + given
                + ", must be the address of a server of MLflow, as http://localhost:5000; files and databases are"
                + " served by: mlflow server --backend-store-uri " + given);
    }

    private static Duration timeout(String given) {
        try {
            int seconds = Integer.parseInt(given);
            if (seconds > 0) {
                return Duration.ofSeconds(seconds);
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new InvalidConfigurationException(
                TIMEOUT_KEY + " = " + given + ", must be a number of seconds, at least 1");
    }
}
