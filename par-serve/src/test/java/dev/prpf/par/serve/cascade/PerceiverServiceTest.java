package dev.prpf.par.serve.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.AdamMoments;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.training.MppConfig;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.cascade.CascadeSettings.SessionSettings;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.policy.InterventionPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A perceiver from its run's directory. */
class PerceiverServiceTest {
    private static final Path CONFIG =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs/gate.yaml");
    private static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();
    private static final JointLoss LOSS = new JointLoss(2, 0.5, 0.5);

    @TempDir
    private Path folder;

    private final ServerMetrics metrics = new ServerMetrics();

    /** A run that holds random weights. */
    private MppRun.Single run() throws IOException {
        MppConfig config = StrictYaml.read(CONFIG, MppConfig.class, List.of("encoder.precision=int8"));
        Files.writeString(folder.resolve("config.resolved.yaml"), StrictYaml.write(config));
        NetworkShape shape = new NetworkShape(
                new NetworkShape.Inputs(512, 0, false),
                new NetworkShape.Window(2, 6, 6),
                new NetworkShape.Transformer(32, 4, 1, 64, 0),
                NetworkShape.Channels.BOTH,
                CATALOG.size());
        MppRun.Single run = new MppRun.Single(folder);
        try (SampleEncoder encoder =
                SampleEncoder.openInMemory(run.encoder(Path.of(""), null), new StorePlace.Memory(1))) {
            MppDescription description =
                    new MppDescription(shape, LOSS, CATALOG.names(), encoder.textEncoderId(), encoder.imageEncoderId());
            var graph = PerceiverGraph.of(shape, new PerceiverGraph.Objective(LOSS, new AdamMoments(1e-3), 0), 3);
            run.bests().save(1, step -> MppModel.write(step, description, graph, false));
        }
        return run;
    }

