package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.export.ExportFixture;
import dev.prpf.par.openai.DrawnImages;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ExportCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    @TempDir
    Path model;

    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private PrintStream before = System.out;
    private Exception failure = new IllegalStateException("nothing failed");
    private Path out = Path.of("out");

    @BeforeEach
    void write() {
        before = ResultStream.redirect(new PrintStream(stdout, true, StandardCharsets.UTF_8));
        out = directory.resolve("out");
        ExportFixture.set(directory);
        SampleWriter.write(
                directory.resolve("gold.json"), ExportFixture.samples().iterator());
        FunctionPoolFile.write(Prompts.POOL, directory.resolve("pool.json"));
    }

    @AfterEach
    void restore() {
        ResultStream.redirect(before);
    }

    private int run(String trainer, String... more) {
        stdout.reset();
        List<String> all = new ArrayList<>(List.of("--to=" + trainer));
        List<String> given = List.of(more);
        Map.of("--examples", directory.resolve("sft.jsonl"), "--out", out).forEach((option, place) -> {
            if (given.stream().noneMatch(argument -> argument.startsWith(option + "="))) {
                all.add(option + "=" + place);
            }
        });
        all.addAll(given);
        CommandLine line = new CommandLine(new ExportCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(all.toArray(String[]::new));
    }

    private String gold() {
        return "--gold=" + directory.resolve("gold.json");
    }

    private String pool() {
        return "--pool=" + directory.resolve("pool.json");
    }

    private JsonNode summary() throws IOException {
        return JSON.readTree(stdout.toString(StandardCharsets.UTF_8));
    }

    @Test
    void anSftSet() throws IOException {
        for (String trainer : List.of("llama-factory", "TRL", "verl", "openrlhf", "ms-swift")) {
            assertThat(run(trainer, "--json", "--overwrite")).as(trainer).isZero();
            JsonNode json = summary();
            assertThat(json.properties())
                    .extracting(entry -> entry.getKey())
                    .containsExactly(
                            "out",
                            "to",
                            "stage",
                            "records",
                            "test_records",
                            "acting",
                            "silent",
                            "rewritten",
                            "images",
                            "files");
            assertThat(json.get("to").textValue()).isEqualToIgnoringCase(trainer);
            assertThat(json.get("stage").textValue()).isEqualTo("sft");
            assertThat(json.get("records").intValue()).isEqualTo(3);
            assertThat(json.get("acting").intValue()).isEqualTo(2);
            assertThat(json.get("silent").intValue()).isEqualTo(1);
            for (JsonNode file : json.get("files")) {
                assertThat(out.resolve(file.textValue())).isNotEmptyFile();
            }
        }
    }

    @Test
    void goldMakesAGrpoSet() throws IOException {
        for (String trainer : List.of("trl", "verl", "openrlhf", "slime", "ms-swift")) {
            assertThat(run(trainer, gold(), pool(), "--json", "--overwrite"))
                    .as(trainer)
                    .isZero();
            assertThat(summary().get("to").textValue()).isEqualTo(trainer);
            assertThat(summary().get("stage").textValue()).isEqualTo("grpo");
            assertThat(summary().get("records").intValue()).isEqualTo(3);
            assertThat(summary().get("test_records").intValue()).isZero();
        }
        assertThat(StrictYaml.read(out.resolve("reward.yaml"), RewardSettings.class, List.of()))
                .isEqualTo(RewardSettings.PAPER);
    }

    @Test
    void theRewardsConstantsGoAlong() throws IOException {
        Path constants = Files.writeString(
                directory.resolve("r.yaml"),
                StrictYaml.write(RewardSettings.PAPER).replaceFirst("fp: \\S+", "fp: 3.0"));
        assertThat(run("trl", gold(), pool(), "--reward=" + constants)).isZero();
        assertThat(Files.readString(out.resolve("reward.yaml"))).contains("fp: 3.0");
        assertThat(stdout.toString(StandardCharsets.UTF_8)).contains("stage: grpo\nrecords: 3\n");
    }

    @Test
    void groupsChooseThePromptsAndHoldSomeOut() throws IOException {
        List<SftRecord> records = new ArrayList<>();
        new RecordLines<>(SftRecord.class, "SFT record")
                .read(directory.resolve("sft.jsonl"), (place, record) -> records.add(record));
        ExportFixture.model(model);
        Path train = ExportFixture.groups(directory.resolve("train.jsonl"), model, records.subList(1, 3));
        Path test = ExportFixture.groups(directory.resolve("test.jsonl"), model, records.subList(0, 1));

        assertThat(run(
                        "trl",
                        gold(),
                        pool(),
                        "--groups=" + train,
                        "--test-groups=" + test,
                        "--reasoner=" + model,
                        "--json"))
                .isZero();
        assertThat(summary().get("records").intValue()).isEqualTo(2);
        assertThat(summary().get("test_records").intValue()).isEqualTo(1);
        assertThat(summary().get("acting").intValue()).isEqualTo(1);
        assertThat(Files.readString(out.resolve("test.jsonl"))).contains("\"id\":\"acts\"");

        assertThat(run(
                        "trl",
                        gold(),
                        pool(),
                        "--groups=" + train,
                        "--test-groups=" + train,
                        "--reasoner=" + model,
                        "--overwrite"))
                .isEqualTo(65);
        assertThat(failure).hasMessageContaining("\"silent\" is in ").hasMessageContaining("must not be trained on");
    }

    private String test(String name, List<Sample> samples) {
        Path file = directory.resolve(name);
        SampleWriter.write(file, samples.iterator());
        return "--test-examples=" + file;
    }

    private int records(String... more) {
        List<String> all = new ArrayList<>(List.of("--examples=" + directory.resolve("gold.json"), "--json"));
        all.addAll(List.of(more));
        return run("parquet", all.toArray(String[]::new));
    }

    @Test
    void recordsGoToParquetAsTheyAre() throws IOException {
        Sample held = ExportFixture.text("held", "x");
        assertThat(records(test("test.json", List.of(held)))).isZero();
        assertThat(summary().get("stage").textValue()).isEqualTo("records");
        assertThat(summary().get("records").intValue()).isEqualTo(3);
        assertThat(summary().get("test_records").intValue()).isEqualTo(1);
        assertThat(summary().get("acting").intValue()).isEqualTo(2);
        assertThat(summary().get("silent").intValue()).isEqualTo(1);
        assertThat(SampleReader.readAll(out.resolve("train"))).isEqualTo(ExportFixture.samples());
        assertThat(SampleReader.readAll(out.resolve("test"))).containsExactly(held);
    }

    @Test
    void whatIsReadIsNotReplaced() {
        assertThat(records()).isZero();
        assertThat(run("parquet", "--examples=" + out.resolve("train"), "--overwrite"))
                .isEqualTo(2);
        assertThat(failure).hasMessageContainingAll("train lies in --out ", "would be removed before it is read");
        assertThat(SampleReader.readAll(out.resolve("train"))).isEqualTo(ExportFixture.samples());
    }

    @Test
    void recordsOfADryRunAreCountedAndNotWritten() throws IOException {
        assertThat(records("--dry-run")).isZero();
        assertThat(summary().get("records").intValue()).isEqualTo(3);
        assertThat(summary().get("files")).isEmpty();
        assertThat(out).doesNotExist();
    }

    @Test
    void whatIsHeldOutIsNotTrainedOn() {
        assertThat(records(test("test.json", ExportFixture.samples().subList(1, 2))))
                .isEqualTo(65);
        assertThat(failure).hasMessageContaining("test.json: the id \"silent\" is a duplicate in this export");
        assertThat(run("parquet", "--test-examples=" + directory.resolve("sft.jsonl")))
                .isEqualTo(65);
        assertThat(failure).hasMessageContainingAll("sft.jsonl: \"acts\" is in", "must not be trained on");
    }

    @Test
    void anSftSetInParquetIsOneAgain() throws IOException {
        assertThat(run("parquet", "--json")).isZero();
        assertThat(summary().get("stage").textValue()).isEqualTo("sft");
        assertThat(summary().get("records").intValue()).isEqualTo(3);
        List<SftRecord> before = SftRecords.read(directory.resolve("sft.jsonl")).records();
        assertThat(SftRecords.read(out).records()).isEqualTo(before);
        Path again = directory.resolve("again");
        assertThat(run("parquet", "--examples=" + out, "--out=" + again)).isZero();
        assertThat(SftRecords.read(again).records()).isEqualTo(before);
    }

    @Test
    void aTestSetIsOfParquetAlone() {
        assertThat(run("trl", "--test-examples=x")).isEqualTo(2);
        assertThat(failure).hasMessageContaining("--test-examples goes with --to parquet");
        assertThat(run("parquet", gold(), pool(), "--test-examples=x")).isEqualTo(2);
        assertThat(failure).hasMessageContaining("held out with --test-groups");
        assertThat(records(gold(), pool())).isEqualTo(2);
        assertThat(failure).hasMessageContaining("gold.json holds records; make the set with `prpf data sft-set`");
    }

    @Test
    void aDryRunChecksAndWritesNothing() throws IOException {
        assertThat(run("trl", gold(), pool(), "--dry-run", "--json")).isZero();
        assertThat(summary().get("out").isNull()).isTrue();
        assertThat(summary().get("records").intValue()).isEqualTo(3);
        assertThat(summary().get("files")).isEmpty();
        assertThat(out).doesNotExist();
    }

    @Test
    void aDryRunLooksForImagesAndForTheTrainersPlaceForThem() throws IOException {
        PromptSettings pixels = ExportFixture.FULL.with(ScreenshotForm.PIXELS, null);
        ExportFixture.write(directory, ExportFixture.records(pixels, ExportFixture.samples(), Target.FIRST));
        Path images = directory.resolve("screens");
        Files.createDirectories(images.resolve("images"));
        String root = "--images=" + images;
        DrawnImages.draw(images.resolve("images/a.png"), 40, 64, 1);
        for (String[] grpo : new String[][] {{}, {gold(), pool()}}) {
            Files.deleteIfExists(images.resolve("b.png"));
            String[] dry = Stream.concat(Stream.of(grpo), Stream.of(root, "--dry-run", "--json"))
                    .toArray(String[]::new);
            assertThat(run("trl", dry)).isEqualTo(65);
            assertThat(failure).hasMessageContainingAll("record \"screens\"", "b.png", "does not exist");
            DrawnImages.draw(images.resolve("b.png"), 64, 40, 2);
            assertThat(run("trl", dry)).isZero();
            assertThat(summary().get("images").intValue()).isEqualTo(2);
        }
        assertThat(run("openrlhf", root, "--dry-run")).isEqualTo(2);
        assertThat(failure).hasMessageContaining("openrlhf's SFT set does not support");
        assertThat(out).doesNotExist();
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() {
        assertThat(run("llama-factory", gold(), pool())).isEqualTo(2);
        assertThat(failure)
                .hasMessageContaining(
                        "llama-factory has no GRPO; export to one of trl, verl, openrlhf, slime, ms-swift, parquet, or leave");
        assertThat(run("slime")).isEqualTo(2);
        assertThat(failure)
                .hasMessageContaining(
                        "slime gets none; export to one of llama-factory, trl, verl, openrlhf, ms-swift, parquet, or give --gold");
        for (String option : List.of(pool(), "--groups=g", "--test-groups=g", "--reasoner=m", "--reward=r")) {
            assertThat(run("trl", option)).as(option).isEqualTo(2);
            assertThat(failure).hasMessageContaining("give its samples with --gold");
        }
        for (String option : List.of("--groups=g", "--reasoner=m", "--test-groups=g")) {
            assertThat(run("trl", gold(), option)).as(option).isEqualTo(2);
            assertThat(failure).hasMessageContaining("--groups needs --reasoner");
        }
        assertThat(run("nemo-rl")).isEqualTo(2);
        assertThat(out).doesNotExist();
    }

    @Test
    void anExportThatStandsThereStays() throws IOException {
        assertThat(run("trl")).isZero();
        assertThat(run("verl")).isEqualTo(2);
        assertThat(failure).hasMessageContaining("holds an export already");
        assertThat(Files.readString(out.resolve("export.json"))).contains("\"to\" : \"trl\"");
    }

    @Test
    void goldOfAnotherPoolIsRefused() {
        assertThat(run("trl", gold())).isEqualTo(65);
        assertThat(failure).hasMessageContaining("not in the shipped pool");
        assertThat(out).doesNotExist();
    }
}
