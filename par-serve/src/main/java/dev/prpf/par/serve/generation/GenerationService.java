package dev.prpf.par.serve.generation;

import dev.prpf.base.config.Rule;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generation.GenerationCost;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationRequest.GenerationRefused;
import dev.prpf.par.generate.GenerationRequest.GenerationRefused.Reason;
import dev.prpf.par.generate.Scheduler;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import dev.prpf.par.generate.Sequence;
import dev.prpf.par.serve.http.FairGate.FairQueue;
import dev.prpf.par.serve.http.FaultTrace;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.http.ServerMetrics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Generates responses for many clients at once: queues their requests and runs the decoder on one thread. Thread-safe. */
public final class GenerationService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GenerationService.class);
    private static final float[] NO_NUMBERS = {};

    /** A step that takes longer counts as stuck; for a slow model, several times its longest step so far. */
    private static final Duration LONGEST_STEP = Duration.ofSeconds(10);

    private static final int TIMES_LONGEST = 3;

    private final CausalLm decoder;
    private final ServiceSettings settings;
    private final int positions;
    private final ServiceMetrics metrics;
    private final FairQueue<Submitted> queue = new FairQueue<>();
    private final VisionTurns vision;
    private final KeyShare runs;
    private final Thread loop;
    private final long patience;
    private volatile long longestStep;
    private volatile @Nullable Long stepBegan;
    private int running;
    private boolean closed;
    private @Nullable GenerationRefused broken;

    private record Submitted(GenerationRequest request, GenerationStream stream, long since, long deadline) {
        String caller() {
            return request.tenant();
        }

        boolean over() {
            return stream.cancelled() || System.nanoTime() - deadline >= 0;
        }
    }

    /**
     * Starts the generation loop.
     *
     * @param decoder used only by the loop from now on; the caller closes it, after this service
     */
    public GenerationService(CausalLm decoder, ServiceSettings settings, ServerMetrics metrics, String model) {
        this(decoder, settings, metrics, model, LONGEST_STEP);
    }

    /** @param patience shortest time of a step after which the loop counts as stuck */
    GenerationService(
            CausalLm decoder, ServiceSettings settings, ServerMetrics metrics, String model, Duration patience) {
        this.patience = patience.toNanos();
        this.decoder = decoder;
        this.settings = settings;
        positions = Math.min(settings.maxPositions(), decoder.config().maxPositions());
        this.metrics = new ServiceMetrics(metrics, model, this::running, this::waiting);
        runs = metrics.share(settings.maxSequences());
        vision = new VisionTurns(settings, metrics);
        loop = new Thread(this::run, "generation");
        loop.setDaemon(true);
        loop.start();
    }

    /** Returns the most positions of a sequence, prompt and response together. */
    public int positions() {
        return positions;
    }

    /** Returns the most concurrent generations, running and waiting together. */
    public int most() {
        return settings.maxSequences() + settings.queue();
    }

    /** Returns the queue in which requests wait for the encoding of their images, before they are submitted. */
    public VisionTurns vision() {
        return vision;
    }

    /** Returns the number of the model's token ids. */
    public int vocabularySize() {
        return decoder.config().vocabularySize();
    }

    /** Returns whether the loop runs and, if it has work, finishes its steps in time. */
    public boolean works() {
        Long began = stepBegan;
        long most = Math.max(patience, TIMES_LONGEST * longestStep);
        return loop.isAlive() && (began == null || System.nanoTime() - began < most);
    }

    private synchronized int running() {
        return running;
    }

    private synchronized int waiting() {
        return queue.size();
    }

    /**
     * Queues requests of one tenant, all or none; they wait in their tenant's turn. Without room, the tenant with most waiting requests yields its
     * newest, which are refused as {@link Reason#FULL}, to a tenant with fewer.
     *
     * @return a stream per request, in order
     * @throws GenerationRefused for a prompt that leaves no room for a response, without room for all in the queue, or after the loop ended
     */
    public List<GenerationStream> submit(List<GenerationRequest> requests) {
        requests.forEach(this::requireRoom);
        return queued(requests, requests.get(0).tenant());
    }

    private synchronized List<GenerationStream> queued(List<GenerationRequest> requests, String caller) {
        if (closed) {
            throw new GenerationRefused(Reason.STOPPED, "the reasoner has stopped");
        }
        int free = settings.maxSequences() - running + settings.queue() - queue.size();
        List<Submitted> yielding = queue.makeRoom(caller, requests.size(), free);
        if (yielding == null) {
            metrics.of(caller).refused.increment();
            throw full(requests.size());
        }
        for (Submitted waiting : yielding) {
            metrics.of(waiting.caller()).refused.increment();
            waiting.stream().tell(new GenerationStream.Update.Failed(full(1)));
        }
        long now = System.nanoTime();
        long deadline = now + Duration.ofSeconds(settings.requestTimeout()).toNanos();
        List<GenerationStream> streams = new ArrayList<>();
        BlockingQueue<GenerationStream> arrivals = new LinkedBlockingQueue<>();
        for (GenerationRequest request : requests) {
            GenerationStream stream = new GenerationStream(arrivals, deadline);
            queue.add(caller, new Submitted(request, stream, now, deadline));
            streams.add(stream);
        }
        notifyAll();
        return List.copyOf(streams);
    }

    private GenerationRefused full(int more) {
        return new GenerationRefused(
                Reason.FULL,
                running + " generations run and " + queue.size() + " wait, there is no room for " + more
                        + " more; try again later");
    }

    private void requireRoom(GenerationRequest request) {
        int length = request.prompt().length();
        if (length >= positions) {
            throw new GenerationRefused(
                    Reason.TOO_LONG,
                    "the prompt has " + length + " tokens, the context has " + positions + " with the response");
        }
    }

    private void run() {
        SchedulerSettings engine = new SchedulerSettings(
                settings.maxSequences(),
                positions,
                settings.maxBatchedTokens(),
                (long) settings.prefixCacheMb() << 20,
                true,
                0);
        try (Scheduler scheduler = new Scheduler(decoder, engine)) {
            loop(scheduler);
        } catch (RuntimeException | Error e) {
            fail(e);
        } finally {
            end();
        }
    }

    /** Records and logs the failure, before the streams are notified. */
    private void fail(Throwable cause) {
        if (broken == null) {
            LOG.error("the generation loop failed: {}", FaultTrace.of(cause));
            broken = new GenerationRefused(Reason.FAILED, "the reasoner has failed and stopped");
        }
    }

    private void loop(Scheduler scheduler) {
        Map<Sequence, Submitted> live = new HashMap<>();
        Deque<Submitted> entering = new ArrayDeque<>();
        try {
            while (true) {
                stepBegan = null;
                List<Submitted> admitted = await(live);
                if (admitted == null) {
                    return;
                }
                long began = System.nanoTime();
                stepBegan = began;
                entering.addAll(admitted);
                while (!entering.isEmpty()) {
                    enter(scheduler, entering.element(), live);
                    entering.remove();
                }
                live.forEach((sequence, at) -> {
                    if (at.stream().cancelled()) {
                        scheduler.cancel(sequence);
                    }
                });
                scheduler.step().forEach(event -> tell(event, live));
                longestStep = Math.max(longestStep, System.nanoTime() - began);
            }
        } catch (RuntimeException | Error e) {
            fail(e);
            throw e;
        } finally {
            Stream.concat(live.values().stream(), entering.stream())
                    .forEach(one -> one.stream().tell(new GenerationStream.Update.Failed(why())));
        }
    }

    /** Waits for work, then returns the requests admitted to this step; null once closed. */
    private synchronized @Nullable List<Submitted> await(Map<Sequence, Submitted> live) {
        running = live.size();
        while (!closed && live.isEmpty() && queue.size() == 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                LOG.debug("only close ends the generation loop", e);
            }
        }
        if (closed) {
            return null;
        }
        List<Submitted> over = new ArrayList<>();
        queue.removeIf(Submitted::over, over);
        over.forEach(GenerationService::giveUp);
        return admit(live);
    }

    /** Takes the requests that may run from the queue. No API key runs more than its share. */
    private List<Submitted> admit(Map<Sequence, Submitted> live) {
        Map<String, Integer> ofCallers = new HashMap<>();
        live.values().forEach(at -> ofCallers.merge(at.caller(), 1, Integer::sum));
        List<Submitted> admitted = new ArrayList<>();
        while (true) {
            Submitted next = queue.poll(caller -> runs.allows(ofCallers.getOrDefault(caller, 0), running, 1));
            if (next == null) {
                return admitted;
            }
            ofCallers.merge(next.caller(), 1, Integer::sum);
            running++;
            admitted.add(next);
        }
    }

    private static void giveUp(Submitted waiting) {
        FinishReason why = waiting.stream().cancelled() ? FinishReason.CANCELLED : FinishReason.TIMEOUT;
        Generation nothing = new Generation(new long[0], NO_NUMBERS, NO_NUMBERS, NO_NUMBERS, why, GenerationCost.NONE);
        waiting.stream().tell(new GenerationStream.Update.Finished(nothing, null));
    }

    private void enter(Scheduler scheduler, Submitted next, Map<Sequence, Submitted> live) {
        try {
            Duration left = Duration.ofNanos(Math.max(1, next.deadline() - System.nanoTime()));
            Sequence sequence = scheduler.add(next.request(), left);
            ServiceMetrics.OfCaller meters = metrics.of(next.caller());
            int prompt = next.request().prompt().length();
            meters.queueTime.record(System.nanoTime() - next.since(), TimeUnit.NANOSECONDS);
            meters.promptTokens.increment(prompt);
            meters.prefixQueries.increment(prompt);
            live.put(sequence, next);
        } catch (RuntimeException e) {
            next.stream().tell(new GenerationStream.Update.Failed(e));
        } catch (OutOfMemoryError e) { // as a rule of a constraint
            next.stream()
                    .tell(new GenerationStream.Update.Failed(new IllegalStateException("no memory to begin with", e)));
        }
    }

    private void tell(Scheduler.Event event, Map<Sequence, Submitted> live) {
        Sequence sequence = event.sequence();
        Submitted at = live.get(sequence);
        if (at == null) {
            return;
        }
        ServiceMetrics.OfCaller meters = metrics.of(at.caller());
        if (event instanceof Scheduler.Event.Tokens tokens) {
            if (tokens.begin() == 0) {
                meters.firstToken.record(System.nanoTime() - at.since(), TimeUnit.NANOSECONDS);
            }
            int end = sequence.length();
            meters.generationTokens.increment(end - tokens.begin());
            at.stream()
                    .tell(new GenerationStream.Update.Tokens(
                            sequence.newTokens(tokens.begin(), end),
                            sequence.logProbabilities(tokens.begin(), end),
                            sequence.topLogprobs(tokens.begin(), end)));
            return;
        }
        live.remove(sequence);
        if (event instanceof Scheduler.Event.Failed failed) {
            LOG.warn("a generation failed: {}", FaultTrace.of(failed.cause()));
            at.stream().tell(new GenerationStream.Update.Failed(failed.cause()));
        } else {
            Generation generation = sequence.generation();
            meters.finished(System.nanoTime() - at.since(), generation.cost().cachedTokens(), generation.finish());
            at.stream().tell(new GenerationStream.Update.Finished(generation, sequence.promptScores()));
        }
    }

    private RuntimeException why() {
        return broken == null ? new GenerationRefused(Reason.STOPPED, "the server stopped") : broken;
    }

    private synchronized void end() {
        closed = true;
        List<Submitted> left = new ArrayList<>();
        queue.removeIf(any -> true, left);
        left.forEach(waiting -> waiting.stream().tell(new GenerationStream.Update.Failed(why())));
    }

    /** Ends running and waiting requests as failed. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        boolean interrupted = false;
        while (loop.isAlive()) {
            try {
                loop.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Limits of concurrent generations: the {@code generation:} section of configs/serve.yaml.
     *
     * @param maxSequences that run at a time (vLLM's max_num_seqs)
     * @param maxPositions maximum positions of a sequence, prompt and response together; at most the model's own
     * @param maxBatchedTokens maximum tokens of a forward pass (vLLM's max_num_batched_tokens)
     * @param prefixCacheMb of the prefix cache, in 2^20 bytes; 0 for none
     * @param queue waiting sequences, and requests waiting to encode their images; further ones are refused (429)
     * @param requestTimeout seconds that a sequence may wait and run
     */
    public record ServiceSettings(
            int maxSequences,
            int maxPositions,
            int maxBatchedTokens,
            int prefixCacheMb,
            int queue,
            int requestTimeout) {
        public ServiceSettings {
            Rule.require(maxSequences >= 1, "max-sequences", maxSequences, "at least 1");
            Rule.require(maxPositions >= 2, "max-positions", maxPositions, "at least 2");
            Rule.require(maxBatchedTokens >= 1, "max-batched-tokens", maxBatchedTokens, "at least 1");
            Rule.require(prefixCacheMb >= 0, "prefix-cache-mb", prefixCacheMb, "at least 0");
            Rule.require(queue >= 0, "queue", queue, "at least 0");
            Rule.require(requestTimeout >= 1, "request-timeout", requestTimeout, "at least 1");
        }
    }
}
