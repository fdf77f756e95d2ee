package dev.prpf.par.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ParquetRows;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.export.RewardedPrompts.RewardFiles;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetExportTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path out;

    private ExportFolder folder(boolean overwrite) {
        return new ExportFolder(out, Trainer.PARQUET, overwrite);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(out)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static SftRecords set(PromptSettings prompt) {
        return new SftRecords("sft.jsonl", ExportFixture.records(prompt, ExportFixture.samples(), Target.ALL));
    }

    private static List<JsonNode> rows(Path source) {
        List<JsonNode> found = new ArrayList<>();
        try (ParquetRows rows =
                ParquetRows.open(source, (file, columns) -> columns.fields().keySet())) {
            for (ParquetRows.Row row = rows.next(); row != null; row = rows.next()) {
                found.add(row.json());
            }
        }
        return found;
    }

    @Test
    void sftSetIsReadBackUnchanged() throws IOException {
        for (PromptSettings prompt : List.of(ExportFixture.BRIEF, ExportFixture.FULL)) {
            SftRecords set = set(prompt);
            List<String> written =
                    folder(true).writeSupervised(set, set.records().subList(0, 1));
            assertThat(written)
                    .containsExactly(
                            "train-00000-of-00001.parquet",
                            "test-00000-of-00001.parquet",
                            "chat_template.jinja",
                            "README.md");
            assertThat(SftRecords.read(out.resolve("train")).records()).isEqualTo(set.records());
            assertThat(SftRecords.read(out.resolve("test-00000-of-00001.parquet"))
                            .records())
                    .isEqualTo(set.records().subList(0, 1));
        }
    }

    @Test
    void messagesOfAnSftSetAreTheTrainers() {
        SftRecords set = set(ExportFixture.FULL);
        folder(false).writeSupervised(set, List.of());
        List<JsonNode> found = rows(out);
        for (int i = 0; i < found.size(); i++) {
            SftRecord record = set.records().get(i);
            JsonNode other = JsonRecords.tree(new TrainerRows(Trainer.LLAMA_FACTORY).supervised(record));
            assertThat(found.get(i).get(SftRecords.MESSAGES)).isEqualTo(other.get("messages"));
        }
        assertThat(found).hasSize(4);
    }

    @Test
    void samplesAreReadBackUnchanged() throws IOException {
        List<Sample> samples = ExportFixture.samples();
        List<String> written =
                folder(false).writeSamples(samples.iterator(), List.<Sample>of().iterator());
        assertThat(written).containsExactly("train-00000-of-00001.parquet", "test-00000-of-00001.parquet", "README.md");
        assertThat(SampleReader.readAll(out.resolve("train"))).isEqualTo(samples);
        assertThat(SampleReader.readAll(out.resolve("test"))).isEmpty();
        JsonNode manifest = JSON.readTree(out.resolve("export.json").toFile());
        assertThat(manifest.get("to").textValue()).isEqualTo("parquet");
        assertThat(manifest.get("stage").textValue()).isEqualTo("records");
        assertThat(manifest.get("prompt").isNull()).isTrue();
        assertThat(manifest.get("files")).extracting(JsonNode::textValue).isEqualTo(written);
    }

    @Test
    void parametersAreJsonText() {
        folder(false).writeSamples(ExportFixture.samples().iterator(), null);
        JsonNode call = rows(out).get(0).at("/recommendations/0/functions/0");
        assertThat(call.get("name").textValue()).isEqualTo("create_note");
        assertThat(call.get("parameters").textValue()).isEqualTo("{\"text\":\"买\\\"牛奶\\\"\\n🎷\"}");
    }

    @Test
    void theCardHasSplitsAndColumns() throws IOException {
        folder(false)
                .writeSamples(
                        ExportFixture.samples().iterator(),
                        ExportFixture.samples().subList(0, 1).iterator());
        assertThat(out.resolve("README.md"))
                .hasContent(
                        """
                        ---
                        configs:
                        - config_name: default
                          data_files:
                          - split: train
                            path: train-*.parquet
                          - split: test
                            path: test-*.parquet
                        ---
                        # Records

                        Written by `prpf data export --to parquet`.

                        | split | rows | files |
                        |---|---|---|
                        | train | 3 | 1 |
                        | test | 1 | 1 |

                        | column | type |
                        |---|---|
                        | `benchmark_metadata` | `struct<id: string, difficulty_level: integer, split: string, scenario: string>` |
                        | `reference_information` | `struct<profile: string, phone: string, world: string, trace: list<struct<source: string, text: string, picture: string>>>` |
                        | `recommendations` | `list<struct<instruction: string, functions: list<struct<name: string, parameters: string>>>>` |
                        """);
        folder(true).writeSupervised(set(ExportFixture.BRIEF), List.of());
        assertThat(Files.readString(out.resolve("README.md")))
                .contains("# SFT set", "| train | 4 | 1 |", "| `functions` | `list<string>` |")
                .doesNotContain("split: test");
    }

    @Test
    void grpoSetHasPromptsAnswersAndReward() throws IOException {
        SftRecords set = set(ExportFixture.BRIEF);
        RewardFiles reward = new RewardFiles(ExportFixture.gold(), Prompts.POOL, RewardSettings.PAPER);
        folder(false).writeRewarded(set, set.records().subList(0, 1), List.of(), reward);
        assertThat(files()).contains("gold.json", "prpf_reward.py", "train-00000-of-00001.parquet", "README.md");
        JsonNode trl = JsonRecords.tree(new TrainerRows(Trainer.TRL)
                .rewarded(set.records().get(0), ExportFixture.samples().get(0), "train", 0));
        assertThat(rows(out)).containsExactly(trl);
    }

    @Test
    void replacedExportLeavesNoShards() throws IOException {
        folder(false)
                .writeSamples(
                        ExportFixture.samples().iterator(),
                        ExportFixture.samples().iterator());
        Files.copy(out.resolve("train-00000-of-00001.parquet"), out.resolve("train-00001-of-00002.parquet"));
        new ExportFolder(out, Trainer.TRL, true).writeSupervised(set(ExportFixture.BRIEF), List.of());
        assertThat(files()).containsExactly("chat_template.jinja", "export.json", "train.jsonl");
    }
}