    @Test
    void aRunsPerceiverIsLoadedWithItsEncodersAndStreams() throws IOException {
        MppRun.Single run = run();
        try (PerceiverService service = PerceiverService.open(run, CATALOG, ServeConfig.DEFAULT.cascade(), metrics)) {
            assertThat(service.perceives()).isTrue();
            Perception perception = service.perceive(Prompts.TEXT).perception();
            assertThat(perception.scenarios().keySet()).containsExactlyElementsOf(CATALOG.names());
            PerceivedStream stream = service.newStream();
            Perception streamed = null;
            List<TraceStep> steps = Prompts.TEXT.trajectory().steps();
            for (int t = 1; t <= steps.size(); t++) {
                Sample grown = Prompts.TEXT.with(Prompts.CONTEXT, new Trajectory(steps.subList(0, t)), null);
                streamed = stream.perceive(Client.SERVER, grown, List.of());
            }
            assertThat(Objects.requireNonNull(streamed).pTrigger()).isCloseTo(perception.pTrigger(), within(1e-5));
            assertThat(metrics.registry().get("prpf.perceiver.seconds").timer().count())
                    .as("the warm-up, the moment, and each of its steps as a frame")
                    .isEqualTo(2 + steps.size());
        }
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile).map(file -> String.valueOf(file.getFileName())))
                    .as("nothing of a moment is written")
                    .noneMatch(name -> name.endsWith(".vectors") || name.endsWith(".texts"));
        }
    }

    @Test
    void itsTextEncoderServesOthersToo() throws IOException {
        try (PerceiverService service = PerceiverService.open(run(), CATALOG, ServeConfig.DEFAULT.cascade(), metrics)) {
            OnnxTextEncoder shared = service.textEncoder();
            assertThat(shared.isLoaded()).as("the warm-up loaded it").isTrue();
            assertThat(textFlops(service.perceive(Prompts.TEXT))).isPositive();
            assertThat(shared.encode(List.of("火车站"))).hasDimensions(1, 512);
            assertThat(shared.tokens()).isEqualTo(5);
            assertThat(textFlops(service.perceive(Prompts.TEXT)))
                    .as("no moment is charged for it")
                    .isZero();
            assertThat(textFlops(service.perceive(new Client("another key", () -> {}), Prompts.TEXT)))
                    .as("the texts are encoded again for another key")
                    .isPositive();
        }
    }

    @Test
    void allTurnsOfAMomentShareOneDeadline() throws IOException {
        CascadeSettings hasty = new CascadeSettings(1, 1, true, 128, 20_000, 64, 1, 64, false);
        String text = IntStream.range(0, 400).mapToObj(i -> " word" + i).collect(Collectors.joining());
        Sample moment =
                Prompts.TEXT.with(new DeviceContext(text, "", ""), Prompts.TEXT.trajectory(), Prompts.TEXT.answers());
        AtomicInteger looks = new AtomicInteger();
        try (PerceiverService service = PerceiverService.open(run(), CATALOG, hasty, metrics)) {
            Client slow = new Client("a", () -> {
                looks.incrementAndGet();
                LockSupport.parkNanos(Duration.ofMillis(600).toNanos());
            });
            assertThatThrownBy(() -> service.perceive(slow, moment))
                    .hasMessage("the sample's turn with the perceiver did not come within the request's time")
                    .extracting(e -> ((ApiException) e).status())
                    .isEqualTo(504);
            assertThat(looks).as("before each piece of its text").hasValueGreaterThan(1);
        }
    }

    @Test
    void aLongCaption_leavesTurnsToAnotherKey() throws IOException {
        String caption = IntStream.range(0, 3000).mapToObj(i -> " " + i).collect(Collectors.joining());
        Sample moment =
                Prompts.TEXT.with(Prompts.CONTEXT, new Trajectory(List.of(new TraceStep.Caption(caption))), null);
        try (PerceiverService service = PerceiverService.open(run(), CATALOG, ServeConfig.DEFAULT.cascade(), metrics)) {
            AtomicInteger turns = new AtomicInteger();
            Client attacker = new Client("a", () -> {
                if (turns.incrementAndGet() == 3) {
                    assertThat(service.run(new Client("b", () -> {}), () -> "served"))
                            .isEqualTo("served");
                }
            });
            service.perceive(attacker, moment);
            assertThat(turns).as("a turn for each of 512 tokens").hasValueGreaterThan(10);
        }
    }

    @Test
    void anotherCataloguesPerceiverIsRefused() throws IOException {
        MppRun.Single run = run();
        assertThatThrownBy(() -> PerceiverService.open(run, Prompts.CATALOG, ServeConfig.DEFAULT.cascade(), metrics))
                .hasMessageContaining("scenario");
    }

    @Test
    void whatIsClosedSaysSo() {
        PerceiverService service = PerceiverService.open(null, CATALOG, ServeConfig.DEFAULT.cascade(), metrics);
        assertThat(service.perceives()).isFalse();
        assertThatThrownBy(() -> service.perceive(Prompts.TEXT))
                .hasMessageContaining("no perceiver was loaded")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(503);
        assertThat(service.run(Client.SERVER, () -> 3)).isEqualTo(3);
        assertThatThrownBy(() -> service.run(Client.SERVER, () -> {
                    throw new IllegalStateException("of the work");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("of the work");
        service.close();
        assertThatThrownBy(() -> service.run(Client.SERVER, () -> 3)).hasMessage("the perceiver has stopped");
    }

    @Test
    void settingsKeepTheirBounds() {
        assertThatThrownBy(() -> new CascadeSettings(0, 1, true, 1, 1, 1, 1, 1, false))
                .hasMessage("shortlist = 0 must be at least 1");
        assertThatThrownBy(() -> new CascadeSettings(1, 1, true, 1, 1, 0, 1, 1, false))
                .hasMessage("queue = 0 must be at least 1");
        assertThatThrownBy(() -> new CascadeSettings(1, 1, true, 1, 1, 1, 0, 1, false))
                .hasMessage("request-timeout = 0 must be at least 1");
        assertThatThrownBy(() -> new SessionSettings(1, 1, 1, 1, 8, 7))
                .hasMessage("max-total-mb = 7 must be at least max-mb, which is 8");
        assertThatThrownBy(() -> new SessionSettings(1, 1, 1, 0, 1, 1)).hasMessage("max-frames = 0 must be at least 1");
        try (PerceiverService service = PerceiverService.open(null, CATALOG, ServeConfig.DEFAULT.cascade(), metrics)) {
            assertThatThrownBy(() -> new ServedCascade.Parts(
                            service, null, Prompts.POOL, CATALOG, 1.5, InterventionPolicy.none()))
                    .hasMessage("--threshold = 1.5, must be in [0, 1]");
        }
    }

    private static double textFlops(Perceiver.Costed costed) {
        return Objects.requireNonNull(costed.cost()).encoding().textFlops();
    }
}
