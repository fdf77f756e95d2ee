package dev.prpf.cli.recipe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.cascade.CascadeFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From five records of one's own to a cascade, and each command that takes it. */
@Tag("slow")
class CascadeCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Path ROOT =
            Path.of(System.getProperty("prpf.root", "..")).toAbsolutePath().normalize();

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
        assertThat(done("init", "tea für zwei").stdout())
                .contains("data validate --data 'tea für zwei/records.json' --pool 'tea für zwei/functions.json'")
                .contains("./prpf train 'tea für zwei/recipe.yaml'");
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
        assertThat(evaluated.stderr())
                .contains("note: 5 of 5 records were in the training, by their content")
                .doesNotContain("note: no test record calls");
        assertThat(evaluated.stdout())
                .contains("Names acting  33.33", "always_silent", "always_trigger", "random_function");
        functionsWithoutATestRecordAreNamed(records);
        recordsOfOtherFunctionsAreRefused(records);
        unlabelledRecordsAreRefused(records);
        assertThat(JSON.readTree(done("try", cascade.toString(), "--json").stdout())
                        .get("id")
                        .textValue())
                .isEqualTo("r01");
        assertThat(done("try", cascade.toString(), "--id", "r04").stdout())
                .contains("record r04", "Starts a jazz album", "gate: ", "label: silence");
        assertThat(done("serve", "--dry-run").stdout()).as("the newest cascade").contains("tea für zwei/gate");
        stagesTakeTheCascade();
        basesAreCheckedBeforeAnyStage();
        aBaseOfTheHubIsCheckedAfterItsDownload();
        damagedCascadesAreRefused();
    }

    private void functionsWithoutATestRecordAreNamed(String records) throws IOException {
        JsonNode all = JSON.readTree(directory.resolve(records).toFile());
        Path file = directory.resolve("two.json");
        JSON.writeValue(file.toFile(), List.of(all.get(0), all.get(3)));
        assertThat(done("evaluate", cascade.toString(), "--data=" + file).stderr())
                .contains("note: no test record calls 2 of 3 functions: ");
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

    private void recordsOfOtherFunctionsAreRefused(String records) throws IOException {
        String others = Files.readString(directory.resolve(records)).replace("set_reminder", "set_remainder");
        Path file = Files.writeString(directory.resolve("others.json"), others);
        refused(
                65,
                "calls set_remainder, which is no function of the cascade (did you mean \"set_reminder\"?)",
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
        String server = "--remote=" + ROOT + "/configs/remote.yaml";
        assertThat(done("serve", folder, server, "--set=server.urls=[http://127.0.0.1:9/v1]", "--dry-run")
                        .stdout())
                .as("it needs no reasoner of its own")
                .contains("tea für zwei/gate, reasoner Qwen/Qwen3.5-9B at http://127.0.0.1:9/v1");
        Path description = cascade.resolve("cascade.json");
        Files.writeString(
                description, Files.readString(description).replace("\"format_version\" : 1", "\"format_version\" : 2"));
        refused(78, "format_version = 2, this program reads 1", "try", folder);
        Files.writeString(description, "{");
        refused(65, "cascade.json: cannot be read as JSON: line 1", "try", folder);
        Files.delete(description);
        refused(69, "holds no cascade (cascade.json is missing)", "serve", folder);
    }

    private void basesAreCheckedBeforeAnyStage() throws IOException {
        Path base = directory.resolve("base");
        AtomicFiles.copyTree(cascade.resolve("work/reasoner-base"), base);
        Path tokenizer = base.resolve("tokenizer_config.json");
        ObjectNode settings = (ObjectNode) JSON.readTree(tokenizer.toFile());
        assertThat(settings.remove("chat_template")).isNotNull();
        JSON.writeValue(tokenizer.toFile(), settings);
        List<String> words = new ArrayList<>(List.of("train", "tea für zwei/recipe.yaml", "--run-dir=runs/small"));
        words.addAll(List.of("--set=preset=small", "--set=reasoner.base=" + base));
        String[] train = words.toArray(String[]::new);
        words.add("--dry-run");
        String[] planned = words.toArray(String[]::new);
        assertThat(done(planned).stderr()).contains("note: " + base + " has no chat template; its prompts use ChatML");

        Path config = base.resolve("config.json");
        String intact = Files.readString(config);
        JsonNode huge = JSON.readTree(intact);
        ((ObjectNode) huge).put("intermediate_size", 2_000_000_000);
        JSON.writeValue(config.toFile(), huge);
        refused(3, "error: sft: the training needs about ", train);
        JSON.writeValue(config.toFile(), ((ObjectNode) huge).put("num_hidden_layers", 9));
        refused(65, "is missing; ", train);
        Files.writeString(config, intact.replaceFirst("\"model_type\" *: *\"[a-z0-9_]+\"", "\"model_type\": \"bert\""));
        refused(65, "bert", train);
        Files.writeString(config, intact);
        Files.delete(base.resolve("model.safetensors"));
        refused(69, "neither model.safetensors nor model.safetensors.index.json exists", train);
        assertThat(directory.resolve("runs/small")).doesNotExist();
    }

    private void aBaseOfTheHubIsCheckedAfterItsDownload() throws IOException {
        Path base = directory.resolve("published");
        AtomicFiles.copyTree(cascade.resolve("work/reasoner-base"), base);
        Path config = base.resolve("config.json");
        JsonNode huge = JSON.readTree(config.toFile());
        ((ObjectNode) huge).put("intermediate_size", 2_000_000_000);
        JSON.writeValue(config.toFile(), huge);
        String[] train = words(
                "train --run-dir=runs/hub --set=preset=small --set=reasoner.base=hub:org/tiny",
                new String[] {"tea für zwei/recipe.yaml"});
        HttpServer hub = hub(base);
        try {
            Map<String, String> environment = Map.of(
                    "HF_ENDPOINT",
                    "http://127.0.0.1:" + hub.getAddress().getPort(),
                    "HF_HOME",
                    directory.resolve("hub-home").toString());
            CommandProcess.Result tooLarge =
                    CommandProcess.in(directory).withEnvironment(environment).run(train);
            assertThat(tooLarge.exitCode()).as(tooLarge.stderr()).isEqualTo(3);
            assertThat(tooLarge.stderr())
                    .contains("fetch: download", "error: sft: the training needs about ")
                    .doesNotContain("gate: train the gate");
        } finally {
            hub.stop(0);
        }
        finishedRunsNeedNeitherBaseNorMemory(train);
    }

    private void finishedRunsNeedNeitherBaseNorMemory(String[] train) throws IOException {
        Path work = directory.resolve("runs/hub/work");
        for (String made : List.of("gate", "reasoner")) {
            AtomicFiles.copyTree(cascade.resolve("work").resolve(made), work.resolve(made));
        }
        JSON.writeValue(
                directory.resolve("runs/hub/stages.json").toFile(),
                Map.of("validate", 1, "fetch", 1, "encode", 1, "gate", 1, "threshold", 1, "sft", 1));
        assertThat(done(train).stdout()).contains("cascade: runs/hub");
        AtomicFiles.deleteTree(work.resolve("reasoner-base"));
        assertThat(done(train).stdout()).contains("cascade: runs/hub");
    }

    /** Starts a hub with the files of a folder. */
    private static HttpServer hub(Path folder) throws IOException {
        String commit = "c".repeat(40);
        HttpServer hub = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ArrayNode tree = JSON.createArrayNode();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                byte[] content = Files.readAllBytes(file);
                tree.addObject()
                        .put("type", "file")
                        .put("path", file.getFileName().toString())
                        .put("size", content.length)
                        .put("oid", "0".repeat(40))
                        .putObject("lfs")
                        .put("oid", AtomicFiles.sha256(file));
                answer(hub, "/org/tiny/resolve/" + commit + "/" + file.getFileName(), content);
            }
        }
        answer(hub, "/api/models/org/tiny/revision/main", ("{\"sha\": \"" + commit + "\"}").getBytes(UTF_8));
        answer(hub, "/api/models/org/tiny/tree/" + commit, tree.toString().getBytes(UTF_8));
        hub.start();
        return hub;
    }

    private static void answer(HttpServer server, String path, byte[] content) {
        server.createContext(path, exchange -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
            exchange.close();
        });
    }

    private static void takenPortsAreRefusedBeforeTheModelsLoad(String folder) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            String message = "cannot listen on 127.0.0.1:" + port + ": Address already in use";
            refused(69, message, "serve", folder, "--host=127.0.0.1", "--port=" + port);
        }
    }

    @Test
    void aCascadeWhoseGateIsAnEnsemble_isTriedAndServed() throws Exception {
        String configs = ROOT + "/configs/";
        String records = ROOT + "/examples/own-data/records.json";
        String pool = "--pool=" + ROOT + "/examples/own-data/functions.json";
        String ensemble = "--config=" + configs + "quickstart/gate-ensemble.yaml";
        String[] settings = {"--set=folds=2", "--set=text-encoders=[bge-small-en-v1.5]"};
        String[] places = {"--data=" + records, pool, "--store=store", "--run-dir=gate"};
        done(words("gate train --ensemble", new String[] {ensemble}, settings, places));
        done("gate", "sweep", "--gate=gate", "--max-ftr=100");
        String tiny = "--config=" + configs + "quickstart/reasoner-init.yaml --set=model.hidden-size=32"
                + " --set=model.intermediate-size=32 --set=model.layers=1 --set=model.heads=2 --set=model.key-value-heads=2";
        done(words("reasoner init " + tiny + " --out=base --text=" + records, new String[] {pool}));
        done("reasoner", "adopt", "--config=" + configs + "reasoner-adopt.yaml", "--reasoner=base");
        Path folder = directory.resolve("ensemble");
        CascadeFolder.assemble(
                folder,
                MppRun.trained(directory.resolve("gate")),
                directory.resolve("base"),
                new CascadeFolder.Answering(1, 48, true));

        JsonNode tried = JSON.readTree(done("try", "ensemble", "--data=" + records, "--id=r01", "--json")
                .stdout());
        assertThat(tried.get("route").textValue()).isEqualTo("reasoned");
        JsonNode moment = JSON.readTree(Path.of(records).toFile()).get(0).get("reference_information");
        JsonNode served = served("ensemble", moment);
        assertThat(served.get("p_trigger").doubleValue())
                .isCloseTo(tried.get("p_trigger").doubleValue(), within(1e-6));
        assertThat(served.get("threshold").doubleValue())
                .isEqualTo(CascadeFolder.open(folder).manifest().threshold());
        assertThat(served.get("candidate_functions")).hasSize(1);
        assertThat(served.at("/recommendations").findValuesAsText("name"))
                .isEqualTo(tried.at("/calls").findValuesAsText("name"));
    }

    private static String[] words(String first, String[]... more) {
        return Stream.concat(Stream.of(first.split(" ", -1)), Stream.of(more).flatMap(Stream::of))
                .toArray(String[]::new);
    }

    /** Serves a cascade until it has answered one request for a recommendation. */
    private JsonNode served(String folder, JsonNode moment) throws Exception {
        Process server = CommandProcess.in(directory).startReadable("serve", folder, "--port=0", "--json");
        try (BufferedReader out = server.inputReader(StandardCharsets.UTF_8)) {
            String address = JSON.readTree(out.readLine()).get("listening").textValue();
            HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/v1/recommend"))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(moment.toString()))
                    .build();
            return JSON.readTree(HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body());
        } finally {
            server.destroyForcibly().waitFor();
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
        assertThat(written.at("/next/2").textValue()).isEqualTo("./prpf serve runs/mine");
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
