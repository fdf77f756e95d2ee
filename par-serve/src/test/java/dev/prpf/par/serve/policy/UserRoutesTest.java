package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.cascade.CascadeSettings;
import dev.prpf.par.serve.cascade.MomentReader;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import dev.prpf.par.serve.policy.UserPolicy.Signal;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.apache.commons.lang3.ArrayUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class UserRoutesTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PHONE = "a-key-of-the-phone-1";
    private static final String WATCH = "a-key-of-the-watch-1";
    private static final byte[] PNG = image("png");
    private static final FunctionPool POOL =
            new FunctionPool(List.of(new FunctionSpec("create_note", "", List.of(), List.of())));
    private static final String NOTE =
            "{\"instruction\": \"记下来\", \"functions\": [{\"name\": \"create_note\", \"parameters\": {\"content\": \"buy milk\"}}]}";
    private static final String MOMENT =
            "{\"profile\": \"爱吃辣。\", \"phone\": \"电量80%。\", \"world\": \"晴。\", \"trace\": [\"打开地图\"]}";

    private static final HttpSettings HTTP = new HttpSettings(32, 64, 16, 99, 2, 256, 60, 1000, 30, List.of());

    private static final MomentReader READER =
            new MomentReader(HTTP, new CascadeSettings(2, 200, true, 3, 1_000_000, 4, 30, 4, false));

    @TempDir
    private Path folder;

    private final Policies.HandClock clock = new Policies.HandClock(Policies.NOON);
    private final ServerMetrics metrics = new ServerMetrics();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private Runnable reading = () -> {};

    @SuppressWarnings("NullAway.Init")
    private UserPolicies policies;

    @SuppressWarnings("NullAway.Init")
    private ApiServer server;

    private Sample read(RequestFields moment, String id) {
        reading.run();
        return READER.sample(moment, id);
    }

    private void start(String... overrides) throws IOException {
        Path keys = folder.resolve("keys");
        Files.writeString(keys, "phone " + PHONE + "\nwatch " + WATCH + "\n");
        policies = Policies.open(folder, clock, overrides);
        opened.add(policies);
        server = ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.read(keys)),
                ServeConfig.DEFAULT.http(),
                metrics,
                List.of(new UserRoutes(policies, POOL, this::read, new RequestBody(HTTP), metrics)),
                () -> true);
        opened.add(0, server);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    private static byte[] image(String format) {
        return image(format, 7);
    }

    /** Returns a square image. */
    private static byte[] image(String format, int side) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertThat(ImageIO.write(new BufferedImage(side, side, BufferedImage.TYPE_INT_RGB), format, out))
                    .isTrue();
            return out.toByteArray();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String shot(byte[] content) {
        return "{\"source\": \"picture\", \"picture\": \"data:image/png;base64,"
                + Base64.getEncoder().encodeToString(content) + "\"}";
    }

    private static String momentOf(String... steps) {
        return MOMENT.replace("\"打开地图\"", String.join(", ", steps));
    }

    private HttpRequest.Builder to(String key, String path) {
        return HttpRequest.newBuilder(URI.create(server.address() + "/v1/users/" + path))
                .header("Authorization", "Bearer " + key);
    }

    private HttpResponse<String> get(String key, String path) throws Exception {
        return CLIENT.send(to(key, path).build(), BodyHandlers.ofString());
    }

    private JsonNode json(String key, String path) throws Exception {
        return JSON.readTree(get(key, path).body());
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        HttpRequest request = to(PHONE, path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }

    private HttpResponse<String> erase(String key, String user) throws Exception {
        return CLIENT.send(to(key, user + "/data").DELETE().build(), BodyHandlers.ofString());
    }

    private static String feedback(String moment, boolean accepted) {
        return "{\"moment\": " + moment + ", \"recommendation\": " + NOTE + ", \"accepted\": " + accepted + "}";
    }

    private void decide(String caller, String user) {
        Policies.intervene(policies, new Moment(caller, user, Policies.sample(), false));
    }

    @Test
    void theAuditIsReadNewestFirstInPages() throws Exception {
        start();
        for (int i = 0; i < 5; i++) {
            decide("phone", "ann");
            decide("watch", "eve");
            clock.advance(Duration.ofMinutes(1));
        }
        JsonNode first = json(PHONE, "ann/audit?limit=2");
        assertThat(first.path("entries").findValuesAsText("id"))
                .as("microseconds, whatever other keys decide")
                .containsExactly("1772453040000000", "1772452980000000");
        assertThat(first.path("user").asText()).isEqualTo("ann");
        assertThat(first.path("entries").findValuesAsText("time"))
                .containsExactly("2026-03-02T12:04:00Z", "2026-03-02T12:03:00Z");
        assertThat(first.at("/entries/0/decision/p_trigger").asDouble()).isEqualTo(0.75);
        assertThat(first.at("/entries/0/decision/used/profile").asText()).startsWith("hmac-sha256:");
        JsonNode second = json(PHONE, "ann/audit?limit=2&before=" + first.path("before"));
        JsonNode third = json(PHONE, "ann/audit?limit=2&before=" + second.path("before"));
        assertThat(second.path("entries").findValuesAsText("time"))
                .containsExactly("2026-03-02T12:02:00Z", "2026-03-02T12:01:00Z");
        assertThat(third.path("entries").findValuesAsText("time")).containsExactly("2026-03-02T12:00:00Z");
        assertThat(third.path("before").isNull()).isTrue();
        clock.advance(Duration.ofDays(30));
        assertThat(json(PHONE, "ann/audit").path("entries"))
                .as("it has run out")
                .isEmpty();
    }

    @Test
    void feedbackWhoseUserIsErasedMeanwhileIsNotStored() throws Exception {
        start();
        reading = () -> policies.erase(new Account("phone", "ann"));
        assertThat(post("ann/feedback", feedback(MOMENT, true)).body())
                .isEqualTo("{\"kept\":false,\"id\":null,\"why\":\"user-erased\",\"withheld\":[]}");
        assertThat(json(PHONE, "ann/data").path("feedback")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            ann/audit?limit=0        | limit must be an integer from 1 to 1000
            ann/audit?limit=1001     | limit must be an integer from 1 to 1000
            ann/audit?limit=ten      | limit must be an integer from 1 to 1000
            ann/audit?before=-3      | before must be an integer of at least 1
            an%20n/audit             | user is not a valid user name
            %E6%9D%8E/data           | user is not a valid user name
            ann/images/x.png       | this user has no image of that name
            """)
    void wrongQueriesAreRefused(String path, String message) throws Exception {
        start();
        HttpResponse<String> answer = get(PHONE, path);
        assertThat(answer.statusCode()).isIn(400, 404);
        assertThat(answer.body()).contains(message);
    }

    @Test
    void aKeySeesTheUsersOfItsOwnRequestsAlone() throws Exception {
        start("daily-limit=1");
        decide("phone", "ann");
        post("ann/feedback", feedback(MOMENT, true));
        assertThat(json(PHONE, "ann/audit").path("entries")).hasSize(1);
        assertThat(json(WATCH, "ann/audit").path("entries")).isEmpty();
        assertThat(get(WATCH, "ann/feedback").body()).isEmpty();
        assertThat(json(WATCH, "ann/data").path("interventions")).isEmpty();
        assertThat(erase(WATCH, "ann").body())
                .isEqualTo("{\"interventions\":0,\"feedback\":0,\"images\":0,\"audit\":0}");
        assertThat(json(PHONE, "ann/audit").path("entries")).hasSize(1);
        assertThat(policies.admit(new Moment("watch", "ann", Policies.sample(), false))
                        .silence())
                .as("nor does it count against it")
                .isNull();
        assertThat(get("a-key-of-nobody-at-all", "ann/audit").statusCode()).isEqualTo(401);
    }

    @Test
    void feedbackBecomesRecordsThatTrainingReads() throws Exception {
        start();
        String accepted = post("ann/feedback", feedback(MOMENT, true)).body();
        assertThat(accepted).contains("\"kept\":true,\"id\":\"feedback-", "\"why\":null,\"withheld\":[]");
        post("ann/feedback", feedback(MOMENT, false));
        HttpResponse<String> lines = get(PHONE, "ann/feedback");
        assertThat(lines.headers().firstValue("Content-Type")).hasValue("application/jsonl; charset=utf-8");
        Path file = folder.resolve("feedback.jsonl");
        Files.writeString(file, lines.body());
        List<Sample> samples = SampleReader.readAll(file);
        assertThat(samples).hasSize(2);
        assertThat(samples.get(0).answers()).containsExactly(Policies.NOTE);
        assertThat(samples.get(1).answers()).as("silence was right").isEmpty();
        assertThat(samples.get(1).context().profile()).isEqualTo("爱吃辣。");
        assertThat(samples.get(1).trajectory().texts()).containsExactly("打开地图");
        assertThat(accepted).contains(samples.get(0).id());
    }

    @Test
    void imagesOfFeedbackAreKeptUnderTheNamesOfTheirRecords() throws Exception {
        start();
        assertThat(post("ann/feedback", feedback(momentOf("\"打开地图\"", shot(PNG)), true))
                        .body())
                .contains("\"kept\":true");
        Path file = folder.resolve("feedback.jsonl");
        Files.writeString(file, get(PHONE, "ann/feedback").body());
        TraceStep.Screenshot kept =
                SampleReader.readAll(file).get(0).trajectory().screenshots().get(0);
        HttpResponse<byte[]> image =
                CLIENT.send(to(PHONE, "ann/images/" + kept.path()).build(), BodyHandlers.ofByteArray());
        assertThat(image.body()).isEqualTo(PNG);
        assertThat(image.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("image/png"));
        assertThat(get(WATCH, "ann/images/" + kept.path()).statusCode()).isEqualTo(404);
        assertThat(json(PHONE, "ann/data").at("/images/0/content").binaryValue())
                .isEqualTo(PNG);
        assertThat(erase(PHONE, "ann").body()).contains("\"feedback\":1,\"images\":1");
        assertThat(get(PHONE, "ann/images/" + kept.path()).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            {}                                                              | moment                   | moment is missing
            {"moment": 3, "recommendation": {}, "accepted": true}           | moment                   | must be an object
            {"moment": M, "recommendation": N}                              | accepted                 | accepted is missing
            {"moment": M, "recommendation": N, "accepted": "yes"}           | accepted                 | must be true or false
            {"moment": {"phone": "", "world": "", "trace": ["a"]}, "recommendation": N, "accepted": true} | moment.profile | is missing
            {"moment": {"profile": "", "phone": "", "world": "", "trace": [3]}, "recommendation": N, "accepted": true} | moment.trace[0] | is not a step
            {"moment": {"profile": "", "phone": "", "world": "", "trace": ["a", "data:image/png;base64,aGVsbG8="]}, "recommendation": N, "accepted": true} | moment.trace[1] | is a text that holds a data URL
            {"moment": M, "recommendation": {"functions": []}, "accepted": true} | recommendation.functions | silence is neither
            {"moment": M, "recommendation": {"instruction": "a"}, "accepted": true} | recommendation | must be
            {"moment": {"profile": "", "phone": "", "world": "", "trace": [{"source": "picture", "picture": "/etc/passwd"}]}, "recommendation": N, "accepted": true} | moment.trace[0].picture | must be the image itself as a data URL
            {"moment": {"profile": "", "phone": "", "world": "", "trace": [{"source": "picture", "picture": "data:image/png;base64,aGVsbG8="}]}, "recommendation": N, "accepted": true} | moment.trace[0].picture | is not an image that can be read (PNG, JPEG, GIF, BMP)
            """)
    void wrongFeedbackIsRefusedNamingItsField(String body, String field, String message) throws Exception {
        start();
        String sent = body.replace(": M", ": " + MOMENT).replace(": N", ": " + NOTE);
        HttpResponse<String> answer = post("ann/feedback", sent);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"param\":\"" + field + "\"", message);
        assertThat(json(PHONE, "ann/data").path("feedback")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "jpeg", "gif", "bmp"})
    void imagesThatTrainingReadsAreKept(String format) throws Exception {
        start();
        assertThat(post("ann/feedback", feedback(momentOf(shot(image(format))), true))
                        .body())
                .contains("\"kept\":true");
        String name = json(PHONE, "ann/data").at("/images/0/name").asText();
        assertThat(name).matches("[0-9a-f]{64}\\." + format);
        HttpResponse<byte[]> kept = CLIENT.send(to(PHONE, "ann/images/" + name).build(), BodyHandlers.ofByteArray());
        assertThat(kept.body()).isEqualTo(image(format));
    }

    /** Each begins as an image does, and no decoder could read it. */
    @ParameterizedTest
    @ValueSource(
            strings = {"89504e470d0a1a0a00112233", "ffd8ff00", "47494638", "424d0000", "5249464600000000574542505650"})
    void imagesThatNothingCanReadAreRefused(String bytes) throws Exception {
        start("keep-feedback=false");
        String broken = shot(HexFormat.of().parseHex(bytes));
        HttpResponse<String> answer = post("ann/feedback", feedback(momentOf("\"a\"", broken), true));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"param\":\"moment.trace[1].picture\"");
        assertThat(json(PHONE, "ann/data").path("feedback")).isEmpty();
    }

    @Test
    void aMomentBeyondItsBoundsIsRefused() throws Exception {
        start();
        byte[] large = image("bmp", 10);
        Map<String, String> refused = Map.of(
                momentOf("\"a\"", "\"b\"", "\"c\"", "\"d\""), "moment.trace has 4 steps, at most 3 are read",
                momentOf(shot(PNG), shot(PNG), shot(PNG)), "moment.trace has 3 images, at most 2 are read",
                momentOf(shot(large)), "moment.trace[0].picture has 10 x 10 pixels, at most 99 are read",
                momentOf("\"" + "x".repeat(1_000_000) + "\""), "characters together, at most 1000000 are read");
        for (Map.Entry<String, String> one : refused.entrySet()) {
            HttpResponse<String> answer = post("ann/feedback", feedback(one.getKey(), true));
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(answer.body()).contains(one.getValue());
        }
        assertThat(json(PHONE, "ann/data").path("feedback")).isEmpty();
    }

    @Test
    void aFunctionThatThePoolDoesNotHaveIsRefused() throws Exception {
        start();
        String unknown = "x".repeat(500);
        String two = NOTE.replace("}}]", "}}, {\"name\": \"" + unknown + "\", \"parameters\": {}}]");
        HttpResponse<String> answer =
                post("ann/feedback", feedback(MOMENT, true).replace(NOTE, two));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body())
                .contains(
                        "\"param\":\"recommendation.functions[1].name\"",
                        "x".repeat(57) + "...\\\", must be a function of the pool")
                .doesNotContain("x".repeat(58));
    }

    @Test
    void unknownFieldsAreIgnoredAndCounted() throws Exception {
        start();
        assertThat(post("ann/feedback", feedback(MOMENT, true).replace("{\"moment\"", "{\"mood\": 1, \"moment\""))
                        .statusCode())
                .isEqualTo(200);
        assertThat(metrics.scrape()).contains("prpf_ignored_fields_total{route=\"/v1/users/{user}/feedback\"} 1");
    }

    @Test
    void aRejectionOverHttpCoolsDown() throws Exception {
        start("cool-down-minutes=30", "keep-feedback=false");
        assertThat(post("ann/feedback", feedback(MOMENT, false)).body())
                .isEqualTo("{\"kept\":false,\"id\":null,\"why\":\"keep-feedback\",\"withheld\":[]}");
        assertThat(policies.admit(new Moment("phone", "ann", Policies.sample(), false))
                        .silence())
                .isEqualTo("cool-down");
        assertThat(get(PHONE, "ann/feedback").body()).as("it only counts").isEmpty();
        assertThat(Policies.bytes(folder)).doesNotContain("buy milk");
    }

    @ParameterizedTest
    @EnumSource(Signal.class)
    void aWithheldSignalIsNotKeptInFeedback(Signal signal) throws Exception {
        start("signals." + signal.label() + "=false");
        byte[] image = ArrayUtils.addAll(PNG, "screenshotsMarker".getBytes(StandardCharsets.US_ASCII));
        String moment =
                "{\"profile\": \"profileMarker\", \"phone\": \"phoneMarker\", \"world\": \"worldMarker\", \"trace\":"
                        + " [\"captionsMarker\", {\"source\": \"picture\", \"picture\": \"data:image/png;base64,"
                        + Base64.getEncoder().encodeToString(image) + "\"}]}";
        try (Policies.Log log = new Policies.Log()) {
            assertThat(post("ann/feedback", feedback(moment, true)).body())
                    .contains("\"kept\":true", "\"withheld\":[\"" + signal.label() + "\"]");
            String bytes = Policies.bytes(folder.resolve("state"));
            for (Signal other : Signal.values()) {
                assertThat(bytes.contains(other.label() + "Marker"))
                        .as(other.label())
                        .isEqualTo(other != signal);
            }
            assertThat(log.lines()).noneMatch(line -> line.contains("Marker"));
        }
    }

    @Test
    void feedbackToWhatNamesAnAppIsNotKept() throws Exception {
        start("opted-out-apps=[milk]");
        assertThat(post("ann/feedback", feedback(MOMENT, true)).body())
                .contains("\"kept\":false,\"id\":null,\"why\":\"opted-out-apps\"");
        assertThat(Policies.bytes(folder.resolve("state"))).doesNotContain("buy milk");
    }

    @Test
    void feedbackBeyondItsLimitCountsAlone() throws Exception {
        start("cool-down-minutes=30");
        String large = MOMENT.replace("爱吃辣。", "x".repeat(700_000));
        assertThat(post("ann/feedback", feedback(large, true)).body()).contains("\"kept\":true");
        assertThat(post("ann/feedback", feedback(large, false)).body())
                .contains("\"kept\":false,\"id\":null,\"why\":\"max-feedback-mb\"");
        assertThat(policies.admit(new Moment("phone", "ann", Policies.sample(), false))
                        .silence())
                .isEqualTo("cool-down");
    }

    @Test
    void theExportHoldsEverythingAndErasureLeavesNothing() throws Exception {
        start("audit.content=true");
        for (int i = 0; i < 450; i++) {
            decide("phone", "ann"); // more than two pages
        }
        post("ann/feedback", feedback(MOMENT, false));
        JsonNode data = json(PHONE, "ann/data");
        assertThat(data.fieldNames())
                .toIterable()
                .containsExactly("user", "time", "policy", "interventions", "feedback", "images", "audit");
        assertThat(data.path("time").asText()).isEqualTo("2026-03-02T12:00:00Z");
        assertThat(data.at("/policy/audit/keep-days").asInt()).isEqualTo(30);
        assertThat(data.path("interventions")).hasSize(450);
        assertThat(data.path("audit")).hasSize(450);
        assertThat(data.at("/audit/449/decision/content/moment/profile").asText())
                .isEqualTo("爱吃辣。");
        assertThat(data.at("/feedback/0/accepted").asBoolean(true)).isFalse();
        assertThat(data.at("/feedback/0/record/recommendations").isEmpty()).isTrue();
        assertThat(erase(PHONE, "ann").body())
                .isEqualTo("{\"interventions\":450,\"feedback\":1,\"images\":0,\"audit\":450}");
        assertThat(Policies.bytes(folder.resolve("state"))).doesNotContain(Policies.asBytes("爱吃辣"), "buy milk");
        JsonNode after = json(PHONE, "ann/data");
        for (String kept : List.of("interventions", "feedback", "images", "audit")) {
            assertThat(after.path(kept)).as(kept).isEmpty();
        }
    }

    @Test
    void aLockedOrBrokenDatabaseIsUnavailableAndNoBug() throws Exception {
        start();
        Path file = folder.resolve("state").resolve("policy.db");
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            HttpResponse<String> refused = post("ann/feedback", feedback(MOMENT, true));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("5");
            assertThat(refused.body())
                    .contains("the data kept of users cannot be read or changed now; try again")
                    .doesNotContain("policy.db");
            assertThat(erase(PHONE, "ann").statusCode()).isEqualTo(503);
            assertThat(get(PHONE, "ann/audit").statusCode())
                    .as("reading needs no lock")
                    .isEqualTo(200);
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        assertThat(post("ann/feedback", feedback(MOMENT, true)).statusCode()).isEqualTo(200);
        policies.close();
        for (String path : List.of("ann/audit", "ann/data", "ann/feedback")) {
            assertThat(get(PHONE, path).statusCode()).as(path).isEqualTo(503);
        }
    }
}
