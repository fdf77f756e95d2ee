package dev.prpf.cli.tracking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MlflowEnvironmentTest {
    private static final String URI = "MLFLOW_TRACKING_URI";

    @Test
    void itsVariablesAreMlflows() {
        MlflowEnvironment read = MlflowEnvironment.of(Map.of(
                URI,
                "https://mlflow.example/prefix/",
                "MLFLOW_EXPERIMENT_NAME",
                "gates",
                "MLFLOW_RUN_ID",
                "0f",
                "MLFLOW_TRACKING_USERNAME",
                "ada",
                "MLFLOW_TRACKING_PASSWORD",
                "secret",
                "MLFLOW_TRACKING_TOKEN",
                "token",
                "MLFLOW_TRACKING_INSECURE_TLS",
                "true",
                "MLFLOW_HTTP_REQUEST_TIMEOUT",
                "5"));
        assertThat(read.uri()).isEqualTo("https://mlflow.example/prefix");
        assertThat(read.experimentName()).isEqualTo("gates");
        assertThat(read.experimentId()).isNull();
        assertThat(read.parentRun()).isEqualTo("0f");
        assertThat(read.insecureTls()).isTrue();
        assertThat(read.timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(read.credentials().authorization()).isEqualTo("Basic YWRhOnNlY3JldA==");
        assertThat(read.toString()).doesNotContain("secret", "token");
    }

    @Test
    void withoutAServerTrackingDoesNotBegin() {
        try (Tracking tracking = new Tracking(Map.of())) {
            assertThatThrownBy(() -> tracking.begin(Set.of(Tracker.MLFLOW)))
                    .isInstanceOf(InvalidConfigurationException.class)
                    .hasMessage(
                            "tracking with mlflow needs the environment variable MLFLOW_TRACKING_URI, the address of a"
                                    + " server of MLflow, as http://localhost:5000");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:./mlruns",
                "sqlite:///mlflow.db",
                "localhost:5000",
                "http:///x",
                "databricks",
                "http://a b",
                "http://h?x=1"
            })
    void whatIsNoAddressOfAServerIsRefused(String uri) {
        assertThatThrownBy(() -> MlflowEnvironment.of(Map.of(URI, uri)))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageStartingWith(
                        URI + " = " + uri.replace("?x=1", "") + ", must be the address of a server of MLflow");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://ada:secret@ml_flow:5000",
                "http://ada:s[secret@mlflow:5000",
                "http://mlflow:5000?token=secret"
            })
    void noSecretOfAnAddressIsShown(String uri) {
        assertThatThrownBy(() -> MlflowEnvironment.of(Map.of(URI, uri)))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aPasswordInTheAddressIsRefusedAndNotShown() {
        assertThatThrownBy(() -> MlflowEnvironment.of(Map.of(URI, "http://ada:secret@localhost:5000")))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("give MLFLOW_TRACKING_USERNAME")
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "soon"})
    void aTimeoutIsANumberOfSeconds(String timeout) {
        assertThatThrownBy(() -> MlflowEnvironment.of(
                        Map.of(URI, "http://localhost:5000", "MLFLOW_HTTP_REQUEST_TIMEOUT", timeout)))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage("MLFLOW_HTTP_REQUEST_TIMEOUT = " + timeout + ", must be a number of seconds, at least 1");
    }
}
