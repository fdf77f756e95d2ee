package dev.prpf.par.serve.cascade;

import static dev.prpf.par.serve.cascade.CascadeWorld.JSON;
import static dev.prpf.par.serve.cascade.CascadeWorld.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.serve.cascade.CascadeWorld.Model;
import dev.prpf.par.serve.cascade.CascadeWorld.Served;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.serve.policy.UserPolicies;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import dev.prpf.par.serve.policy.UserPolicy.Signal;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A withheld signal, on every route of a sample: the answer equals that of a sample without the signal, and the signal is stored nowhere. */
class WithheldSignalsTest {
    private static final Path SHIPPED = Path.of(System.getProperty("prpf.root", ".."), "configs", "policy.yaml");
    private static final Map<Signal, String> MARKERS = new EnumMap<>(Map.of(
            Signal.PROFILE, "markedprofile",
            Signal.PHONE, "markedphone",
            Signal.WORLD, "markedworld",
            Signal.CAPTIONS, "markedcaption"));

    @TempDir
    private static Path folder;

    private static Recorder recorder;
    private static PerceiverService perceiver;
    private static Model model;
    private static ServedReasoner reasoner;

    /** Remembers what it was given. */
    private record Recorder(Perceiver real, List<Sample> seen) implements Perceiver {
        @Override
        public String id() {
            return real.id();
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            seen.addAll(samples);
            return real.perceive(samples);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    /** How a moment comes. */
    private enum Way {
        PERCEIVE,
        RECOMMEND,
        STREAM,
        FRAME,
        ASK;

        /** The answer to the whole moment. */
        JsonNode answer(Served served, ObjectNode body) {
            return switch (this) {
                case PERCEIVE -> served.ask("/v1/perceive", body);
                case RECOMMEND -> served.ask("/v1/recommend", body.put("threshold", 0));
                case STREAM -> streamed(served, body.put("threshold", 0));
                case FRAME -> frames(served, session(served, body), body);
                case ASK -> {
                    String session = session(served, body);
                    frames(served, session, body);
                    yield served.ask(session + "/ask", JSON.createObjectNode());
                }
            };
        }

        private static JsonNode streamed(Served served, ObjectNode body) {
            String[] lines = served.post(
                            "/v1/recommend", body.put("stream", true).toString())
                    .body()
                    .strip()
                    .split("\n", -1);
            assertThat(lines[lines.length - 2]).isEqualTo("event: result");
            return json(lines[lines.length - 1].substring("data: ".length()));
        }

        private static String session(Served served, ObjectNode body) {
            return "/v1/sessions/"
                    + served.ask("/v1/sessions", body.deepCopy().without("trace"))
                            .path("id")
                            .textValue();
        }

        private static JsonNode frames(Served served, String session, ObjectNode body) {
            JsonNode last = body;
            for (JsonNode step : body.path("trace")) {
                ObjectNode frame = JSON.createObjectNode();
                if (step.isTextual()) {
                    frame.set("text", step);
                } else {
                    frame.set("image", step.path("picture"));
                }
                last = served.ask(session + "/frames", frame);
            }
            return last;
        }
    }

    static Stream<Arguments> cases() {
        return Arrays.stream(Signal.values())
                .flatMap(signal -> Arrays.stream(Way.values()).map(way -> Arguments.of(signal, way)));
    }

    @BeforeAll
    static void load() throws IOException {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(64, 48, BufferedImage.TYPE_INT_RGB), "png", png);
        MARKERS.put(
                Signal.SCREENSHOTS,
                "data:image/png;base64," + Base64.getEncoder().encodeToString(png.toByteArray()));
        PerceiverService.Parts parts = CascadeWorld.perceiver(null);
        recorder = new Recorder(Objects.requireNonNull(parts.perceiver()), new CopyOnWriteArrayList<>());
        perceiver = CascadeWorld.service(new PerceiverService.Parts(recorder, null, parts.encoders()));
        model = Model.random(Files.createDirectory(folder.resolve("model")), 1);
        reasoner = model.reasoner(perceiver);
    }

    @AfterAll
    static void unload() {
        model.close();
        perceiver.close();
    }

