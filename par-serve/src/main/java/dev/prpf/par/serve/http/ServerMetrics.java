package dev.prpf.par.serve.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;

/** What the server counts, for Prometheus; names are vLLM's with {@code prpf_} in place of {@code vllm:}. */
public final class ServerMetrics {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    public ServerMetrics() {
        new JvmMemoryMetrics().bindTo(registry);
    }

    /** Where wings register meters of their own. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** A request was answered. */
    void answered(String route, int status, Duration took) {
        Timer.builder("prpf.http.request.seconds")
                .tag("route", route)
                .tag("status", String.valueOf(status))
                .publishPercentileHistogram()
                .minimumExpectedValue(Duration.ofMillis(1))
                .maximumExpectedValue(Duration.ofMinutes(10))
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
