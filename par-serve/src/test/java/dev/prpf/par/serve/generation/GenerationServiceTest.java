package dev.prpf.par.serve.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationRequest.GenerationRefused;
import dev.prpf.par.generate.GenerationRequest.GenerationRefused.Reason;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.FairGate.FairQueue;
import dev.prpf.par.serve.http.ServerMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerationServiceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final ServerMetrics metrics = new ServerMetrics();

    private interface Body {
        void run(CausalLm decoder, GenerationService service) throws Exception;
    }

    private void with(ServiceSettings settings, Body body) throws Exception {
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(50, 512, true), 3);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32);
                GenerationService service = new GenerationService(decoder, settings, metrics, "tiny")) {
            body.run(decoder, service);
        }
    }

    private static GenerationRequest job(long first, int tokens) {
        return new GenerationRequest(
                Prompt.ofText(new long[] {first, 5, 7}), SamplingParams.greedy(tokens, List.of()), 0, null);
    }

    private static List<GenerationStream> submit(
            GenerationService service, String caller, List<GenerationRequest> requests) {
        return service.submit(requests.stream()
                .map(one -> new GenerationRequest(one.prompt(), one.params(), one.seed(), one.constraint(), caller))
                .toList());
    }

    private static Reason reason(Throwable refused) {
        return ((GenerationRefused) refused).reason();
    }

    private static Generation end(GenerationStream stream, List<Long> ids) {
        while (true) {
            Update update = Objects.requireNonNull(stream.next(LONG));
            if (update instanceof Update.Tokens tokens) {
                Arrays.stream(tokens.ids()).forEach(ids::add);
            } else if (update instanceof Update.Finished finished) {
                return finished.generation();
            } else {
                throw ((Update.Failed) update).cause();
            }
        }
    }

    @Test
    void streamsWhatTheEngineWritesForEachCaller() throws Exception {
        with(new ServiceSettings(2, 64, 64, 1, 8, 60), (decoder, service) -> {
            List<GenerationStream> streams =
                    submit(service, "a", List.of(job(1, 12), job(2, 12), job(3, 12), job(4, 12), job(9, 12)));
            List<Generation> together = new ArrayList<>();
            for (GenerationStream stream : streams) {
                List<Long> ids = new ArrayList<>();
                Generation whole = end(stream, ids);
                assertThat(whole.ids())
                        .containsExactly(ids.stream().mapToLong(i -> i).toArray());
                assertThat(whole.finish()).isEqualTo(FinishReason.LENGTH);
                together.add(whole);
            }
            service.close();
            List<long[]> prompts = LongStream.of(1, 2, 3, 4, 9)
                    .mapToObj(first -> new long[] {first, 5, 7})
                    .toList();
            List<Generation> alone = Requests.generate(decoder, prompts, GenerationSettings.greedy(12, List.of(), 1));
            for (int i = 0; i < alone.size(); i++) {
                assertThat(together.get(i).ids()).containsExactly(alone.get(i).ids());
            }
            assertThat(metrics.registry()
                            .get("prpf.generation.tokens")
                            .counter()
                            .count())
                    .isEqualTo(60);
        });
    }

    @Test
    void refusesWhatHasNoRoomAllOrNone() throws Exception {
        with(new ServiceSettings(1, 300, 64, 0, 1, 60), (decoder, service) -> {
            assertThatThrownBy(() -> submit(service, "a", List.of(job(1, 4), job(2, 4), job(3, 4))))
                    .hasMessageContaining("there is no room for 3 more")
                    .extracting(GenerationServiceTest::reason)
                    .isEqualTo(Reason.FULL);
            GenerationRequest longOne =
                    new GenerationRequest(Prompt.ofText(new long[300]), SamplingParams.greedy(1, List.of()), 0, null);
            assertThatThrownBy(() -> submit(service, "a", List.of(longOne)))
                    .hasMessage("the prompt has 300 tokens, the context has 300 with the response")
                    .extracting(GenerationServiceTest::reason)
                    .isEqualTo(Reason.TOO_LONG);
            assertThat(end(submit(service, "a", List.of(job(1, 4))).get(0), new ArrayList<>())
                            .ids())
                    .hasSize(4);
        });
    }

    @Test
    void aLoopThatMakesNoStepIsNotReadyAndItsRequestsEndByThemselves() throws Exception {
        Standing standing = new Standing();
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(50, 512, true), 3);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32);
                GenerationService service = new GenerationService(
                        decoder, new ServiceSettings(2, 512, 64, 0, 8, 1), metrics, "tiny", Duration.ofMillis(300))) {
            assertThat(service.works()).isTrue();
            GenerationStream stuck =
                    submit(service, "a", List.of(standing.job())).get(0);
            standing.begun.await();
            GenerationStream other = submit(service, "b", List.of(job(1, 4))).get(0);
            Thread.sleep(400);
            assertThat(service.works()).as("nothing was generated for 0.4 s").isFalse();
            for (GenerationStream stream : List.of(stuck, other)) {
                assertThatThrownBy(() -> endBeforeLong(stream))
                        .hasMessageContaining("the request's time ran out and the model has not finished its step")
                        .extracting(GenerationServiceTest::reason)
                        .isEqualTo(Reason.LATE);
            }
            standing.goOn.countDown();
            assertThat(end(submit(service, "b", List.of(job(1, 4))).get(0), new ArrayList<>())
                            .ids())
                    .hasSize(4);
            assertThat(service.works()).isTrue();
        }
    }

    private static Generation endBeforeLong(GenerationStream stream) {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < LONG.toNanos()) {
            Update update = stream.next(Duration.ofMillis(100));
            if (update instanceof Update.Failed failed) {
                throw failed.cause();
            }
        }
        throw new AssertionError("the stream had no end");
    }

    /** Allows any token, but blocks until the test releases it. */
    private static final class Standing implements TokenConstraint {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        GenerationRequest job() {
            return new GenerationRequest(
                    Prompt.ofText(new long[] {1, 5, 7}), SamplingParams.greedy(500, List.of()), 0, () -> this);
        }

        @Override
        public int shortest() {
            return 1;
        }

        @Override
        public long[] forced(int left) {
            return new long[0];
        }

        @Override
        public long[] allowed(int left) {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new long[] {(1L << 50) - 1};
        }

        @Override
        public void accept(long token) {}
    }

    @Test
    void whatIsCancelledMakesRoom() throws Exception {
        with(new ServiceSettings(1, 512, 64, 0, 2, 60), (decoder, service) -> {
            Standing standing = new Standing();
            GenerationStream first =
                    submit(service, "a", List.of(standing.job())).get(0);
            standing.begun.await();
            GenerationStream waiting =
                    submit(service, "a", List.of(job(2, 500))).get(0);
            GenerationStream last = submit(service, "b", List.of(job(3, 3))).get(0);
            waiting.cancel();
            first.cancel();
            standing.goOn.countDown();
            assertThat(end(waiting, new ArrayList<>()).finish()).isEqualTo(FinishReason.CANCELLED);
            assertThat(end(first, new ArrayList<>()).finish()).isEqualTo(FinishReason.CANCELLED);
            assertThat(end(last, new ArrayList<>()).finish()).isEqualTo(FinishReason.LENGTH);
        });
    }

    @Test
    void closingFailsWhatRunsAndWaits() throws Exception {
        with(new ServiceSettings(1, 512, 64, 0, 2, 60), (decoder, service) -> {
            Standing standing = new Standing();
            List<GenerationStream> streams = submit(service, "a", List.of(standing.job(), job(2, 500)));
            standing.begun.await();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(service::close);
            while (takesMore(service)) {
                Thread.sleep(2);
            }
            standing.goOn.countDown();
            closing.join();
            for (GenerationStream stream : streams) {
                assertThatThrownBy(() -> end(stream, new ArrayList<>())).hasMessage("the server stopped");
            }
            assertThatThrownBy(() -> submit(service, "a", List.of(job(1, 1))))
                    .extracting(GenerationServiceTest::reason)
                    .isEqualTo(Reason.STOPPED);
            assertThat(service.works()).isFalse();
        });
    }

    private static boolean takesMore(GenerationService service) {
        try {
            submit(service, "a", List.of(job(1, 1))).get(0).cancel();
            return true;
        } catch (GenerationRefused e) {
            return e.reason() == Reason.FULL; // the queue is full: it is open still
        }
    }

    private static final class TooDeep implements TokenConstraint {
        @Override
        public int shortest() {
            return 1;
        }

        @Override
        public long[] forced(int left) {
            return new long[0];
        }

        @Override
        public long[] allowed(int left) {
            throw new StackOverflowError();
        }

        @Override
        public void accept(long token) {}
    }

    @Test
    void aConstraintThatIsTooDeepFailsItsOwnGenerationAlone() throws Exception {
        with(new ServiceSettings(3, 64, 64, 0, 8, 60), (decoder, service) -> {
            SamplingParams params = SamplingParams.greedy(12, List.of());
            List<GenerationStream> streams = submit(
                    service,
                    "a",
                    List.of(
                            new GenerationRequest(Prompt.ofText(new long[] {1, 5}), params, 0, TooDeep::new),
                            new GenerationRequest(Prompt.ofText(new long[] {2, 5}), params, 0, () -> {
                                throw new StackOverflowError();
                            }),
                            job(3, 12)));
            for (GenerationStream failing : streams.subList(0, 2)) {
                assertThatThrownBy(() -> end(failing, new ArrayList<>())).hasMessage("a constraint is too deep");
            }
            assertThat(end(streams.get(2), new ArrayList<>()).ids()).hasSize(12);
            assertThat(service.works()).isTrue();
        });
    }

    @Test
    void aConstraintWithoutMemoryFailsItsOwnGenerationAlone() throws Exception {
        with(new ServiceSettings(2, 64, 64, 0, 8, 60), (decoder, service) -> {
            GenerationRequest hungry = new GenerationRequest(
                    Prompt.ofText(new long[] {2, 5}), SamplingParams.greedy(3, List.of()), 0, () -> {
                        throw new OutOfMemoryError("fake");
                    });
            List<GenerationStream> streams = submit(service, "a", List.of(hungry, job(3, 12)));
            assertThatThrownBy(() -> end(streams.get(0), new ArrayList<>()))
                    .hasMessage("no memory to begin with")
                    .hasCauseInstanceOf(OutOfMemoryError.class);
            assertThat(end(streams.get(1), new ArrayList<>()).ids()).hasSize(12);
        });
    }

    @Test
    void whereTheLoopFailsAllAreToldWhyThoseThatJustCameToo() throws Exception {
        with(new ServiceSettings(3, 64, 64, 0, 8, 60), (decoder, service) -> {
            GenerationRequest fatal = new GenerationRequest(
                    Prompt.ofText(new long[] {2, 5}), SamplingParams.greedy(3, List.of()), 0, () -> {
                        throw new AssertionError("fake");
                    });
            List<GenerationStream> streams =
                    submit(service, "a", List.of(job(1, 40), fatal, job(3, 12), job(4, 12), job(9, 12)));
            for (GenerationStream stream : streams) {
                assertThatThrownBy(() -> end(stream, new ArrayList<>()))
                        .hasMessage("the reasoner has failed and stopped");
            }
        });
    }

    private static final class Latched implements Supplier<TokenConstraint> {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public TokenConstraint get() {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            throw new IllegalStateException("it continues");
        }
    }

    @Test
    void aFullQueueYieldsToACallerThatWaitsForLess() throws Exception {
        with(new ServiceSettings(1, 64, 64, 0, 3, 60), (decoder, service) -> {
            Latched latched = new Latched();
            submit(
                    service,
                    "a",
                    List.of(new GenerationRequest(
                            Prompt.ofText(new long[] {1}), SamplingParams.greedy(1, List.of()), 0, latched)));
            assertThat(latched.begun.await(60, TimeUnit.SECONDS)).isTrue();
            List<GenerationStream> greedy = submit(service, "a", List.of(job(1, 2), job(2, 2), job(3, 2)));
            assertThatThrownBy(() -> submit(service, "a", List.of(job(4, 2))))
                    .hasMessageContaining("no room for 1 more");
            GenerationStream modest = submit(service, "b", List.of(job(5, 2))).get(0);
            assertThatThrownBy(() -> submit(service, "b", List.of(job(6, 2))))
                    .hasMessageContaining("no room for 1 more");
            assertThatThrownBy(() -> end(greedy.get(2), new ArrayList<>()))
                    .extracting(GenerationServiceTest::reason)
                    .isEqualTo(Reason.FULL);
            latched.goOn.countDown();
            assertThat(end(modest, new ArrayList<>()).ids()).hasSize(2);
            assertThat(end(greedy.get(0), new ArrayList<>()).ids()).hasSize(2);
            assertThat(end(greedy.get(1), new ArrayList<>()).ids()).hasSize(2);
        });
    }

    @Test
    void oneCallersPromptIsNoBeginningOfAnothers() throws Exception {
        long[] prompt = LongStream.range(0, 200).map(i -> i % 50).toArray();
        with(new ServiceSettings(2, 512, 512, 1, 8, 60), (decoder, service) -> {
            List<Integer> cached = new ArrayList<>();
            for (String caller : List.of("a", "b", "a", "b")) {
                GenerationRequest job =
                        new GenerationRequest(Prompt.ofText(prompt), SamplingParams.greedy(2, List.of()), 0, null);
                cached.add(end(submit(service, caller, List.of(job)).get(0), new ArrayList<>())
                        .cost()
                        .cachedTokens());
            }
            assertThat(cached).containsExactly(0, 0, 199, 199);
        });
    }

    @Test
    void roomIsMadeAllOrNone() {
        FairQueue<String> queue = new FairQueue<>();
        List.of("a1", "a2", "a3", "a4").forEach(job -> queue.add("a", job));
        queue.add("b", "b1");
        assertThat(queue.makeRoom("c", 3, 3)).isEmpty();
        assertThat(queue.makeRoom("c", 3, 0)).as("they would have more than a").isNull();
        assertThat(queue.makeRoom("a", 1, 0)).isNull();
        assertThat(queue.size()).isEqualTo(5);
        assertThat(queue.makeRoom("c", 2, 0)).containsExactly("a4", "a3");
        assertThat(queue.size()).isEqualTo(3);
        assertThat(new FairQueue<String>().makeRoom("a", 1, 0)).isNull();
    }

    @Test
    void oneKeyNeverRunsEverything(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), "a key-of-a-key-of-a\nb key-of-b-key-of-b\n");
        ServerMetrics shared = new ServerMetrics(ApiKeys.read(file));
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(50, 512, true), 3);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32);
                GenerationService service =
                        new GenerationService(decoder, new ServiceSettings(4, 512, 64, 0, 8, 60), shared, "tiny")) {
            List<GenerationStream> greedy =
                    submit(service, "a", List.of(job(1, 400), job(2, 400), job(3, 400), job(4, 400)));
            GenerationStream other = submit(service, "b", List.of(job(5, 4))).get(0);
            assertThat(end(other, new ArrayList<>()).ids()).hasSize(4);
            assertThat(greedy.get(3).next(Duration.ZERO))
                    .as("it waits for one of its key to end")
                    .isNull();
            assertThat(shared.scrape("b")).contains("prpf_generation_tokens_total{model_name=\"tiny\"} 4.0");
            greedy.forEach(GenerationStream::cancel);
        }
    }

    @Test
    void callersTakeTurns() {
        FairQueue<String> queue = new FairQueue<>();
        List.of("a1", "a2", "a3", "a4").forEach(job -> queue.add("a", job));
        List.of("b1", "b2").forEach(job -> queue.add("b", job));
        List<String> order = new ArrayList<>();
        for (String job = queue.poll(); job != null; job = queue.poll()) {
            order.add(job);
        }
        assertThat(order).containsExactly("a1", "b1", "a2", "b2", "a3", "a4");
        assertThat(queue.size()).isZero();
    }
}