    private static String marker(Signal signal) {
        return Objects.requireNonNull(MARKERS.get(signal));
    }

    /** A moment with a marker in every signal; but for one that is not there. */
    private static ObjectNode moment(Signal without) {
        ObjectNode body = JSON.createObjectNode();
        for (Signal text : List.of(Signal.PROFILE, Signal.PHONE, Signal.WORLD)) {
            body.put(text.label(), text == without ? "" : marker(text));
        }
        if (without != Signal.CAPTIONS) {
            body.withArray("trace").add(marker(Signal.CAPTIONS));
        }
        if (without != Signal.SCREENSHOTS) {
            body.withArray("trace").addObject().put("source", "picture").put("picture", marker(Signal.SCREENSHOTS));
        }
        return body;
    }

    private static ObjectNode whole() {
        ObjectNode body = moment(Signal.SCREENSHOTS);
        body.withArray("trace").add(moment(Signal.CAPTIONS).path("trace").get(0));
        return body;
    }

    private static UserPolicies policies(Path place, Signal off) throws IOException {
        String text = Files.readString(SHIPPED)
                .replace(off.label() + ": true", off.label() + ": false")
                .replace("[\"22:30-07:00\"]", "[]")
                .replace("daily-limit: 20", "daily-limit: null")
                .replace("least-gap-minutes: 5", "least-gap-minutes: 0")
                .replace("content: false", "content: true");
        Path file = Files.writeString(Files.createDirectories(place).resolve("policy.yaml"), text);
        return UserPolicies.open(
                file,
                new PolicySettings(place.resolve("state"), 2000, 8, 1),
                new KeyShare(8 << 20, false),
                Clock.systemUTC());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void nothingOfItIsReadOrKeptAndAllElseIsAsEver(Signal off, Way way) throws IOException {
        JsonNode expected;
        try (Served open = CascadeWorld.serve(perceiver, reasoner, InterventionPolicy.none(), ApiKeys.NONE)) {
            expected = way.answer(open, moment(off));
        }
        recorder.seen().clear();
        Path place = folder.resolve(off + "-" + way);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(log);
        JsonNode answer;
        try (UserPolicies policies = policies(place, off);
                Served served = CascadeWorld.serve(perceiver, reasoner, policies, ApiKeys.NONE)) {
            answer = way.answer(served, whole());
        } finally {
            root.detachAppender(log);
        }
        assertThat(answer.path("withheld")).hasToString("[\"" + off.label() + "\"]");
        assertAnsweredAlike(answer, expected);
        assertSeen(off);
        assertThat(answer.toString()).doesNotContain(marker(off));
        assertThat(List.copyOf(log.list))
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains(marker(off)));
        String kept = bytes(place.resolve("state"));
        Signal other = off == Signal.WORLD ? Signal.PHONE : Signal.WORLD;
        assertThat(kept).as("the database").contains(marker(other)).doesNotContain(marker(off));
    }

    /** The prompt is one of as many tokens, and the likeliest answer to it is the same. */
    private static void assertAnsweredAlike(JsonNode answer, JsonNode expected) {
        assertThat(answer.path("p_trigger").doubleValue())
                .isCloseTo(expected.path("p_trigger").doubleValue(), within(1e-5));
        for (String name : List.of("silence", "route", "response", "recommendations", "candidate_functions")) {
            assertThat(answer.path(name)).as(name).isEqualTo(expected.path(name));
        }
        assertThat(answer.path("cost").path("prompt_tokens"))
                .isEqualTo(expected.path("cost").path("prompt_tokens"));
    }

    private static void assertSeen(Signal off) {
        assertThat(recorder.seen()).isNotEmpty();
        String last = "";
        for (Sample sample : recorder.seen()) {
            last = sample.context().texts() + " "
                    + sample.trajectory().steps().stream()
                            .map(step -> step.text(TraceStep.Screenshot::path))
                            .toList();
            assertThat(last).doesNotContain(marker(off));
        }
        for (Signal signal : Signal.values()) {
            if (signal != off) {
                assertThat(last).as("not withheld").contains(marker(signal));
            }
        }
    }

    private static String bytes(Path state) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(state)) {
            for (Path file : files.toList()) {
                all.append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }
}
