package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.cascade.CascadeWorld.Served;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.policy.InterventionPolicy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Latency of {@code /v1/perceive} over HTTP: the context and nine frames were seen before, one frame of about 64 tokens is new, requests come at
 * a fixed rate whatever the answers take. No test; docs/SERVE.md says how to run it. Arguments: the perceiver's run, requests a
 * second, seconds.
 */
final class PerceiveLatencyBench {
    private static final int FRAMES = 10;
    private static final int CHARACTERS = 62; // of Chinese: a token each, and two around them
    private static final int WARM = 100;

    private PerceiveLatencyBench() {}

    /** Runs it. */
    public static void main(String[] arguments) throws IOException {
        double rate = Double.parseDouble(arguments[1]);
        int count = (int) (rate * Double.parseDouble(arguments[2]));
        CascadeSettings settings = CascadeSettings.DEFAULT;
        var catalog = ScenarioCatalogReader.shipped();
        try (PerceiverService perceiver = PerceiverService.open(
                new MppRun(Path.of(arguments[0])), catalog, settings, new SimpleMeterRegistry())) {
            ServedCascade cascade = new ServedCascade(
                    new ServedCascade.Parts(perceiver, null, Prompts.POOL, catalog, 0.5, InterventionPolicy.none()),
                    settings);
            ServerMetrics metrics = new ServerMetrics();
            CascadeRoutes routes = new CascadeRoutes(
                    cascade,
                    new CascadeRoutes.Limits(HttpSettings.DEFAULT, settings, SessionSettings.DEFAULT),
                    metrics);
            ApiServer server = ApiServer.start(
                    new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                    HttpSettings.DEFAULT,
                    metrics,
                    List.of(routes),
                    () -> true);
            try (Served served = new Served(server, routes)) {
                List<String> bodies = bodies(WARM + count);
                bodies.subList(0, WARM).forEach(body -> latency(served, body, System.nanoTime()));
                report(rate, measured(served, bodies.subList(WARM, bodies.size()), rate));
            }
        }
    }

    /** Moments of one phone, each with one new frame at its end. */
    private static List<String> bodies(int count) {
        Random random = new Random(1);
        List<String> frames = new ArrayList<>();
        List<String> bodies = new ArrayList<>();
        for (int i = 0; i < FRAMES - 1 + count; i++) {
            frames.add(random.ints(CHARACTERS, 0x4E00, 0x5E00)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString());
            if (i >= FRAMES - 1) {
                ObjectNode body = CascadeWorld.moment(
                        "上班族，爱吃辣", frames.subList(i - FRAMES + 1, i + 1).toArray(new String[0]));
                bodies.add(body.toString());
            }
        }
        return bodies;
    }

    private static double[] measured(Served served, List<String> bodies, double rate) {
        ExecutorService clients = Executors.newFixedThreadPool(32);
        try {
            List<CompletableFuture<Double>> answers = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < bodies.size(); i++) {
                String body = bodies.get(i);
                long due = start + (long) (i * 1e9 / rate);
                LockSupport.parkNanos(due - System.nanoTime());
                answers.add(CompletableFuture.supplyAsync(() -> latency(served, body, due), clients));
            }
            return answers.stream()
                    .mapToDouble(CompletableFuture::join)
                    .sorted()
                    .toArray();
        } finally {
            clients.shutdown();
        }
    }

    /** Milliseconds from when it was due. */
    private static double latency(Served served, String body, long due) {
        HttpResponse<String> answer = served.post("/v1/perceive", body);
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.body());
        }
        return (System.nanoTime() - due) / 1e6;
    }

    private static void report(double rate, double[] sorted) {
        System.err.printf(
                Locale.ROOT,
                "%d requests, %.0f a second: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, longest %.1f ms%n",
                sorted.length,
                rate,
                sorted[sorted.length / 2],
                sorted[(int) (sorted.length * 0.9)],
                sorted[(int) (sorted.length * 0.99)],
                sorted[sorted.length - 1]);
    }
}
