package dev.prpf.par.serve.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.stream.DoubleStream;

/** What the server counts, for Prometheus; names are vLLM's with {@code prpf_} in place of {@code vllm:}. */
public final class ServerMetrics {
    /** Upper ends of the buckets of times, in seconds: vLLM's of the time to the first token. */
    private static final Duration[] SECONDS = DoubleStream.of(
                    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
                    160, 640, 2560)
            .mapToObj(seconds -> Duration.ofMillis(Math.round(seconds * 1000)))
            .toArray(Duration[]::new);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    public ServerMetrics() {
        new JvmMemoryMetrics().bindTo(registry);
    }

    /** Where wings register meters of their own. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** Upper ends of the buckets of times. */
    public static Duration[] buckets() {
        return SECONDS.clone();
    }

    /** A request was answered. */
    void answered(String route, int status, Duration took) {
        Timer.builder("prpf.http.request.seconds")
                .tag("route", route)
                .tag("status", String.valueOf(status))
                .serviceLevelObjectives(SECONDS)
                .register(registry)
                .record(took);
    }

    /** A request was refused before any handler: too many were at work. */
    void refused() {
        Counter.builder("prpf.http.refused").register(registry).increment();
    }

    /** A handler has read its request: fields that nobody asked for are ignored, and counted. */
    public void ignored(String route, RequestFields fields) {
        int unknown = fields.unknown().size();
        if (unknown > 0) {
            Counter.builder("prpf.ignored.fields")
                    .tag("route", route)
                    .register(registry)
                    .increment(unknown);
        }
    }

    /** In Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }
}
