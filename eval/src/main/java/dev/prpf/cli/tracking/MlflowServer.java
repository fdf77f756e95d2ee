package dev.prpf.cli.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.http.BusyException;
import dev.prpf.base.http.TimedExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.lang3.concurrent.BasicThreadFactory;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.jspecify.annotations.Nullable;
import org.mlflow.tracking.MlflowClient;
import org.mlflow.tracking.MlflowHttpException;
import org.mlflow.tracking.creds.BasicMlflowHostCreds;

/**
 * An MLflow server, through its Java client: adds a timeout, which the client lacks, and describes every failure. Artifacts are sent to the
 * server's own path, since the client would start Python.
 */
final class MlflowServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ARTIFACTS = "/api/2.0/mlflow-artifacts/artifacts/";
    private static final int SHOWN = 300;

    private final MlflowEnvironment environment;
    private MlflowClient client;
    private final ExecutorService requests = Executors.newCachedThreadPool(
            BasicThreadFactory.builder().namingPattern("mlflow").daemon(true).build());

    MlflowServer(MlflowEnvironment environment) {
        this.environment = environment;
        this.client = client(environment);
    }

    MlflowEnvironment environment() {
        return environment;
    }

    private static MlflowClient client(MlflowEnvironment environment) {
        MlflowEnvironment.Credentials given = environment.credentials();
        return new MlflowClient(new BasicMlflowHostCreds(
                environment.uri(), given.user(), given.password(), given.token(), environment.insecureTls()));
    }

    /**
     * Sends a request to the server.
     *
     * @param what the purpose of the request, for the message: "create a run"
     * @throws PrpfException 69 if the server cannot be reached or does not answer in time. 78 if it refuses the credentials. 65 if it refuses
     *     the request
     */
    <T> T ask(String what, Function<MlflowClient, T> request) {
        MlflowClient asked = client;
        try {
            return requests.submit(() -> request.apply(asked))
                    .get(environment.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            asked.close(); // ends the request and connections without an answer
            client = client(environment);
            throw new UnavailableException(environment.uri() + " gave no answer within "
                    + environment.timeout().toSeconds() + " s (MLFLOW_HTTP_REQUEST_TIMEOUT) to: " + what);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while requesting " + environment.uri() + " to " + what);
        } catch (ExecutionException e) {
            throw failure(what, Objects.requireNonNull(e.getCause()));
        }
    }

    /** Sends a request without a result; see {@link #ask}. */
    void tell(String what, Consumer<MlflowClient> request) {
        ask(what, asked -> {
            request.accept(asked);
            return true;
        });
    }

    /** Returns whether the server answered that the resource does not exist. */
    static boolean isMissing(PrpfException failure) {
        MlflowHttpException answer = ExceptionUtils.throwableOfType(failure, MlflowHttpException.class);
        return answer != null && code(answer).equals("RESOURCE_DOES_NOT_EXIST");
    }

    private PrpfException failure(String what, Throwable cause) {
        if (cause instanceof MlflowHttpException answer) {
            return refused(what, answer.getStatusCode(), code(answer), message(answer), answer);
        }
        IOException io = ExceptionUtils.throwableOfType(cause, IOException.class);
        String why = io != null && io.getClass().getName().endsWith("InvalidProtocolBufferException")
                ? "its answer is not MLflow's, is it the right address? "
                : "";
        Throwable root = Objects.requireNonNullElse(ExceptionUtils.getRootCause(cause), cause);
        String reason =
                Objects.requireNonNullElse(root.getMessage(), root.getClass().getSimpleName());
        return new UnavailableException(
                environment.uri() + ": the request to " + what + " failed: " + why
                        + StringUtils.abbreviate(reason, SHOWN),
                cause);
    }

    private PrpfException refused(String what, int status, String code, String message, Throwable cause) {
        String words = environment.uri() + " answered " + status + (code.isEmpty() ? "" : " " + code) + " to: " + what
                + (message.isEmpty() ? "" : ": " + message);
        if (status == 401 || status == 403) {
            return new InvalidConfigurationException(words + "; give MLFLOW_TRACKING_USERNAME and"
                    + " MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN, of a user with access");
        }
        return BusyException.isBusy(status)
                ? new UnavailableException(words, cause)
                : new InvalidDataException(words + (code.isEmpty() ? "; is it a server of MLflow?" : ""), cause);
    }

    private static String code(MlflowHttpException answer) {
        return body(answer).path("error_code").asText();
    }

    private static String message(MlflowHttpException answer) {
        String text = body(answer).path("message").asText(String.valueOf(answer.getBodyMessage()));
        return StringUtils.abbreviate(StringUtils.normalizeSpace(text), SHOWN);
    }

    private static JsonNode body(MlflowHttpException answer) {
        try {
            return JSON.readTree(Objects.toString(answer.getBodyMessage(), ""));
        } catch (JsonProcessingException e) {
            return JSON.missingNode();
        }
    }

    /**
     * Uploads a file to a run, if the server accepts artifacts.
     *
     * @param artifacts the run's artifact URI
     * @return why the server did not accept the file; null if it did
     * @throws PrpfException 69 if the server cannot be reached or cannot answer now
     */
    @Nullable
    String upload(URI artifacts, Path file) {
        if (!"mlflow-artifacts".equals(artifacts.getScheme()) || artifacts.getAuthority() != null) {
            return "the server does not take artifacts, they go to " + artifacts + "; start it with --serve-artifacts";
        }
        if (environment.insecureTls()) {
            return "artifacts are not sent with MLFLOW_TRACKING_INSECURE_TLS";
        }
        String path = StringUtils.strip(artifacts.getRawPath(), "/") + "/" + file.getFileName();
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(environment.uri() + ARTIFACTS + path))
                    .PUT(BodyPublishers.ofFile(file));
            String authorization = environment.credentials().authorization();
            if (authorization != null) {
                request.header("Authorization", authorization);
            }
            HttpResponse<byte[]> answer = TimedExchange.send(
                    TimedExchange.client(environment.timeout()), request.build(), environment.timeout());
            String said = StringUtils.normalizeSpace(new String(answer.body(), StandardCharsets.UTF_8));
            return answer.statusCode() < 300
                    ? null
                    : "the server answered " + answer.statusCode() + " to an artifact: "
                            + StringUtils.abbreviate(said, SHOWN);
        } catch (IOException e) {
            throw failure("keep the artifact " + file.getFileName(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while an artifact was sent to " + environment.uri());
        }
    }

    @Override
    public void close() {
        requests.shutdownNow();
        client.close();
    }
}
