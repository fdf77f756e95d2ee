package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.ServedParts;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.ModelVisionEncoder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Training and running of a model that sees, through the commands, from screenshots on. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("slow")
class SeeingCommandsTest {
    private static final List<String> PIXELS = List.of(
            "--set", "prompt.screenshots=pixels", "--set", "prompt.max-visual-tokens=12", "--set", "prompt.pool=names");

    @TempDir
    private static Path folder;

    private static SeeingWorld world;

    @BeforeAll
    static void make() {
        world = SeeingWorld.in(folder);
    }

    private static List<String> sft(String run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "sft",
                "--config",
                SmallWorld.CONFIGS.resolve("reasoner-sft.yaml").toString(),
                "--reasoner",
                world.model().toString(),
                "--run-dir",
                folder.resolve(run).toString(),
                "--pool",
                world.pool().toString(),
                "--json"));
        arguments.addAll(PIXELS);
        for (String set : List.of(
                "encoder.store=" + folder.resolve("store"),
                "examples.max-length=4096",
                "training.precision=fp32",
                "training.batch-size=4",
                "training.dev-share=0",
                "training.selection=last",
                "training.samples=0",
                "training.epochs=1")) {
            arguments.addAll(List.of("--set", set));
        }
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static String[] fromData(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "--data", world.data().toString(), "--images", world.images().toString()));
        all.addAll(List.of(more));
        return all.toArray(new String[0]);
    }

    @Test
    @Order(1)
    void aModelThatSeesIsTrainedOnItsScreenshots() throws IOException {
        JsonNode plan = SeeingWorld.json(sft("dry", fromData("--dry-run")));
        assertThat(plan.at("/images/images").asInt()).isPositive();
        assertThat(plan.at("/images/visual_tokens").asInt())
                .isBetween(1, 12 * plan.at("/images/images").asInt());
        assertThat(plan.at("/images/reduced_images").asInt())
                .as("synthetic screens are larger")
                .isEqualTo(plan.at("/images/images").asInt());

        JsonNode trained = SeeingWorld.json(sft("run", fromData("--set", "training.train-vision=merger")));
        Path model = Path.of(trained.path("model").asText());
        assertThat(PromptProvenance.read(model).prompt().screenshots()).isEqualTo(ScreenshotForm.PIXELS);
        assertThat(HuggingFaceDirectory.open(model).visionSha256())
                .isNotEqualTo(HuggingFaceDirectory.open(world.model()).visionSha256());
        assertThat(model.resolve("preprocessor_config.json")).exists();

        JsonNode frozen = SeeingWorld.json(sft("frozen", fromData()));
        assertThat(HuggingFaceDirectory.open(Path.of(frozen.path("model").asText()))
                        .visionSha256())
                .isEqualTo(HuggingFaceDirectory.open(world.model()).visionSha256());
    }

    @Test
    @Order(2)
    void itSeesWhatItReasonsAbout() {
        Sample seen;
        try (SampleReader samples = SampleReader.open(world.data())) {
            seen = samples.next();
        }
        Sample sample = new Sample(
                seen.id(),
                1,
                null,
                null,
                new DeviceContext("u", "p", "w"),
                new Trajectory(List.<TraceStep>copyOf(seen.trajectory().screenshots())),
                null);
        ScreenTexts screens = new ScreenTexts() {
            @Override
            public String text(TraceStep.Screenshot screenshot) {
                throw new IllegalStateException("pixels need no text");
            }

            @Override
            public ImageFolder images() {
                return new ImageFolder(world.images());
            }
        };
        try (LocalReasoner reasoner = LocalReasoner.open(
                folder.resolve("run/model"),
                Prompts.CATALOG,
                screens,
                new LocalReasoner.Settings(4, 2, Precision.FP32, false, null))) {
            Reasoner.Request request = new Reasoner.Request(sample, null, CandidatePool.whole(Prompts.POOL));
            Sample tooLong = new Sample(
                    "long", 1, null, null, new DeviceContext("长".repeat(5000), "p", "w"), sample.trajectory(), null);
            Reasoner.Request refused = new Reasoner.Request(tooLong, null, request.candidates());
            PredictionCost nothing = Objects.requireNonNull(
                    reasoner.reason(List.of(refused), () -> {}).get(0).cost());
            assertThat(nothing.visualTokens()).isPositive();
            assertThat(nothing.flops().frameEncoder())
                    .as("it is refused before the tower runs")
                    .isZero();
            List<PredictionCost> costs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                costs.add(Objects.requireNonNull(
                        reasoner.reason(List.of(request), () -> {}).get(0).cost()));
            }
            int images = sample.trajectory().screenshots().size();
            assertThat(costs.get(0).visualTokens()).isBetween(images, 12 * images);
            assertThat(costs.get(0).promptTokens()).isGreaterThan(costs.get(0).visualTokens());
            assertThat(costs.get(0).flops().frameEncoder()).as("the tower").isPositive();
            assertThat(costs.get(1).flops().frameEncoder())
                    .as("what was seen before costs nothing")
                    .isZero();
            assertThat(costs.get(1).visualTokens()).isEqualTo(costs.get(0).visualTokens());
        }
    }

    @Test
    @Order(3)
    void aSetNamesItsImagesAndIsTrainedOn() throws IOException {
        Path set = folder.resolve("set/sft.jsonl");
        List<String> make = new ArrayList<>(List.of(
                "--config",
                SmallWorld.CONFIGS.resolve("data-sft-set.yaml").toString(),
                "--data",
                world.data().toString(),
                "--images",
                world.images().toString(),
                "--pool",
                world.pool().toString(),
                "--out",
                set.toString(),
                "--set",
                "set.target=first",
                "--set",
                "encoder.store=" + folder.resolve("store")));
        make.addAll(PIXELS);
        for (String key : List.of("layout=paper", "wording=brief", "scenes=false", "reasoning=none")) {
            make.addAll(List.of("--set", "prompt." + key));
        }
        Files.createDirectories(folder.resolve("set"));
        picocli.CommandLine command =
                new picocli.CommandLine(new SftSetCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        assertThat(command.execute(make.toArray(new String[0]))).isZero();
        List<SftRecord> records = SftRecords.read(set).records();
        assertThat(records).allSatisfy(record -> assertThat(record.images()).isNotEmpty());

        String[] examples = {
            "--examples", set.toString(), "--images", world.images().toString()
        };
        assertThat(SeeingWorld.json(sft("of-set", examples)).path("examples").asInt())
                .isEqualTo(records.size());
        String blind = SmallWorld.run(2, sft("nowhere", "--examples", set.toString(), "--set", "encoder.images=null"));
        assertThat(blind).contains("give --images DIR");
    }

    @Test
    @Order(4)
    void itIsRewardedForWhatItSaysOfImages() throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "grpo",
                "--config",
                SmallWorld.CONFIGS.resolve("reasoner-grpo.yaml").toString(),
                "--reasoner",
                folder.resolve("run/model").toString(),
                "--run-dir",
                folder.resolve("grpo").toString(),
                "--pool",
                world.pool().toString(),
                "--json"));
        arguments.addAll(List.of(fromData()));
        for (String set : List.of(
                "encoder.store=" + folder.resolve("store"),
                "prompts.max-length=4096",
                "rollouts.max-new-tokens=8",
                "rollouts.group-size=2",
                "training.precision=fp32",
                "training.train-vision=merger",
                "training.max-steps=2",
                "training.prompts-per-step=2",
                "training.dev-share=0.25")) {
            arguments.addAll(List.of("--set", set));
        }
        JsonNode trained = SeeingWorld.json(arguments);
        assertThat(trained.path("steps").asInt()).isEqualTo(2);
        assertThat(trained.path("dev_prompts").asInt()).isPositive();
    }

    @Test
    @Order(5)
    void aModelIsReadForTextsWithoutItsImageProcessor() throws IOException {
        Path model = Files.createDirectory(folder.resolve("texts-alone"));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(world.model())) {
            for (Path file : files) {
                Files.copy(file, model.resolve(file.getFileName()));
            }
        }
        try (ModelVisionEncoder whole = HuggingFaceDirectory.open(model).visionEncoderIfWhole(Precision.FP32)) {
            assertThat(whole).isNotNull();
        }
        Files.delete(model.resolve("preprocessor_config.json"));
        HuggingFaceDirectory lacking = HuggingFaceDirectory.open(model);
        assertThat(lacking.visionEncoderIfWhole(Precision.FP32)).isNull();
        assertThatThrownBy(() -> lacking.visionEncoder(Precision.FP32, null))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("preprocessor_config.json");
    }

    /** The model is served for texts only, and a placeholder is not text. */
    @Test
    @Order(6)
    void aModelThatIsServedWithoutItsTowerTakesNoPlaceholder() throws IOException, InterruptedException {
        Path model = folder.resolve("texts-alone");
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(model);
        int pad = directory.requiredVision("test").tokens().image();
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            PromptProvenance.of(Prompts.brief(), ChatTemplates.CHATML, tokenizer.sha256())
                    .write(model);
        }
        ServedParts.Places places = new ServedParts.Places(
                null,
                model,
                null,
                null,
                Prompts.POOL,
                Prompts.CATALOG,
                null,
                Precision.FP32,
                null,
                List.of(),
                List.of());
        ServeConfig config = StrictYaml.readText(
                "test", StrictYaml.write(ServeConfig.DEFAULT), ServeConfig.class, List.of("cascade.shortlist=2"));
        try (ServedParts parts = ServedParts.open(places, config, ApiKeys.NONE);
                ApiServer server = ApiServer.start(
                        new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                        config.http(),
                        parts.metrics(),
                        parts.routes(),
                        parts::works)) {
            HttpResponse<String> refused = complete(server, "[[1], [1, " + pad + "]]");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            JsonNode error = new ObjectMapper().readTree(refused.body()).path("error");
            assertThat(error.path("param").asText()).isEqualTo("prompt[1]");
            assertThat(error.path("message").asText())
                    .isEqualTo("prompt[1] holds token " + pad + ", which is a placeholder of an image; the model"
                            + " texts-alone takes no images, it is served without a vision encoder; give text, or use a"
                            + " vision-language model");
            assertThat(complete(server, "[1]").statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> complete(ApiServer server, String prompt)
            throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.address() + "/v1/completions"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        "{\"prompt\": " + prompt + ", \"max_tokens\": 1}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    @Order(7)
    void aTowerIsNotTrainedOnTexts() {
        String said = SmallWorld.run(
                78,
                sft(
                        "texts",
                        fromData(
                                "--set",
                                "prompt.screenshots=ocr",
                                "--set",
                                "prompt.max-visual-tokens=null",
                                "--set",
                                "training.train-vision=all")));
        assertThat(said).contains("training.train-vision = all", "prompt.screenshots = ocr");
        assertThat(folder.resolve("texts")).doesNotExist();
    }
}
