package dev.prpf.par.serve.cascade;

import static dev.prpf.par.serve.cascade.CascadeWorld.json;
import static dev.prpf.par.serve.cascade.CascadeWorld.moment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.Perception;
import dev.prpf.par.serve.cascade.CascadeWorld.Served;
import dev.prpf.par.serve.http.ApiKeys;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Perceiving over HTTP, moment by moment and as a phone's stream. */
class PerceiveRoutesTest {
    private static final DeviceContext CONTEXT = new DeviceContext("爱吃辣", "电量 80%", "18:30，下雨");
    private static final String PATH = "/v1/perceive";
    private static final Executor EACH_ON_ITS_OWN = work -> new Thread(work).start();

    @TempDir
    private static Path folder;

    private static PerceiverService perceiver;
    private final RecordingPolicy policy = new RecordingPolicy();
    private Served served;

    @BeforeAll
    static void load() throws IOException {
        draw("a.png", 20);
        draw("b.png", 60);
        perceiver = CascadeWorld.service(CascadeWorld.perceiver(folder));
    }

    private static void draw(String name, int left) throws IOException {
        BufferedImage image = new BufferedImage(200, 80, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = image.createGraphics();
        pen.setColor(Color.WHITE);
        pen.fillRect(0, 0, 200, 80);
        pen.setColor(Color.BLACK);
        pen.fillRect(left, 30, 40, 12);
        pen.dispose();
        ImageIO.write(image, "png", folder.resolve(name).toFile());
    }

    @AfterAll
    static void unload() {
        perceiver.close();
    }

    @BeforeEach
    void start() {
        served = CascadeWorld.serve(perceiver, null, policy, ApiKeys.NONE);
    }

    @AfterEach
    void stop() {
        served.close();
    }

    private static Perception perceived(List<TraceStep> steps) {
        return perceived(CONTEXT, steps);
    }

    private static Perception perceived(DeviceContext context, List<TraceStep> steps) {
        Sample sample = new Sample("s", 1, null, null, context, new Trajectory(steps), null);
        return perceiver.perceive(sample).perception();
    }

    private static void assertSame(JsonNode answer, Perception perception) {
        assertThat(answer.path("p_trigger").doubleValue()).isCloseTo(perception.pTrigger(), within(1e-5));
        perception.scenarios().forEach((name, p) -> assertThat(
                        answer.path("scenarios").path(name).doubleValue())
                .isCloseTo(p, within(1e-5)));
    }

    private static String url(String name) throws IOException {
        return "data:image/png;base64," + Base64.getEncoder().encodeToString(Files.readAllBytes(folder.resolve(name)));
    }

    private static ObjectNode withImage(String image) {
        ObjectNode body = moment("爱吃辣", "打开地图");
        body.withArray("trace").addObject().put("source", "picture").put("picture", image);
        return body;
    }

    private String refusal(int status, JsonNode body) {
        HttpResponse<String> answer = served.post(PATH, body.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return json(answer.body()).path("error").path("param").asText("") + ": "
                + json(answer.body()).path("error").path("message").textValue();
    }

    @Test
    void aMomentIsPerceivedAndHeldAgainstTheThreshold() {
        List<TraceStep> steps = List.of(new TraceStep.Caption("打开地图"), new TraceStep.Caption("搜索餐厅"));
        Perception direct = perceived(steps);
        ObjectNode body = moment("爱吃辣", "打开地图", "搜索餐厅");
        JsonNode answer = served.ask(PATH, body.put("threshold", 0));
        assertSame(answer, direct);
        assertThat(answer.path("trigger").booleanValue()).isTrue();
        assertThat(answer.path("silence").isNull()).isTrue();
        assertThat(answer.fieldNames())
                .toIterable()
                .containsExactly("p_trigger", "trigger", "threshold", "scenarios", "withheld", "silence");
        assertThat(policy.outcome().silence()).isNull();
        JsonNode below = served.ask(PATH, body.put("threshold", 1));
        assertThat(below.path("trigger").booleanValue()).isFalse();
        assertThat(below.path("silence").textValue()).isEqualTo("below-threshold");
        assertThat(policy.outcome().perception()).isNotNull();
        body.remove("threshold");
        assertThat(served.ask(PATH, body).path("threshold").doubleValue())
                .as("the server's own")
                .isEqualTo(0.5);
    }

    @Test
    void aWholeRecordIsTakenAndWhatIsNotKnownIsCounted() {
        ObjectNode record =
                CascadeWorld.JSON.createObjectNode().put("user", "anna").put("colour", "red");
        record.putObject("benchmark_metadata").put("id", "r1");
        record.set("reference_information", moment("爱吃辣", "打开地图").put("mood", "fine"));
        assertSame(served.ask(PATH, record), perceived(List.of(new TraceStep.Caption("打开地图"))));
        assertThat(policy.moments.get(0).user()).isEqualTo("anna");
        assertThat(policy.moments.get(0).caller()).isEqualTo("local");
        assertThat(served.get("/metrics")).contains("prpf_ignored_fields_total{route=\"/v1/perceive\"} 2.0");
        ((ObjectNode) record.path("reference_information")).remove("world");
        assertThat(refusal(400, record)).startsWith("reference_information.world: ");
    }

    @Test
    void anImageIsSentAsItsDataUrl() throws IOException {
        List<TraceStep> files = List.of(new TraceStep.Caption("打开地图"), new TraceStep.Screenshot("a.png"));
        assertSame(served.ask(PATH, withImage(url("a.png"))), perceived(files));
    }

    @Test
    void noPathAndNoAddressIsOpened() throws IOException {
        for (String place : List.of("a.png", "/etc/passwd", "https://example.org/a.png", "file:///etc/passwd")) {
            assertThat(refusal(400, withImage(place)))
                    .isEqualTo("trace[1].picture: trace[1].picture must be the image itself as a data URL"
                            + " (data:image/png;base64,…): paths and addresses are not opened");
        }
        assertThat(refusal(400, withImage("data:image/png;base64,AAA")))
                .contains("trace[1].picture: an image's data URL has 3 characters");
        assertThat(refusal(400, withImage("data:image/png;base64,AAAA"))).contains("is not an image");
        assertThat(policy.moments).as("nobody was asked").isEmpty();
    }

    /** An image in the place of words would be read although screenshots are withheld. */
    @Test
    void anImageInThePlaceOfWordsIsRefused() throws IOException {
        String rule = " is a text that holds a data URL; an image is sent as an image's step or frame";
        for (String text : List.of(url("a.png"), "看 " + url("a.png"), "DATA:image/png;base64,AAAA")) {
            assertThat(refusal(400, moment("爱吃辣", "打开地图", text))).isEqualTo("trace[1]: trace[1]" + rule);
            ObjectNode request = moment("爱吃辣");
            request.withArray("trace").addObject().put("source", "text").put("text", text);
            assertThat(refusal(400, request)).isEqualTo("trace[0]: trace[0]" + rule);
            assertThat(refusal(400, moment("爱吃辣", "打开地图").put("world", text))).isEqualTo("world: world" + rule);
            HttpResponse<String> frame = served.post(
                    openSession() + "/frames",
                    CascadeWorld.JSON.createObjectNode().put("text", text).toString());
            assertThat(frame.statusCode()).isEqualTo(400);
            assertThat(frame.body()).contains("\"param\":\"text\"", rule);
            served.close();
            start();
        }
        assertThat(policy.moments).as("nobody was asked").isEmpty();
        served.ask(PATH, moment("爱吃辣", "Data: 3 GB left"));
    }

    @ParameterizedTest
    @CsvSource({"user, \"anna\"", "threshold, 0.1", "passive, true", "stream, true"})
    void aFieldOfTheRequestIsNotReadWithinTheRecord(String name, String value) {
        ObjectNode nested = moment("爱吃辣", "打开地图");
        nested.set(name, json(value));
        ObjectNode record = CascadeWorld.JSON.createObjectNode().set("reference_information", nested);
        assertThat(refusal(400, record))
                .isEqualTo("reference_information." + name + ": reference_information." + name
                        + " is not supported there: \"" + name
                        + "\" belongs at the body's root, next to reference_information");
        assertThat(policy.moments).isEmpty();
    }

    /** Its header is sound: only decoding tells. */
    @Test
    void anImageThatCannotBeDecodedNamesItsField() throws IOException {
        byte[] whole = Files.readAllBytes(folder.resolve("a.png"));
        String cut =
                "data:image/png;base64," + Base64.getEncoder().encodeToString(Arrays.copyOf(whole, whole.length / 2));
        assertThat(refusal(400, withImage(cut)))
                .startsWith("trace[1].picture: trace[1].picture: image of ")
                .doesNotContain("sample");
        ObjectNode record = CascadeWorld.JSON.createObjectNode();
        record.set("reference_information", withImage(cut));
        assertThat(refusal(400, record)).startsWith("reference_information.trace[1].picture: ");
        String session = openSession();
        frame(session, "text", "打开地图");
        HttpResponse<String> answer = served.post(
                session + "/frames",
                CascadeWorld.JSON.createObjectNode().put("image", cut).toString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"param\":\"image\"", "image: image of ");
        assertThat(frame(session, "text", "搜索餐厅").path("steps").intValue()).isEqualTo(2);
    }

    @Test
    void aLimitThatIsPassedNamesItsField() throws IOException {
        assertThat(refusal(413, moment("u", "1", "2", "3", "4", "5", "6", "7", "8", "9")))
                .startsWith("trace: ");
        String session = openSession();
        HttpResponse<String> answer = served.post(
                session + "/frames",
                CascadeWorld.JSON
                        .createObjectNode()
                        .put("text", "长".repeat(2000))
                        .toString());
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(answer.body()).contains("\"param\":\"text\"", "characters together, at most 2000");
        for (int i = 0; i < 5; i++) {
            frame(session, "image", url(i % 2 == 0 ? "a.png" : "b.png"));
        }
        assertThat(policy.moments.get(4).sample().trajectory().screenshots())
                .as("as many images as a moment may have")
                .hasSize(3);
        frame(session, "text", "长".repeat(1000));
        frame(session, "text", "短".repeat(990));
        assertThat(policy.moments.get(6).sample().trajectory().texts())
                .as("as many characters as a moment may have")
                .containsExactly("短".repeat(990));
    }

    @Test
    void aUserOfAWrongNameOpensNoSession() {
        HttpResponse<String> answer =
                served.post("/v1/sessions", moment("爱吃辣").put("user", "nobody").toString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"param\":\"user\"", "user is not a valid user name");
        assertThat(served.get("/metrics")).contains("prpf_sessions 0.0");
    }

    @Test
    void imagesAreBoundedBeforeTheyAreDecoded() throws IOException {
        BufferedImage large = new BufferedImage(700, 700, BufferedImage.TYPE_BYTE_BINARY);
        ImageIO.write(large, "png", folder.resolve("large.png").toFile());
        assertThat(refusal(413, withImage(url("large.png"))))
                .contains("trace[1].picture has 700 x 700 pixels, at most 400000 are read");
        ObjectNode many = withImage(url("a.png"));
        for (int i = 0; i < 3; i++) {
            many.withArray("trace").addObject().put("source", "picture").put("picture", url("a.png"));
        }
        assertThat(refusal(413, many)).contains("trace has 4 images, at most 3 are read");
    }

    @Test
    void aMomentThatIsNoneNamesItsField() {
        assertThat(refusal(400, moment("爱吃辣"))).contains("trace: the field \"trace\" is missing");
        ObjectNode body = moment("爱吃辣", "打开地图");
        body.withArray("trace").add(3);
        assertThat(refusal(400, body)).startsWith("trace[1]: trace[1]: is not a step");
        body = moment("爱吃辣", "打开地图");
        body.withArray("trace").addObject().put("source", "video");
        assertThat(refusal(400, body)).startsWith("trace[1].source: trace[1].source: must be \"text\"");
        assertThat(refusal(400, moment("爱吃辣", "打开地图").put("profile", 7))).startsWith("profile: profile: is an integer");
        assertThat(refusal(400, moment("爱吃辣", "打开地图").put("threshold", 2)))
                .isEqualTo("threshold: threshold is 2, must be a number from 0.0 to 1.0");
        assertThat(refusal(400, moment("爱吃辣", "打开地图").put("user", " ")))
                .contains("user is \" \", must be a name of 1 to 128 characters");
        assertThat(refusal(413, moment("爱吃辣", "1", "2", "3", "4", "5", "6", "7", "8", "9")))
                .contains("trace has 9 steps, at most 8 are read");
        assertThat(refusal(413, moment("长".repeat(2000), "打开地图"))).contains("characters together, at most 2000");
        assertThat(refusal(400, CascadeWorld.JSON.createObjectNode().put("reference_information", "x")))
                .contains("reference_information is \"x\", must be an object");
    }

    @Test
    void thePerceiverSeesWhatThePolicyAdmitsAndNothingElse() {
        policy.readable = sample -> sample.with(
                new DeviceContext("", sample.context().phone(), sample.context().world()),
                new Trajectory(List.of()),
                null);
        policy.withheld = List.of("profile", "trace");
        policy.shift = 0.3;
        policy.silence = "quiet-hours";
        JsonNode answer = served.ask(PATH, moment("secret", "打开地图").put("threshold", 0.1));
        DeviceContext blank = new DeviceContext("", CONTEXT.phone(), CONTEXT.world());
        assertSame(answer, perceived(blank, List.of(new TraceStep.Caption(""))));
        assertThat(answer.path("withheld")).hasToString("[\"profile\",\"trace\"]");
        assertThat(answer.path("threshold").doubleValue()).isCloseTo(0.4, within(1e-12));
        assertThat(answer.path("trigger").booleanValue()).isFalse();
        assertThat(answer.path("silence").textValue()).isEqualTo("quiet-hours");
        assertThat(policy.outcome().silence()).isEqualTo("quiet-hours");
    }

    @Test
    void withoutAReasonerOrAPerceiverThatIsSaid() {
        HttpResponse<String> answer =
                served.post("/v1/recommend", moment("爱吃辣", "打开地图").toString());
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("no reasoner was loaded: start the server with --reasoner DIR");
        PerceiverService.Parts parts = CascadeWorld.perceiver(null);
        try (PerceiverService blind = CascadeWorld.service(new PerceiverService.Parts(null, null, parts.encoders()));
                Served without = CascadeWorld.serve(blind, null, policy, ApiKeys.NONE)) {
            for (String path : List.of(PATH, "/v1/sessions")) {
                answer = without.post(path, moment("爱吃辣", "打开地图").toString());
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.body()).contains("no perceiver was loaded: start the server with --gate RUN");
            }
        }
    }

    @Test
    void whatFindsNoRoomIsToldToComeAgain() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        waiting.add(CompletableFuture.supplyAsync(() -> run(() -> wait(busy, goOn)), EACH_ON_ITS_OWN));
        busy.await();
        int room = CascadeWorld.SETTINGS.queue();
        for (int i = 0; i < room; i++) {
            waiting.add(CompletableFuture.supplyAsync(() -> run(() -> true), EACH_ON_ITS_OWN));
        }
        while (perceiver.waiting() < room) {
            Thread.sleep(5);
        }
        HttpResponse<String> answer = served.post(PATH, moment("爱吃辣", "打开地图").toString());
        goOn.countDown();
        for (CompletableFuture<Boolean> one : waiting) {
            one.get();
        }
        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(policy.outcome().silence()).as("it is recorded all the same").isEqualTo("failed");
    }

