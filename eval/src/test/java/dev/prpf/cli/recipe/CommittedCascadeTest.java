package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.cascade.CascadeFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Loads the cascade of version 0.1.0 that is under version control: every 0.x loads it,
 * or refuses it with the command that makes it again.
 * With {@code -Dprpf.write=true} the test trains the cascade again; do that only when old cascades are refused.
 */
@Tag("slow")
class CommittedCascadeTest {
    private static final Path CASCADE =
            Path.of("src/test/resources/dev/prpf/cli/recipe/cascade-0.1.0").toAbsolutePath();
    private static final Path ANSWERS = CASCADE.resolveSibling("cascade-0.1.0-answers.jsonl");
    private static final Path ROOT =
            Path.of(System.getProperty("prpf.root", "..")).toAbsolutePath();
    private static final String RECORDS = ROOT + "/examples/own-data/records.json";
    private static final String POOL = ROOT + "/examples/own-data/functions.json";
    private static final String ENCODER =
            " --set encoder.text-encoder=bge-small-en-v1.5 --set encoder.precision=int8 --set encoder.store=store";
    private static final List<String> TRAINING = List.of(
            "gate train --config {configs}/gate-few.yaml --data {records} --pool {pool} --store store --run-dir gate"
                    + " --set network.dimension=8 --set network.heads=2 --set network.feed-forward=16"
                    + " --set network.dropout=0 --set optimizer.batch=4"
                    + " --set optimizer.learning-rate=0.005 --set training.counterfactuals=false"
                    + " --set encoder.text-encoder=bge-small-en-v1.5",
            "gate sweep --gate gate --max-ftr 15",
            "reasoner init --config {configs}/reasoner-init.yaml --out base --text {records} --text {pool} --pool {pool}"
                    + " --set model.hidden-size=32 --set model.intermediate-size=32 --set model.layers=1"
                    + " --set model.heads=2 --set model.key-value-heads=2",
            "reasoner sft --config {configs}/reasoner-sft.yaml --data {records} --pool {pool} --gate gate --reasoner base"
                    + " --run-dir sft --set training.dev-share=0 --set training.epochs=40 --set training.batch-size=2 --set examples.shortlist=3"
                    + " --set examples.augmentation.distractor-dropout={dropout}" + ENCODER);

    private final Path folder = CommandWorker.emptyFolder();
    private final Path cascade = folder.resolve("cascade");

    private static CommandProcess.Result done(String... words) {
        CommandProcess.Result result = CommandWorker.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result;
    }

    private static List<JsonNode> read(Path file) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            lines.add(json.readTree(line));
        }
        return lines;
    }

    /** Returns the answers of {@link #CASCADE}'s copy, which the commands may write into. */
    private static Path answers(Path folder) {
        done("eval", "run", "--gate=cascade", "--reasoner=cascade", "--data", RECORDS, "--out=answers/answers.jsonl");
        return folder.resolve("answers/answers.jsonl");
    }

    @BeforeEach
    void copy() throws IOException {
        AtomicFiles.copyTree(CASCADE, cascade);
    }

    @BeforeAll
    static void write() throws IOException {
        if (!Boolean.getBoolean("prpf.write")) {
            return;
        }
        Path folder = CommandWorker.emptyFolder();
        for (String command : TRAINING) {
            done(command.replace("{configs}", ROOT + "/configs/quickstart")
                    .replace("{records}", RECORDS)
                    .replace("{pool}", POOL)
                    .replace("{dropout}", Collections.nCopies(40, 0).toString().replace(" ", ""))
                    .split(" ", -1));
        }
        CascadeFolder.assemble(
                CASCADE,
                new MppRun.Single(folder.resolve("gate")),
                folder.resolve("sft/model"),
                new CascadeFolder.Answering(3, 48, true));
        AtomicFiles.copyTree(CASCADE, folder.resolve("cascade"));
        Files.copy(answers(folder), ANSWERS, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void cascadeOfTheFirstRelease_isLoadedAndAnswersAsThen() throws IOException {
        List<JsonNode> expected = read(ANSWERS);
        List<JsonNode> answers = read(answers(folder));
        assertThat(answers).hasSameSizeAs(expected).hasSize(20);
        assertThat(expected)
                .extracting(answer -> answer.get("route").textValue())
                .contains("reasoned", "silent");
        for (int i = 0; i < expected.size(); i++) {
            JsonNode then = expected.get(i);
            JsonNode now = answers.get(i);
            assertThat(now.get("p_trigger").doubleValue())
                    .as(then.get("id").textValue())
                    .isCloseTo(then.get("p_trigger").doubleValue(), within(0.02));
            assertThat(now.get("route")).isEqualTo(then.get("route"));
            assertThat(now.findValuesAsText("name")).isEqualTo(then.findValuesAsText("name"));
        }
    }

    @Test
    void cascadeOfAnotherFormat_isRefusedWithTheCommandThatMakesIt() throws IOException {
        Path description = cascade.resolve(CascadeFolder.FILE);
        Files.writeString(
                description, Files.readString(description).replace("\"format_version\" : 1", "\"format_version\" : 0"));
        CommandProcess.Result result = CommandWorker.run("evaluate", "cascade", "--data", RECORDS);
        assertThat(result.exitCode()).isEqualTo(78);
        assertThat(result.stderr())
                .contains("format_version = 0, this program reads 1; make it again with `prpf train RECIPE.yaml`");
    }

    @Test
    void cascadeWithoutTheSplitOfItsTraining_isEvaluatedWithANote() throws IOException {
        CommandProcess.Result result = CommandWorker.run("evaluate", "cascade", "--data", RECORDS, "--json");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stderr())
                .contains(
                        "note: cascade/gate/split.jsonl is missing, as in cascades of older versions, so records of the"
                                + " training are not recognized; `prpf train RECIPE.yaml` writes it");
        assertThat(new ObjectMapper()
                        .readTree(result.stdout())
                        .get("n_in_training")
                        .isNull())
                .isTrue();
    }
}
