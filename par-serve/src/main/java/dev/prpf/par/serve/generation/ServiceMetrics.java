package dev.prpf.par.serve.generation;

import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.serve.http.ServerMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/** The generation loop's meters, named after vLLM's: {@code vllm:num_requests_running} is {@code prpf_num_requests_running}. */
final class ServiceMetrics {
    private static final String MODEL = "model_name";

    private final ServerMetrics server;
    private final String model;
    private final Map<String, OfCaller> callers = new ConcurrentHashMap<>();

    ServiceMetrics(ServerMetrics server, String model, IntSupplier running, IntSupplier waiting) {
        this.server = server;
        this.model = model;
        Gauge.builder("prpf.num.requests.running", running::getAsInt)
                .tag(MODEL, model)
                .register(server.registry());
        Gauge.builder("prpf.num.requests.waiting", waiting::getAsInt)
                .tag(MODEL, model)
                .register(server.registry());
    }

    /** Returns the meters of one API key's generations. Each event also counts for the whole server. */
    OfCaller of(String caller) {
        return callers.computeIfAbsent(caller, name -> new OfCaller(server.of(name), model));
    }

    static final class OfCaller {
        private final MeterRegistry registry;
        private final String model;
        final Counter promptTokens;
        final Counter generationTokens;
        final Counter prefixQueries;
        private final Counter prefixHits;
        final Counter refused;
        final Timer queueTime;
        final Timer firstToken;
        private final Timer whole;

        private OfCaller(MeterRegistry registry, String model) {
            this.registry = registry;
            this.model = model;
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

        void finished(long nanos, int cachedTokens, FinishReason reason) {
            prefixHits.increment(cachedTokens);
            whole.record(Duration.ofNanos(nanos));
            Counter.builder("prpf.request.success")
                    .tag(MODEL, model)
                    .tag("finished_reason", reason.name().toLowerCase(Locale.ROOT))
                    .register(registry)
                    .increment();
        }
    }
}
