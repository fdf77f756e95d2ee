package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From five records of one's own to a cascade, and each command that takes it. */
@Tag("slow")
class CascadeCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path directory = CommandWorker.emptyFolder();
    private final Path cascade = directory.resolve("runs/tea für zwei");

    private static CommandProcess.Result done(String... words) {
        CommandProcess.Result result = CommandWorker.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result;
    }

    private static void refused(int exitCode, String message, String... words) {
        CommandProcess.Result result = CommandWorker.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        assertThat(result.stderr()).contains(message);
    }

    @Test
    void aRecipeBecomesACascadeThatEveryCommandTakes() throws IOException {
        assertThat(done("init", "tea für zwei").stdout()).contains("./prpf train 'tea für zwei/recipe.yaml'");
        String trained = done("train", "tea für zwei/recipe.yaml", "--json").stdout();
        assertThat(JSON.readTree(trained).get("cascade").textValue()).isEqualTo("runs/tea für zwei");
        assertThat(cascade.resolve("README.md")).content().contains("training | 5 |", "Not measured", "Licences");

        String records = "tea für zwei/records.json";
        JsonNode scores = JSON.readTree(done("evaluate", cascade.toString(), "--data", records, "--json")
                .stdout());
        assertThat(scores.at("/overall/n").intValue()).isEqualTo(5);
        assertThat(scores.at("/n_in_training").intValue()).isEqualTo(5);
        assertThat(scores.at("/results/always_silent/ftr").doubleValue()).isZero();
        assertThat(scores.at("/gates/perceiver/recall").isNumber()).isTrue();
        CommandProcess.Result evaluated = done("evaluate", cascade.toString(), "--data", records);
        assertThat(evaluated.stderr()).contains("note: 5 of 5 records were in the training, by their content");
        assertThat(evaluated.stdout())
                .contains("Names acting  33.33", "always_silent", "always_trigger", "random_function");
        unlabelledRecordsAreRefused(records);
        assertThat(JSON.readTree(done("try", cascade.toString(), "--json").stdout())
                        .get("id")
                        .textValue())
                .isEqualTo("r01");
        assertThat(done("try", cascade.toString(), "--id", "r04").stdout())
                .contains("record r04", "Starts a jazz album", "gate: ", "label: silence");
        assertThat(done("serve", "--dry-run").stdout()).as("the newest cascade").contains("tea für zwei/gate");
        stagesTakeTheCascade();
        damagedCascadesAreRefused();
    }

    private void unlabelledRecordsAreRefused(String records) throws IOException {
        JsonNode labelled = JSON.readTree(directory.resolve(records).toFile());
        ((ObjectNode) labelled.get(1)).remove("recommendations");
        Path file = directory.resolve("unlabelled.json");
        JSON.writeValue(file.toFile(), labelled);
        refused(
                65,
                "unlabelled.json: 1 of 5 records have no answers, the first is r02; evaluate compares with answers",
                "evaluate",
                cascade.toString(),
                "--data=" + file);
    }

    private void stagesTakeTheCascade() throws IOException {
        String folder = cascade.toString();
        String records = "tea für zwei/records.json";
        done("gate", "predict", "--gate", folder, "--data", records, "--out", "gated.jsonl");
        assertThat(directory.resolve("gated.jsonl")).content().hasLineCount(5);
        done("eval", "run", "--gate", folder, "--reasoner", folder, "--data", records, "--out", "e/p.jsonl");
        assertThat(directory.resolve("e/p.jsonl")).content().hasLineCount(5);
        refused(69, "name the gate of its training, CASCADE/work/gate", "gate", "sweep", "--gate", folder);
        done("reasoner", "generate", "--reasoner", folder, "--prompt", "tea", "--max-new", "1");
    }

    private void damagedCascadesAreRefused() throws IOException {
        String folder = cascade.toString();
        refused(2, "--id r9: no record of", "try", folder, "--id", "r9");
        Path records = directory.resolve("tea für zwei/records.json");
        byte[] trained = Files.readAllBytes(records);
        Files.writeString(records, "\n", StandardOpenOption.APPEND);
        refused(78, "holds a run whose train content has changed (SHA-256 ", "train", "tea für zwei/recipe.yaml");
        refused(
                78,
                "holds a run whose train content has changed (SHA-256 ",
                "train",
                "tea für zwei/recipe.yaml",
                "--dry-run");
        takenPortsAreRefusedBeforeTheModelsLoad(folder);
        Files.write(records, trained);
        refused(78, "holds a run with another configuration", "train", "tea für zwei/recipe.yaml", "--set=seed=2");
        Path other = directory.resolve("other.json");
        Files.writeString(
                other, Files.readString(cascade.resolve("functions.json")).replace("way to a place", "way"));
        refused(78, "--pool " + other + ": differs from", "serve", folder, "--pool", other.toString(), "--dry-run");

        Path functions = cascade.resolve("functions.json");
        byte[] intact = Files.readAllBytes(functions);
        Files.writeString(functions, " ", StandardOpenOption.APPEND);
        refused(65, "functions.json: has changed since the training", "serve", folder, "--dry-run");
        Files.delete(functions);
        refused(69, "functions.json: is missing, cascade.json names it", "evaluate", folder);
        Files.write(functions, intact);
        Files.delete(cascade.resolve("reasoner/config.json"));
        refused(69, "reasoner/config.json: is missing, cascade.json names it", "serve", folder, "--dry-run");
        Path remote = Path.of(System.getProperty("prpf.root", ".."), "configs", "remote.yaml");
        String server = "--remote=" + remote.toAbsolutePath();
        assertThat(done("serve", folder, server, "--set=server.urls=[http://127.0.0.1:9/v1]", "--dry-run")
                        .stdout())
                .as("it needs no reasoner of its own")
                .contains("tea für zwei/gate, reasoner Qwen/Qwen3.5-9B at http://127.0.0.1:9/v1");
        Path description = cascade.resolve("cascade.json");
        Files.writeString(
                description, Files.readString(description).replace("\"format_version\" : 1", "\"format_version\" : 2"));
        refused(78, "format_version = 2, this program reads 1", "try", folder);
        Files.delete(description);
        refused(69, "holds no cascade (cascade.json is missing)", "serve", folder);
    }

    private static void takenPortsAreRefusedBeforeTheModelsLoad(String folder) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            String message = "cannot listen on 127.0.0.1:" + port + ": Address already in use";
            refused(69, message, "serve", folder, "--host=127.0.0.1", "--port=" + port);
        }
    }

    @Test
    void aTrainingDoesNotReplaceFilesOfOthers() throws IOException {
        done("init", "mine");
        Path base = Files.createDirectories(directory.resolve("runs/reasoner")).resolve("model.safetensors");
        Files.writeString(base, "pretrained");
        String message =
                "runs/reasoner: exists, and runs holds no run.json of a training; the cascade would replace the"
                        + " file; name another --run-dir";
        refused(2, message, "train", "mine/recipe.yaml", "--run-dir", "runs");
        refused(2, message, "train", "mine/recipe.yaml", "--set=out=runs", "--dry-run");
        refused(2, "mine/functions.json: exists", "train", "mine/recipe.yaml", "--run-dir", "mine");
        assertThat(base).hasContent("pretrained");
        assertThat(directory.resolve("runs/run.json")).doesNotExist();
    }

    @Test
    void initKeepsFilesThatAreThere() throws IOException {
        JsonNode written =
                JSON.readTree(done("init", "mine", "--language", "zh", "--json").stdout());
        assertThat(written.at("/next/1").textValue()).isEqualTo("./prpf serve runs/mine");
        assertThat(directory.resolve("mine/recipe.schema.json")).content().contains("\"false-triggers\"");
        refused(2, "'de' is not one of zh, en", "init", "ours", "--language=de");
        String[] small = {"train", "mine/recipe.yaml", "--dry-run", "--set=preset=small", "--set=reasoner.base=base"};
        refused(69, "reasoner.base = base: no such folder; name a model folder", small);
        Files.writeString(
                Files.createDirectories(directory.resolve("mine/base")).resolve("chat_template.jinja"), "{{ other }}");
        refused(65, "chat_template.jinja: this chat template is not known", small);
        refused(2, "--config", "train", "--config=mine/recipe.yaml");
        refused(2, "mine/recipe.yaml: exists; name another folder", "init", "mine");
    }
}
