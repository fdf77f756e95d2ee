package dev.prpf.par.serve.http;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * What the server counts, for Prometheus; names are vLLM's with {@code prpf_} in place of {@code vllm:}. Where there are several API keys, each
 * event is counted for the whole server and for its key.
 */
public final class ServerMetrics {
    /** Upper ends of the buckets of times, in seconds: vLLM's of the time to the first token. */
    private static final Duration[] SECONDS = DoubleStream.of(
                    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
                    160, 640, 2560)
            .mapToObj(seconds -> Duration.ofMillis(Math.round(seconds * 1000)))
            .toArray(Duration[]::new);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ApiKeys keys;
    private final Map<String, PrometheusMeterRegistry> ofKeys = new ConcurrentHashMap<>();
    private final Map<String, MeterRegistry> both = new ConcurrentHashMap<>();

    /** Metrics of a server without keys. */
    public ServerMetrics() {
        this(ApiKeys.NONE);
    }

    public ServerMetrics(ApiKeys keys) {
        this.keys = keys;
        new JvmMemoryMetrics().bindTo(registry);
    }

    /** The meters of the whole server. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** The meters of the whole server and of one caller: what is counted here counts for both. */
    public MeterRegistry of(String caller) {
        return keys.several()
                ? both.computeIfAbsent(
                        caller, name -> new CompositeMeterRegistry(Clock.SYSTEM, List.of(registry, ofKey(name))))
                : registry;
    }

    private PrometheusMeterRegistry ofKey(String caller) {
        return ofKeys.computeIfAbsent(caller, name -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    /** A capacity that the server's keys share; see {@link KeyShare}. */
    public KeyShare share(long capacity) {
        return new KeyShare(capacity, keys.several());
    }

    /** Upper ends of the buckets of times. */
    public static Duration[] buckets() {
        return SECONDS.clone();
    }

    /** A request was answered; one without a caller counts for the whole server only. */
    void answered(@Nullable String caller, String route, int status, Duration took) {
        Timer.builder("prpf.http.request.seconds")
                .tag("route", route)
                .tag("status", String.valueOf(status))
                .serviceLevelObjectives(SECONDS)
                .register(caller == null ? registry : of(caller))
                .record(took);
    }

    /**
     * A request was refused before any handler: too many were at work.
     *
     * @param caller empty for nobody's key
     */
    void refused(String caller) {
        Counter.builder("prpf.http.refused")
                .register(caller.isEmpty() ? registry : of(caller))
                .increment();
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

    /** What a caller may read: its own figures; all figures for a key that monitors. */
    public String scrape(String caller) {
        return keys.monitors(caller) ? scrape() : ofKey(caller).scrape();
    }
}
