package dev.prpf.par.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.command.AdoptCommand;
import dev.prpf.par.export.RewardedPrompts.RewardFiles;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportFolderTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final RewardFiles REWARD = new RewardFiles(ExportFixture.gold(), Prompts.POOL, RewardSettings.PAPER);

    @TempDir
    Path directory;

    private Path out = Path.of("out");
    private SftRecords source = new SftRecords(
            "sft.jsonl", ExportFixture.records(ExportFixture.FULL, ExportFixture.samples(), Target.FIRST));

    @BeforeEach
    void read() {
        out = directory.resolve("out");
        source = SftRecords.read(ExportFixture.set(directory));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(out)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private JsonNode json(String name) throws IOException {
        return JSON.readTree(out.resolve(name).toFile());
    }

    private List<SftRecord> prompts() {
        return new RewardedPrompts(source, ExportFixture.gold(), "gold.json").all();
    }

    @Test
    void llamaFactoryFindsTheSetByItsName() throws IOException {
        List<String> written = new ExportFolder(out, Trainer.LLAMA_FACTORY, false).writeSupervised(source, List.of());
        assertThat(written).containsExactly("train.jsonl", "dataset_info.json", "chat_template.jinja");
        assertThat(files()).containsExactly("chat_template.jinja", "dataset_info.json", "export.json", "train.jsonl");
        JsonNode info = json("dataset_info.json").get("prpf");
        assertThat(info.get("file_name").textValue()).isEqualTo("train.jsonl");
        assertThat(info.get("formatting").textValue()).isEqualTo("sharegpt");
        assertThat(info.get("columns").toString()).isEqualTo("{\"messages\":\"messages\"}");
        assertThat(info.get("tags").toString())
                .isEqualTo("{\"role_tag\":\"role\",\"content_tag\":\"content\",\"user_tag\":\"user\","
                        + "\"assistant_tag\":\"assistant\",\"system_tag\":\"system\"}");
        assertThat(Files.readString(out.resolve("chat_template.jinja"))).isEqualTo(ChatMl.TEMPLATE);
        assertThat(Files.readAllLines(out.resolve("train.jsonl"))).hasSize(3);
    }

    @Test
    void supervisedExportDescribesItself() throws IOException {
        List<String> written = new ExportFolder(out, Trainer.VERL, false).writeSupervised(source, List.of());
        assertThat(written).containsExactly("train.jsonl", "chat_template.jinja", "to_parquet.py");
        JsonNode manifest = json("export.json");
        assertThat(manifest.get("to").textValue()).isEqualTo("verl");
        assertThat(manifest.get("stage").textValue()).isEqualTo("sft");
        assertThat(manifest.get("reasoning").textValue()).isEqualTo("none");
        assertThat(manifest.get("reward").isNull()).isTrue();
        assertThat(manifest.get("wording").textValue()).isEqualTo(source.wording());
        Path adopt = directory.resolve("adopt.yaml");
        Files.writeString(adopt, "prompt: " + manifest.get("prompt"));
        assertThat(StrictYaml.read(adopt, AdoptCommand.RegistrationConfig.class, List.of())
                        .prompt())
                .as("is what reasoner adopt's configuration takes")
                .isEqualTo(source.prompt());
        assertThat(manifest.get("files")).extracting(JsonNode::textValue).containsExactlyElementsOf(written);
    }

    @Test
    void grpoExportHasTheRewardsFiles() throws IOException {
        List<SftRecord> prompts = prompts();
        List<String> written = new ExportFolder(out, Trainer.TRL, false)
                .writeRewarded(
                        source, List.of(prompts.get(2), prompts.get(0), prompts.get(2)), prompts.subList(1, 2), REWARD);
        assertThat(written)
                .containsExactly(
                        "train.jsonl",
                        "test.jsonl",
                        "gold.json",
                        "function_pool.json",
                        "reward.yaml",
                        "prpf_reward.py",
                        "chat_template.jinja");
        assertThat(Files.readAllLines(out.resolve("train.jsonl"))).hasSize(3);
        assertThat(Files.readAllLines(out.resolve("test.jsonl"))).hasSize(1);
        assertThat(SampleReader.readAll(out.resolve("gold.json")))
                .extracting(Sample::id)
                .containsExactly("screens", "acts", "silent");
        assertThat(SampleReader.readAll(out.resolve("gold.json")).get(1).answers())
                .isEqualTo(
                        Objects.requireNonNull(ExportFixture.gold().get("acts")).answers());
        assertThat(FunctionPoolFile.read(out.resolve("function_pool.json")).functions())
                .containsExactlyElementsOf(Prompts.POOL.functions());
        assertThat(StrictYaml.read(out.resolve("reward.yaml"), RewardSettings.class, List.of()))
                .isEqualTo(RewardSettings.PAPER);
        assertThat(Files.readString(out.resolve("prpf_reward.py")))
                .contains("def compute_score(", "def structured_reward(")
                .isEqualTo(Files.readString(
                        Path.of(System.getProperty("prpf.root", "..")).resolve("integrations/prpf_reward.py")));
        assertThat(json("export.json").get("stage").textValue()).isEqualTo("grpo");
        StructuredReward served = new StructuredReward(
                StrictYaml.read(out.resolve("reward.yaml"), RewardSettings.class, List.of()),
                FunctionPoolFile.read(out.resolve("function_pool.json")));
        assertThat(json("export.json").get("reward").textValue())
                .as("what a service says that was started with these files")
                .isEqualTo(ResponseScorer.configuration(served, ReasoningMode.NONE));
    }

    @Test
    void withoutHeldOutPromptsTheirFileIsAbsent() throws IOException {
        new ExportFolder(out, Trainer.VERL, false).writeRewarded(source, prompts(), List.of(), REWARD);
        assertThat(files()).contains("to_parquet.py", "train.jsonl").doesNotContain("test.jsonl");
        assertThatThrownBy(() -> new ExportFolder(directory.resolve("x"), Trainer.LLAMA_FACTORY, false)
                        .writeRewarded(source, prompts(), List.of(), REWARD))
                .hasMessage("llama-factory has no GRPO");
        assertThatThrownBy(() -> new ExportFolder(directory.resolve("x"), Trainer.SLIME, false)
                        .writeSupervised(source, List.of()))
                .hasMessage("slime has no SFT export");
    }

    @Test
    void trainerGetsTheRewardClient() throws IOException {
        Path integrations = Path.of(System.getProperty("prpf.root", "..")).resolve("integrations");
        for (Trainer trainer : List.of(Trainer.OPENRLHF, Trainer.SLIME)) {
            assertThat(new ExportFolder(out, trainer, true).writeRewarded(source, prompts(), List.of(), REWARD))
                    .as("it asks by its own code")
                    .containsExactly(
                            "train.jsonl", "gold.json", "function_pool.json", "reward.yaml", "chat_template.jinja");
        }
        assertThat(new ExportFolder(out, Trainer.MS_SWIFT, true).writeRewarded(source, prompts(), List.of(), REWARD))
                .contains("prpf_reward.py", "prpf_swift.py");
        assertThat(out.resolve("prpf_swift.py")).hasSameTextualContentAs(integrations.resolve("prpf_swift.py"));
        new ExportFolder(out, Trainer.MS_SWIFT, true).writeSupervised(source, List.of());
        assertThat(files()).containsExactly("chat_template.jinja", "export.json", "train.jsonl");
    }

    @Test
    void setThatATrainerWouldMisreadReplacesNothing() throws IOException {
        new ExportFolder(out, Trainer.OPENRLHF, false).writeRewarded(source, prompts(), List.of(), REWARD);
        Sample image = ExportFixture.text("acts", "看到<image>了", ExportFixture.NOTE);
        List<SftRecord> records = ExportFixture.records(ExportFixture.BRIEF, List.of(image), Target.FIRST);
        Refused.with(
                65,
                () -> new ExportFolder(out, Trainer.OPENRLHF, true).writeRewarded(source, records, List.of(), REWARD),
                "record \"acts\": its prompt holds \"<image>\"");
        assertThat(Files.readAllLines(out.resolve("train.jsonl"))).hasSize(3);
    }

    @Test
    void exportIsReplacedOnlyOnRequestAndCompletely() throws IOException {
        new ExportFolder(out, Trainer.VERL, false).writeRewarded(source, prompts(), prompts(), REWARD);
        Files.writeString(out.resolve("train.parquet"), "made of the lines that go");
        Files.createDirectories(out.resolve("__pycache__"));
        Refused.with(2, () -> new ExportFolder(out, Trainer.TRL, false), "holds an export already", "--overwrite");

        new ExportFolder(out, Trainer.TRL, true).writeSupervised(source, List.of());
        assertThat(files()).containsExactly("__pycache__", "chat_template.jinja", "export.json", "train.jsonl");
    }

    @Test
    void otherFilesStay() throws IOException {
        Files.createDirectories(out);
        new ExportFolder(out, Trainer.TRL, false); // an empty folder is as good as none
        Files.writeString(out.resolve("thesis.txt"), "mine");
        Refused.with(2, () -> new ExportFolder(out, Trainer.TRL, true), "holds files that are not a complete export");
        Path file = Files.writeString(directory.resolve("file"), "");
        Refused.with(2, () -> new ExportFolder(file, Trainer.TRL, true), "is a file; name a folder");
    }
}