    private static boolean run(Supplier<Boolean> work) {
        return perceiver.run(new Client("local", () -> {}), work);
    }

    private static boolean wait(CountDownLatch busy, CountDownLatch goOn) {
        busy.countDown();
        try {
            goOn.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return true;
    }

    private String openSession() {
        ObjectNode body = moment("爱吃辣").put("user", "anna");
        JsonNode opened = served.ask("/v1/sessions", body);
        assertThat(opened.path("expires_in").intValue()).isEqualTo(600);
        return "/v1/sessions/" + opened.path("id").textValue();
    }

    private JsonNode frame(String session, String field, String value) {
        return served.ask(
                session + "/frames", CascadeWorld.JSON.createObjectNode().put(field, value));
    }

    @Test
    void everyFrameOfASessionIsAnsweredAsTheWholeMomentWouldBe() throws IOException {
        String session = openSession();
        List<TraceStep> steps = new ArrayList<>();
        for (String step : List.of("打开地图", "搜索餐厅", "打开地图")) {
            steps.add(new TraceStep.Caption(step));
            JsonNode answer = frame(session, "text", step);
            assertSame(answer, perceived(steps));
            assertThat(answer.path("steps").intValue()).isEqualTo(steps.size());
            assertThat(answer.has("trigger") && answer.has("silence") && answer.has("threshold"))
                    .isTrue();
        }
        steps.add(new TraceStep.Screenshot("b.png"));
        assertSame(frame(session, "image", url("b.png")), perceived(steps));
        DeviceContext later = new DeviceContext("爱吃辣", "电量 5%", CONTEXT.world());
        ObjectNode update =
                CascadeWorld.JSON.createObjectNode().put("text", "锁屏").put("phone", "电量 5%");
        steps.add(new TraceStep.Caption("锁屏"));
        assertSame(served.ask(session + "/frames", update), perceived(later, steps));
        assertThat(policy.moments).hasSize(5).allMatch(moment -> moment.user().equals("anna"));
        assertThat(policy.outcomes).hasSize(5);
        steps.remove(0);
        steps.add(new TraceStep.Caption("解锁"));
        assertThat(frame(session, "text", "解锁").path("steps").intValue()).isEqualTo(6);
        assertThat(policy.moments.get(5).sample().trajectory().steps())
                .as("five frames are remembered")
                .hasSize(5);
    }

    @Test
    void whatMayNoLongerBeReadIsTakenBackFromTheStream() {
        String session = openSession();
        List<TraceStep> steps = new ArrayList<>();
        for (String step : List.of("打开银行", "查看余额")) {
            steps.add(new TraceStep.Caption(step));
            frame(session, "text", step);
        }
        policy.readable = sample -> sample.with(
                new DeviceContext("", sample.context().phone(), sample.context().world()),
                new Trajectory(sample.trajectory().steps().stream()
                        .filter(step -> !((TraceStep.Caption) step).text().contains("银行"))
                        .toList()),
                null);
        steps.remove(0);
        steps.add(new TraceStep.Caption("打开地图"));
        DeviceContext blank = new DeviceContext("", CONTEXT.phone(), CONTEXT.world());
        assertSame(frame(session, "text", "打开地图"), perceived(blank, steps));
        assertSame(frame(session, "text", "打开银行"), perceived(blank, steps));
        policy.readable = sample -> sample.with(sample.context(), new Trajectory(List.of()), null);
        assertSame(frame(session, "text", "锁屏"), perceived(List.of(new TraceStep.Caption(""))));
    }

    @Test
    void aFrameThatCannotBeReadIsNone() {
        String session = openSession();
        frame(session, "text", "打开地图");
        HttpResponse<String> answer = served.post(session + "/frames", "{\"image\": \"a.png\", \"phone\": \"other\"}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("image must be the image itself as a data URL");
        assertThat(served.post(session + "/frames", "{}").body()).contains("one of the two");
        assertThat(served.post(session + "/frames", "{\"text\": \"a\", \"image\": \"b\"}")
                        .statusCode())
                .isEqualTo(400);
        JsonNode second = frame(session, "text", "搜索餐厅");
        assertThat(second.path("steps").intValue()).isEqualTo(2);
        assertSame(second, perceived(List.of(new TraceStep.Caption("打开地图"), new TraceStep.Caption("搜索餐厅"))));
    }

    @Test
    void aSessionIsItsKeysAloneAndEndsWhenItIsDeleted() throws IOException {
        String session = openSession();
        assertThat(served.delete(session).body()).contains("\"deleted\":true");
        assertThat(served.post(session + "/frames", "{\"text\": \"a\"}").body()).contains("unknown_session");
        assertThat(served.delete(session).statusCode()).isEqualTo(404);
        Path keys = folder.resolve("keys");
        Files.writeString(keys, "phone key-of-the-phone-00\ntablet key-of-the-tablet-00\n");
        try (Served guarded = CascadeWorld.serve(perceiver, null, policy, ApiKeys.read(keys))) {
            String[] phone = {"Authorization", "Bearer key-of-the-phone-00"};
            String[] tablet = {"Authorization", "Bearer key-of-the-tablet-00"};
            String own = "/v1/sessions/"
                    + guarded.ask("/v1/sessions", moment("u"), phone).path("id").textValue() + "/frames";
            assertThat(guarded.post(own, "{\"text\": \"a\"}", tablet).statusCode())
                    .isEqualTo(404);
            assertThat(guarded.post(own, "{\"text\": \"a\"}", phone).statusCode())
                    .isEqualTo(200);
            assertThat(policy.moments.get(policy.moments.size() - 1).user())
                    .as("who asks, where nobody is named")
                    .isEqualTo("phone");
        }
    }
}
