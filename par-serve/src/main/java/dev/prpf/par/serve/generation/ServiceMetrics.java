package dev.prpf.par.serve.generation;

import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.generate.Scheduler;
import dev.prpf.par.serve.http.ServerMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntSupplier;

/** The generation loop's meters, named after vLLM's: {@code vllm:num_requests_running} is {@code prpf_num_requests_running}. */
final class ServiceMetrics {
    private static final String MODEL = "model_name";

    private final MeterRegistry registry;
    private final String model;
    private final Counter promptTokens;
    private final Counter generationTokens;
    private final Counter prefixQueries;
    private final Counter prefixHits;
    private final Counter refused;
    private final Timer queueTime;
    private final Timer firstToken;
    private final Timer whole;

    ServiceMetrics(MeterRegistry registry, String model, IntSupplier running, IntSupplier waiting) {
        this.registry = registry;
        this.model = model;
        Gauge.builder("prpf.num.requests.running", running::getAsInt)
                .tag(MODEL, model)
                .register(registry);
        Gauge.builder("prpf.num.requests.waiting", waiting::getAsInt)
                .tag(MODEL, model)
                .register(registry);
        promptTokens = counter("prpf.prompt.tokens");
        generationTokens = counter("prpf.generation.tokens");
        prefixQueries = counter("prpf.prefix.cache.queries");
        prefixHits = counter("prpf.prefix.cache.hits");
        refused = counter("prpf.request.refused");
        queueTime = timer("prpf.request.queue.time.seconds");
        firstToken = timer("prpf.time.to.first.token.seconds");
        whole = timer("prpf.e2e.request.latency.seconds");
    }

    private Counter counter(String name) {
        return Counter.builder(name).tag(MODEL, model).register(registry);
    }

    private Timer timer(String name) {
        return Timer.builder(name)
                .tag(MODEL, model)
                .serviceLevelObjectives(ServerMetrics.buckets())
                .register(registry);
    }

    void stepped(Scheduler.Stats before, Scheduler.Stats after) {
        promptTokens.increment((double) (after.promptTokens() - before.promptTokens()));
        prefixQueries.increment((double) (after.promptTokens() - before.promptTokens()));
        prefixHits.increment((double) (after.prefixTokens() - before.prefixTokens()));
        generationTokens.increment((double) (after.newTokens() - before.newTokens()));
    }

    void refused() {
        refused.increment();
    }

    void queued(long nanos) {
        queueTime.record(Duration.ofNanos(nanos));
    }

    void firstToken(long nanos) {
        firstToken.record(Duration.ofNanos(nanos));
    }

    void finished(long nanos, FinishReason reason) {
        whole.record(Duration.ofNanos(nanos));
        Counter.builder("prpf.request.success")
                .tag(MODEL, model)
                .tag("finished_reason", reason.name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }
}
