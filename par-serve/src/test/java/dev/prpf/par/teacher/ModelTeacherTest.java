package dev.prpf.par.teacher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.DrawnImages;
import dev.prpf.par.openai.RecordedServer;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ModelTeacherTest {
    private static final Recommendation ANSWER =
            new Recommendation("点一份水煮鱼", List.of(new FunctionCall("order_food", Map.of("dish", new TextNode("水煮鱼")))));
    private static final String WRITTEN =
            "<thinking>用户想吃饭<function_selection>选 order_food，dish 为水煮鱼</function_selection></thinking>"
                    + "<recommendations>[{\"instruction\":\"点一份水煮鱼\",\"function\":[{\"name\":\"order_food\","
                    + "\"parameters\":{\"dish\":\"水煮鱼\"}}]}]</recommendations>";

    @TempDir
    private Path directory;

    private RecordedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new RecordedServer().talking(text -> text.contains("请用一段中文概括") ? "外卖首页" : WRITTEN);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private AnswerJournal journal() {
        return new AnswerJournal(directory.resolve("answers.jsonl"));
    }

    private static ModelTeacher.Config.TeacherSettings settings(double temperature) {
        return new ModelTeacher.Config.TeacherSettings(
                "qwen",
                new SamplingSettings(temperature, 1, 64, 5L, JsonNodeFactory.instance.objectNode()),
                ScreenshotForm.OCR,
                null);
    }

    private ModelTeacher open(int retries) {
        return open(settings(0), retries);
    }

    private ModelTeacher open(ModelTeacher.Config.TeacherSettings settings, int retries) {
        ServerSettings reached = new ServerSettings(List.of(server.baseUrl()), null, 1, 5, 1, retries, 1, null);
        return new ModelTeacher(
                settings,
                new ChatClient(reached, "qwen", Map.of(), () -> false),
                journal(),
                Prompts.CATALOG,
                new ModelTeacher.Screens(Prompts.FAKE_SCREENS, new ImageFolder(directory)));
    }

    private List<RationaleResult> teach(RationaleRequest... requests) {
        try (ModelTeacher teacher = open(0)) {
            return teacher.write(List.of(requests));
        }
    }

    private static RationaleRequest request(String id, String profile, Trajectory trajectory) {
        Sample sample = new Sample(id, 1, null, null, new DeviceContext(profile, "电量", "晴"), trajectory, null);
        return new RationaleRequest(sample, ANSWER, CandidatePool.whole(Prompts.POOL));
    }

    private static RationaleRequest text(String id) {
        return request(id, "爱吃辣", Prompts.TEXT.trajectory());
    }

    private static RationaleRequest screens(String id) {
        return request(id, "爱吃辣", Prompts.SCREENS.trajectory());
    }

    private String asked(int request) {
        return server.bodies().get(request).at("/messages/1/content").textValue();
    }

    private static ParResponse.Parsed response(RationaleResult result) {
        return ((RationaleResult.Written) result).response();
    }

    private static RationaleResult.Fault fault(RationaleResult result) {
        return ((RationaleResult.Dropped) result).fault();
    }

    @Test
    void textRequestHasContextCandidatesAndAnswer() {
        List<RationaleResult> result = teach(text("a"));
        assertThat(server.bodies()).hasSize(1);
        assertThat(asked(0))
                .contains("爱吃辣", "搜索“火车站”", "create_note", "\"dish\":\"水煮鱼\"", "此刻正确的输出已经确定", "<function_selection>")
                .doesNotContain("画面概括");
        assertThat(server.bodies().get(0).at("/messages/0/content").textValue())
                .isEqualTo("You are a helpful assistant.");
        assertThat(result).hasSize(1);
        assertThat(((RationaleResult.Written) result.get(0)).repaired()).isFalse();
        assertThat(response(result.get(0)).uiSummary()).isNull();
        assertThat(response(result.get(0)).recommendations()).containsExactly(ANSWER);
    }

    @Test
    void screensAreSummarisedBeforeTheReasoning() {
        List<RationaleResult> result = teach(text("a"), screens("b"));
        assertThat(server.bodies()).hasSize(3);
        assertThat(asked(0))
                .contains("请用一段中文概括", "第 1 个画面：文字@a.png", "第 2 步说明：返回桌面")
                .doesNotContain("水煮鱼");
        assertThat(asked(1)).doesNotContain("画面概括");
        assertThat(asked(2)).contains("画面概括（ui_summary 已经写好，不必再写）：外卖首页");
        ParResponse.Parsed seen = response(result.get(1));
        assertThat(seen.uiSummary()).isEqualTo("外卖首页");
        assertThat(ResponseParser.parse(ResponseWriter.write(seen), ResponseForm.SCREENS))
                .isInstanceOf(ParResponse.Parsed.class);
    }

    @Test
    void controlTokensOfASampleStayText() {
        teach(request("a", "<|im_end|>坏", Prompts.TEXT.trajectory()));
        assertThat(asked(0)).contains("< |im_end|>坏").doesNotContain("<|");
    }

    @Test
    void invalidRationalesAreDropped() {
        server.record(
                RecordedServer.said("抱歉", "stop"),
                RecordedServer.said(WRITTEN.replace("order_food", "create_note"), "stop"),
                RecordedServer.json(400, "{\"error\":{\"message\":\"maximum model length exceeded\"}}"));
        List<RationaleResult> result = teach(text("a"), text("b"), text("c"), text("d"));
        assertThat(fault(result.get(0))).isEqualTo(RationaleResult.Fault.UNREADABLE);
        assertThat(fault(result.get(1))).isEqualTo(RationaleResult.Fault.OTHER_FUNCTIONS);
        assertThat(fault(result.get(2))).isEqualTo(RationaleResult.Fault.TOO_LONG);
        assertThat(result.get(3)).isInstanceOf(RationaleResult.Written.class);
    }

    @Test
    void withoutASummaryNoReasoningIsRequested() {
        server.record(
                RecordedServer.said(" ", "stop"),
                RecordedServer.said("首页，然后", "length"),
                RecordedServer.json(400, "{\"error\":{\"message\":\"maximum model length exceeded\"}}"));
        List<RationaleResult> result = teach(screens("a"), screens("b"), screens("c"), screens("d"));
        assertThat(((RationaleResult.Dropped) result.get(0)).why()).isEqualTo("its summary is empty");
        assertThat(((RationaleResult.Dropped) result.get(1)).why()).isEqualTo("max-tokens = 64 cut its summary off");
        assertThat(fault(result.get(2))).isEqualTo(RationaleResult.Fault.TOO_LONG);
        assertThat(result.get(3)).isInstanceOf(RationaleResult.Written.class);
        assertThat(server.bodies()).as("four summaries, one reasoning").hasSize(5);
    }

    @Test
    void temporaryFailuresAreRetried() {
        server.record(
                RecordedServer.json(503, "{\"error\":{\"message\":\"busy\"}}"),
                RecordedServer.json(200, "<html>junk</html>"),
                RecordedServer.cutBody());
        try (ModelTeacher teacher = open(3)) {
            assertThat(teacher.write(List.of(text("a"))).get(0)).isInstanceOf(RationaleResult.Written.class);
        }
        assertThat(server.bodies()).hasSize(4);
    }

    @Test
    void aServerThatTimesOutEndsItAndNothingAnsweredIsAskedAgain() throws IOException {
        RationaleRequest[] requests =
                IntStream.range(0, 5).mapToObj(i -> text("s" + i)).toArray(RationaleRequest[]::new);
        server.record(
                RecordedServer.said(WRITTEN, "stop"),
                RecordedServer.said(WRITTEN, "stop"),
                RecordedServer.silent(3000));
        assertThatThrownBy(() -> teach(requests))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("sample s2");
        server.close();
        start();
        assertThat(teach(requests)).hasSize(5).allSatisfy(result -> assertThat(result)
                .isInstanceOf(RationaleResult.Written.class));
        assertThat(server.bodies()).hasSize(3);
        assertThat(teach(requests)).hasSize(5);
        assertThat(server.bodies()).as("all is known now").hasSize(3);
    }

    @Test
    void manyRequestsKeepTheirOrder() {
        RationaleRequest[] requests = IntStream.range(0, 260)
                .mapToObj(i -> i % 20 == 0 ? screens("s" + i) : text("s" + i))
                .toArray(RationaleRequest[]::new);
        List<RationaleResult> result = teach(requests);
        for (int i = 0; i < requests.length; i++) {
            assertThat(response(result.get(i)).uiSummary() != null).isEqualTo(i % 20 == 0);
        }
        assertThat(teach()).isEmpty();
    }

    @Test
    void idDependsOnEverythingThatDecidesTheTexts() {
        try (ModelTeacher teacher = open(0);
                ModelTeacher other = open(settings(0.5), 0);
                ModelTeacher seeing = open(seeing(ScreenshotForm.PIXELS), 0)) {
            assertThat(seeing.id()).isNotEqualTo(teacher.id());
            assertThat(teacher.id()).startsWith("model:qwen:").isNotEqualTo(other.id());
        }
        assertThatThrownBy(() ->
                        new ModelTeacher.Config.TeacherSettings(" ", settings(0).sampling(), ScreenshotForm.OCR, null))
                .hasMessageContaining("model is blank");
        assertThatThrownBy(() ->
                        new ModelTeacher.Config.TeacherSettings("m", settings(0).sampling(), ScreenshotForm.OCR, 64))
                .hasMessageContaining("max-visual-tokens");
    }

    private static ModelTeacher.Config.TeacherSettings seeing(ScreenshotForm form) {
        return new ModelTeacher.Config.TeacherSettings("qwen", settings(0).sampling(), form, 64);
    }

    @ParameterizedTest
    @EnumSource(
            value = ScreenshotForm.class,
            names = {"PIXELS", "BOTH"})
    void visionTeacherGetsTheImagesOfScreens(ScreenshotForm form) throws IOException {
        Path file = DrawnImages.draw(directory.resolve("a.png"), 40, 64, 1);
        server.record(RecordedServer.said("外卖首页", "stop"), RecordedServer.said(WRITTEN, "stop"));
        try (ModelTeacher teacher = open(seeing(form), 0)) {
            assertThat(response(teacher.write(List.of(screens("a"))).get(0)).uiSummary())
                    .isEqualTo("外卖首页");
        }
        String read = form == ScreenshotForm.BOTH ? "文字@a.png" : "";
        assertThat(DrawnImages.parts(content(0))).hasSize(3);
        assertThat(DrawnImages.parts(content(0)).get(0)).contains("截图").endsWith("第 1 个画面：");
        assertThat(DrawnImages.parts(content(0)).get(1)).isEqualTo("<image>");
        assertThat(DrawnImages.parts(content(0)).get(2)).isEqualTo(read + "\n第 2 步说明：返回桌面");
        assertThat(DrawnImages.parts(content(1))).hasSize(3).element(1).isEqualTo("<image>");
        assertThat(server.bodies()).allSatisfy(body -> assertThat(DrawnImages.bytes(body.at("/messages/1/content")))
                .containsExactly(Files.readAllBytes(file)));
        assertThat(server.bodies().toString().contains("文字@a.png")).isEqualTo(form == ScreenshotForm.BOTH);
    }

    private JsonNode content(int request) {
        return server.bodies().get(request).at("/messages/1/content");
    }
}
