package dev.prpf.par.serve.http;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * The server's Prometheus metrics. Names are vLLM's with {@code prpf_} in place of {@code vllm:}. With several API keys, each event counts for
 * the whole server and for its key.
 */
public final class ServerMetrics {
    /** Bucket bounds of times, in seconds: vLLM's for the time to first token. */
    private static final Duration[] SECONDS = DoubleStream.of(
                    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
                    160, 640, 2560)
            .mapToObj(seconds -> Duration.ofMillis(Math.round(seconds * 1000)))
            .toArray(Duration[]::new);

    private static final Map<String, String> DESCRIPTIONS = Map.ofEntries(
            Map.entry("prpf.http.request.seconds", "Seconds from a request to the end of its answer"),
            Map.entry("prpf.http.refused", "Requests refused because too many were running"),
            Map.entry("prpf.ignored.fields", "Unknown fields of requests, which are ignored"),
            Map.entry("prpf.num.requests.running", "Generations in the running batch"),
            Map.entry("prpf.num.requests.waiting", "Generations in the queue"),
            Map.entry("prpf.prompt.tokens", "Tokens of prompts"),
            Map.entry("prpf.generation.tokens", "Generated tokens"),
            Map.entry("prpf.prefix.cache.queries", "Prompt tokens looked up in the prefix cache"),
            Map.entry("prpf.prefix.cache.hits", "Prompt tokens found in the prefix cache"),
            Map.entry("prpf.request.refused", "Generations refused because the queue was full"),
            Map.entry("prpf.request.success", "Finished generations by reason"),
            Map.entry("prpf.request.queue.time.seconds", "Seconds that a generation waited in the queue"),
            Map.entry("prpf.time.to.first.token.seconds", "Seconds from a request to its first token"),
            Map.entry("prpf.e2e.request.latency.seconds", "Seconds from a request to its last token"),
            Map.entry("prpf.rewarded.responses", "Rewarded responses by quadrant"),
            Map.entry("prpf.perceiver.seconds", "Seconds that the perceiver took for a request"),
            Map.entry("prpf.perceiver.waiting", "Requests waiting for the perceiver"),
            Map.entry("prpf.sessions", "Open sessions"));

    private final PrometheusMeterRegistry registry = described();
    private final ApiKeys keys;
    private final Map<String, PrometheusMeterRegistry> ofKeys = new ConcurrentHashMap<>();
    private final Map<String, MeterRegistry> both = new ConcurrentHashMap<>();

    /** Creates the metrics of a server without keys. */
    public ServerMetrics() {
        this(ApiKeys.NONE);
    }

    public ServerMetrics(ApiKeys keys) {
        this.keys = keys;
        new JvmMemoryMetrics().bindTo(registry);
    }

    /** Returns the meters of the whole server. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** Returns meters that count each event for the whole server and for one API key. */
    public MeterRegistry of(String caller) {
        return keys.several()
                ? both.computeIfAbsent(
                        caller, name -> new CompositeMeterRegistry(Clock.SYSTEM, List.of(registry, ofKey(name))))
                : registry;
    }

    private PrometheusMeterRegistry ofKey(String caller) {
        return ofKeys.computeIfAbsent(caller, name -> described());
    }

    private static PrometheusMeterRegistry described() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                String description = DESCRIPTIONS.getOrDefault(id.getName(), id.getDescription());
                return new Meter.Id(
                        id.getName(), Tags.of(id.getTagsAsIterable()), id.getBaseUnit(), description, id.getType());
            }
        });
        return registry;
    }

    /** Returns a share of a capacity between the server's keys; see {@link KeyShare}. */
    public KeyShare share(long capacity) {
        return new KeyShare(capacity, keys.several());
    }

    /** Returns the bucket bounds of times. */
    public static Duration[] buckets() {
        return SECONDS.clone();
    }

    /** Counts an answered request. A request without a key counts for the whole server only. */
    void answered(@Nullable String caller, String route, int status, Duration took) {
        Timer.builder("prpf.http.request.seconds")
                .tag("route", route)
                .tag("status", String.valueOf(status))
                .serviceLevelObjectives(SECONDS)
                .register(caller == null ? registry : of(caller))
                .record(took);
    }

    /**
     * Counts a request that was refused before any handler, because too many requests were running.
     *
     * @param caller name of the API key; empty for an unknown key
     */
    void refused(String caller) {
        Counter.builder("prpf.http.refused")
                .register(caller.isEmpty() ? registry : of(caller))
                .increment();
    }

    /** Counts the fields of a request that its handler did not read. */
    public void ignored(String route, RequestFields fields) {
        int unknown = fields.unknown().size();
        if (unknown > 0) {
            Counter.builder("prpf.ignored.fields")
                    .tag("route", route)
                    .register(registry)
                    .increment(unknown);
        }
    }

    /** Returns all metrics in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }

    /** Returns the figures that an API key may read: its own, or all figures for a monitor key. */
    public String scrape(String caller) {
        return keys.monitors(caller) ? scrape() : ofKey(caller).scrape();
    }
}
