package dev.prpf.mpp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.run.MppConfig;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.mpp.run.SeedPlan;
import dev.prpf.mpp.run.SeedRun;
import dev.prpf.mpp.split.FoldPlan;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Train, sweep and predict as a script uses them, over real encoders and a few short texts. */
class MppCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path CONFIG = Path.of(System.getProperty("prpf.root", ".."), "configs", "mpp.yaml");
    private static final String RECORD =
            """
            {"benchmark_metadata":{"id":"%s","difficulty_level":1,"split":"train"},
             "reference_information":{"profile":"%s","phone":"电量充足","world":"晴天","trace":["%s"]},"recommendations":%s}""";
    private static final String ACTS =
            "[{\"instruction\":\"打车\",\"functions\":[{\"name\":\"book_transport\",\"parameters\":{}}]}]";

    @TempDir
    static Path directory;

    private static final ByteArrayOutputStream BYTES = new ByteArrayOutputStream();

    @BeforeAll
    static void redirect() {
        ResultStream.redirect(new PrintStream(BYTES, true, StandardCharsets.UTF_8));
    }

    @AfterAll
    static void restore() {
        ResultStream.redirect(System.out);
    }

    private static int run(String... arguments) {
        BYTES.reset();
        return new CommandLine(new MppCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((exception, command, parsed) -> {
                    if (exception instanceof PrpfException known) {
                        message = String.valueOf(known.getMessage());
                        return ExitCode.of(known).status();
                    }
                    throw exception;
                })
                .execute(arguments);
    }

    private static String message = "";

    private static JsonNode output() throws IOException {
        return JSON.readTree(BYTES.toString(StandardCharsets.UTF_8));
    }

    private static Path data(String name, int n, boolean labelled) throws IOException {
        return data(name, "s", n, labelled);
    }

    private static Path data(String name, String prefix, int n, boolean labelled) throws IOException {
        List<String> records = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            boolean acts = i % 3 != 0;
            String trace = acts ? "打开地图，搜索去机场的路线" : "锁屏，手机放在桌上";
            String record = RECORD.formatted(prefix + i, "用户" + prefix + i, trace, acts ? ACTS : "[]");
            records.add(labelled ? record : record.replaceAll(",\"recommendations\":.*", "}"));
        }
        return Files.writeString(directory.resolve(name), "[" + String.join(",\n", records) + "]");
    }

    private static String[] train(Path data, Path run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "train", "--config", CONFIG.toString(), "--data", data.toString(), "--run-dir", run.toString()));
        arguments.addAll(List.of("--store", directory.resolve("store").toString(), "--json"));
        for (String small : List.of(
                "network.dimension=32",
                "network.layers=1",
                "network.feed-forward=64",
                "optimizer.learning-rate=0.003",
                "training.epochs=6",
                "encoder.precision=int8")) {
            arguments.addAll(List.of("--set", small));
        }
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @Test
    void trainSweepPredict() throws IOException {
        Path run = directory.resolve("run");
        assertThat(run(train(data("train.json", 60, true), run))).as(message).isZero();
        assertThat(output().get("train").asInt()).isEqualTo(48);
        assertThat(output().get("train_oversampled").asInt()).isEqualTo(64);
        assertThat(output().get("dev").asInt()).isEqualTo(12);

        assertThat(run("sweep", "--run", run.toString(), "--json")).as(message).isZero();
        JsonNode sweep = output();
        assertThat(sweep.fieldNames())
                .toIterable()
                .containsExactly("threshold", "recall", "specificity", "constraint", "curve");
        assertThat(sweep.get("curve")).hasSize(91);
        assertThat(sweep.get("curve").get(0).fieldNames()).toIterable().containsExactly("tau", "recall", "specificity");
        assertThat(sweep.get("recall").asDouble()).isGreaterThanOrEqualTo(90);
        assertThat(sweep.get("specificity").asDouble()).isGreaterThanOrEqualTo(50);
        assertThat(run.resolve("threshold.csv")).content().startsWith("tau,recall,specificity\n0.05,");
        assertThat(run.resolve("threshold.svg")).content().startsWith("<svg").endsWith("</svg>\n");

        Path out = directory.resolve("predictions.jsonl");
        Path unlabelled = data("unlabelled.json", 9, false);
        assertThat(run(predict(run, unlabelled, out))).as(message).isZero();
        assertThat(output().get("samples").asInt()).isEqualTo(9);
        List<String> lines = Files.readAllLines(out);
        assertThat(lines).hasSize(9);
        double tau = sweep.get("threshold").asDouble();
        for (String text : lines) {
            JsonNode line = JSON.readTree(text);
            assertThat(line.fieldNames()).toIterable().containsExactly("id", "p_trigger", "trigger", "scenarios");
            assertThat(line.get("scenarios").fieldNames())
                    .toIterable()
                    .containsExactlyElementsOf(ScenarioCatalogReader.shipped().names());
            assertThat(line.get("trigger").asBoolean())
                    .isEqualTo(line.get("p_trigger").asDouble() >= tau);
        }

        assertThat(run("sweep", "--run", run.toString(), "--tau", "0.3", "--top-k", "99"))
                .isEqualTo(2);
        assertThat(new MppRun(run).threshold().threshold())
                .as("after a sweep that was refused")
                .isEqualTo(tau);
        assertThat(run.resolve("threshold.json")).content().contains("model_sha256");

        Path dev = run.resolve("dev.jsonl");
        List<String> whole = Files.readAllLines(dev);
        Files.write(dev, whole.subList(0, 11));
        assertThat(run("sweep", "--run", run.toString())).isEqualTo(65);
        assertThat(message)
                .endsWith(
                        "dev.jsonl: holds 11 samples, run.json says 12: lines were cut off or added; the training's command writes it"
                                + " again; where " + run
                                + " is one of several (--seeds, --folds), restore it or remove that folder first");

        assertThat(run(train(data("train.json", 60, true), run))).as(message).isZero();
        assertThat(output().get("steps").asInt()).as("a finished run is done").isPositive();
        assertThat(Files.readAllLines(dev)).isEqualTo(whole);
    }

    @Test
    void ofFoldsEachSampleIsPerceivedByTheOneThatDidNotSeeIt() throws IOException {
        Path run = directory.resolve("folds");
        Path data = data("folds.json", 36, true);
        String[] train = train(data, run, "--folds", "3", "--set", "training.epochs=2");
        assertThat(run(train)).as(message).isZero();
        assertThat(output().fieldNames()).toIterable().containsExactly("run", "folds", "samples");
        assertThat(output().get("folds").asInt()).isEqualTo(3);
        String sum = new MppRun(run).sha256();

        List<Sample> samples = SampleReader.readAll(data);
        FoldPlan plan = new MppRun(run).folds();
        MppConfig config = new MppRun(run).fold(0).config();
        ScenarioCatalog catalog = ScenarioCatalogReader.shipped();
        List<Perception> together;
        try (Perceiver perceiver = new MppRun(run).perceiverForTraining(encoder(config), catalog)) {
            assertThat(perceiver.id()).startsWith("mpp of 3 folds ");
            together = perceiver.perceive(samples);
            assertThat(perceiver.perceive(List.of())).isEmpty();
        }
        for (int fold = 0; fold < 3; fold++) {
            MppRun own = new MppRun(run).fold(fold);
            Set<String> seen = new HashSet<>();
            own.split().entries().forEach(entry -> seen.add(entry.id()));
            assertThat(seen).hasSize(24);
            try (Perceiver perceiver = own.perceiver(encoder(config), catalog)) {
                List<Perception> alone = perceiver.perceive(samples);
                for (int i = 0; i < samples.size(); i++) {
                    if (plan.foldOf(samples.get(i)) == fold) {
                        assertThat(seen).doesNotContain(samples.get(i).id());
                        assertThat(together.get(i).pTrigger())
                                .isCloseTo(alone.get(i).pTrigger(), within(1e-6));
                    }
                }
            }
        }
        assertThat(run(train)).as("a finished training is done").isZero();
        assertThat(new MppRun(run).sha256()).isEqualTo(sum);
        assertThatThrownBy(() -> new MppRun(run).model()).hasMessageContaining("holds the perceivers of folds");
    }

    private static SampleEncoder encoder(MppConfig config) {
        return SampleEncoder.open(config.encoder().settings(directory.resolve("store"), null));
    }

    @Test
    void foldsGoAlone() throws IOException {
        Path data = data("alone.json", 36, true);
        Path run = directory.resolve("alone");
        assertThat(run(train(data, run, "--folds", "1"))).isEqualTo(2);
        assertThat(message).isEqualTo("--folds = 1, must be at least 2");
        assertThat(run(train(data, run, "--folds", "3", "--seeds", "1,2"))).isEqualTo(2);
        assertThat(message).contains("--folds goes without --seeds and --test");
        assertThat(run(train(data, run, "--folds", "3", "--dry-run"))).isZero();
        assertThat(output().get("trainings").asInt()).isEqualTo(3);
        assertThat(run).doesNotExist();
    }

    private static String[] predict(Path run, Path data, Path out) {
        return new String[] {
            "predict",
            "--run",
            run.toString(),
            "--data",
            data.toString(),
            "--out",
            out.toString(),
            "--store",
            directory.resolve("store").toString(),
            "--json"
        };
    }

    @Test
    void unlabelledSamplesCannotBeTrainedOn() throws IOException {
        Path run = directory.resolve("unlabelled-run");
        assertThat(run(train(data("unlabelled-train.json", 9, false), run))).isEqualTo(65);
        assertThat(message).contains("unlabelled-train.json: ").contains("s0").contains("without answers");
        assertThat(run(train(
                        data("labelled.json", 9, true),
                        run,
                        "--test",
                        data("unlabelled-test.json", "t", 3, false).toString())))
                .isEqualTo(65);
        assertThat(message).contains("unlabelled-test.json: ");
    }

    @Test
    void samplesThatAllWantTheSameAreRefusedBeforeTheyAreEncoded() throws IOException {
        Path data = data("one-silent.json", 1, true);
        assertThat(run(train(data, directory.resolve("one-class"), "--dry-run")))
                .isEqualTo(65);
        assertThat(message)
                .isEqualTo(data
                        + ": holds 0 samples that want an intervention and 1 silent ones; a gate needs some of both");
    }

    @Test
    void missingPicturesAreNamedBeforeAnythingIsEncoded() throws IOException {
        Path data = data("pictures.json", 3, true);
        String shown = "[{\"source\":\"picture\",\"picture\":\"gone.png\"}]";
        Files.writeString(data, Files.readString(data).replace("[\"锁屏，手机放在桌上\"]", shown));
        Path run = directory.resolve("pictures");
        assertThat(run(train(data, run, "--dry-run"))).isEqualTo(2);
        assertThat(message).isEqualTo("sample s0: image gone.png has no folder to be found in; give --images DIR");
        for (String dry : List.of("--dry-run", "--no-ablations")) {
            String[] command = train(data, run, "--images", directory.toString(), "--seeds", "1", dry);
            assertThat(run(command)).isEqualTo(65);
            assertThat(message)
                    .isEqualTo("sample s0: picture " + directory.resolve("gone.png")
                            + " does not exist; check the path and the image root");
            assertThat(run).doesNotExist();
        }
        Path trained = directory.resolve("picture-run");
        assertThat(run(train(data("no-pictures.json", 30, true), trained, "--set", "training.epochs=1")))
                .as(message)
                .isZero();
        assertThat(run("sweep", "--run", trained.toString(), "--tau", "0.5"))
                .as(message)
                .isZero();
        Path out = directory.resolve("pictures.jsonl");
        assertThat(run(predict(trained, data, out))).isEqualTo(2);
        assertThat(message).startsWith("sample s0: image gone.png has no folder");
        assertThat(out).doesNotExist();
    }

    @Test
    void aRunWhoseEncodingFailsIsStoppedAndCanGoOn() throws IOException {
        Path data = data("unreadable.json", 9, true);
        String shown = "[{\"source\":\"picture\",\"picture\":\"unreadable.png\"}]";
        Files.writeString(data, Files.readString(data).replace("[\"锁屏，手机放在桌上\"]", shown));
        Files.writeString(directory.resolve("unreadable.png"), "no image");
        Path run = directory.resolve("unreadable");
        for (int time = 1; time <= 2; time++) { // the second would be refused if the first still held the run's lock
            assertThat(run(train(data, run, "--images", directory.toString()))).isEqualTo(65);
            assertThat(message).contains("unreadable.png");
            assertThat(state(run)).isEqualTo("stopped");
        }
    }

    private static String state(Path run) throws IOException {
        return JSON.readTree(run.resolve("run.json").toFile()).path("state").asText();
    }

    @Test
    void aSignalWhileSamplesAreEncodedLeavesWith75AndTheStoreKeepsWhatWasMade() throws Exception {
        Path run = directory.resolve("signalled");
        Path store = directory.resolve("signalled-store");
        Path data = data("signalled.json", "讲述".repeat(200), 900, true);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx700m",
                "-cp",
                System.getProperty("java.class.path"),
                SignalledCommand.class.getName()));
        command.addAll(List.of(train(data, run)));
        command.set(command.indexOf("--store") + 1, store.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("signalled.log").toFile())
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (process.isAlive() && !Files.exists(run.resolve("run.json")) && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(process.isAlive()).as("still encoding").isTrue();
        process.destroy(); // SIGTERM
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(directory.resolve("signalled.log")))
                .isEqualTo(75);
        assertThat(state(run)).isEqualTo("stopped");
        assertThat(directory.resolve("signalled.log"))
                .content()
                .contains("stopped by a signal while the samples were encoded; " + store + " keeps");
    }

    @Test
    void predictClosesTheStoresWhereItRefuses() throws IOException {
        Path trained = directory.resolve("leaking-run");
        assertThat(run(train(data("leaking.json", 30, true), trained, "--set", "training.epochs=1")))
                .as(message)
                .isZero();
        assertThat(run("sweep", "--run", trained.toString(), "--tau", "0.5"))
                .as(message)
                .isZero();
        Path other = Files.writeString(
                directory.resolve("other-scenarios.json"),
                "{\"scenarios\":[{\"name\":\"Shopping\",\"chinese\":\"购物\"}],\"functions\":{\"buy\":\"Shopping\"}}");
        List<String> command = new ArrayList<>(List.of(
                predict(trained, data("leaking-test.json", "t", 3, false), directory.resolve("leaking.jsonl"))));
        command.addAll(List.of("--scenarios", other.toString()));
        Path store = directory.resolve("store").toRealPath();
        long before = openFiles(store);
        assertThat(run(command.toArray(String[]::new))).as(message).isEqualTo(78);
        assertThat(message).contains("scenario catalogue");
        assertThat(openFiles(store)).as("open files of the store").isEqualTo(before);
    }

    private static long openFiles(Path below) throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "open files are listed on Linux");
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(file -> {
                        try {
                            return Files.readSymbolicLink(file).startsWith(below);
                        } catch (IOException closedMeanwhile) {
                            return false;
                        }
                    })
                    .count();
        }
    }

    @Test
    void aRunOverImagesThatWereChangedDoesNotGoOn() throws IOException {
        Path images = Files.createDirectory(directory.resolve("changing"));
        BufferedImage screen = new BufferedImage(20, 40, BufferedImage.TYPE_INT_RGB);
        ImageIO.write(screen, "png", images.resolve("a.png").toFile());
        Path data = data("changing.json", 30, true);
        String shown = "[{\"source\":\"picture\",\"picture\":\"a.png\"}]";
        Files.writeString(data, Files.readString(data).replace("[\"锁屏，手机放在桌上\"]", shown));
        String[] command = train(
                data, directory.resolve("changing-run"), "--images", images.toString(), "--set", "training.epochs=1");
        assertThat(run(command)).as(message).isZero();
        assertThat(run(command)).as(message).isZero();
        screen.setRGB(3, 3, 0xFFFFFF);
        ImageIO.write(screen, "png", images.resolve("a.png").toFile());
        assertThat(run(command)).isEqualTo(78);
        assertThat(message).contains("holds a run whose pictures_sha256 was");
    }

    @Test
    void testSamplesThatAllWantTheSameAreRefusedBeforeTheyAreEncoded() throws IOException {
        Path data = data("two-classes.json", 9, true);
        Path test = data("one-silent-test.json", "t", 1, true);
        assertThat(run(train(data, directory.resolve("one-class-test"), "--test", test.toString(), "--dry-run")))
                .isEqualTo(65);
        assertThat(message).startsWith(test + ": holds 0 samples that want an intervention and 1 silent ones");
    }

    @Test
    void aRunThatIsNoneSaysWhatToDo() {
        assertThat(run("sweep", "--run", directory.resolve("nothing").toString()))
                .isEqualTo(69);
        assertThat(message).contains("mpp train --run-dir");
    }

    @Test
    void aDirectoryOfSeveralRunsSaysHowToComeToOne() throws IOException {
        Path seeds = Files.createDirectory(directory.resolve("seeds-alone"));
        new MppRun(seeds).write(new SeedPlan(List.of(new SeedRun(SeedRun.Variant.FULL, 7, "full/seed_7"))));
        Path data = data("any.json", 3, true);
        assertThat(run(predict(seeds, data, directory.resolve("any.jsonl")))).isEqualTo(69);
        assertThat(message)
                .contains("runs of several seeds; name one of them, such as " + seeds.resolve("full/seed_7"));
        assertThatThrownBy(() -> new MppRun(seeds).model()).hasMessageContaining("runs of several seeds");
        Files.writeString(seeds.resolve("seeds.json"), "[]");
        assertThat(run("sweep", "--run", seeds.toString())).isEqualTo(65);
        assertThat(message).contains("seeds.json: is no plan of seeds: runs = 0 must be at least 1");

        Path folds = Files.createDirectory(directory.resolve("folds-alone"));
        new MppRun(folds).write(FoldPlan.of(SampleReader.readAll(data), 2, 1));
        assertThat(run("sweep", "--run", folds.toString())).isEqualTo(69);
        assertThat(message).contains("perceivers of folds", "without --folds");
        assertThat(run(predict(folds, data, directory.resolve("any.jsonl")))).isEqualTo(69);
        assertThat(message).contains("perceivers of folds", "without --folds");
    }

    @Test
    void aConfidenceWithoutABoundIsRefused() {
        for (String[] rule : List.of(new String[] {}, new String[] {"--max-ftr", "10"})) {
            List<String> arguments = new ArrayList<>(
                    List.of("sweep", "--run", directory.resolve("nothing").toString(), "--confidence", "95"));
            arguments.addAll(List.of(rule));
            assertThat(run(arguments.toArray(String[]::new))).isEqualTo(2);
            assertThat(message)
                    .isEqualTo("--confidence = 95.0 goes with --bound-ftr or --bound-miss; no other rule"
                            + " promises anything");
        }
    }

    @Test
    void trainWithoutConfigurationIsRefused() {
        assertThat(run("train", "--data", "x.json")).isEqualTo(2);
        assertThat(message).contains("configs/mpp.yaml");
    }

    @Test
    void aDryRunWritesNothing() throws IOException {
        Path run = directory.resolve("dry");
        assertThat(run(train(data("train-dry.json", 9, true), run, "--dry-run")))
                .as(message)
                .isZero();
        assertThat(output().get("samples").asInt()).isEqualTo(9);
        assertThat(run).doesNotExist();
    }

    @Test
    void seedsGiveTheTablesInOneReportAndGoOnAfterAStop() throws IOException {
        Path run = directory.resolve("seeds");
        Path data = data("train-seeds.json", 60, true);
        Path test = data("test-seeds.json", "t", 30, true);
        String[] command = train(data, run, "--seeds", "1,2", "--test", test.toString(), "--set", "training.epochs=2");
        assertThat(run(command)).as(message).isZero();
        JsonNode tables = output().get("tables");
        assertThat(output().get("trainings").intValue()).isEqualTo(6);
        assertThat(tables.get("split").textValue()).isEqualTo("test");
        assertThat(tables.get("n").intValue()).isEqualTo(30);
        assertThat(tables.at("/variants").findValuesAsText("name")).containsExactly("full", "w/o slow", "w/o fast");
        assertThat(tables.at("/variants/1/seeds")).hasSize(2);
        assertThat(tables.at("/top_k")).hasSize(10);
        assertThat(tables.at("/top_k/0/recall_all/n").intValue()).isEqualTo(30);
        assertThat(run.resolve("report.html")).content().contains("PRPF Table 7", "w/o fast");

        Path arrays = run.resolve("full/seed_1/metrics.jsonl");
        String before = Files.readString(arrays);
        Path alone = directory.resolve("alone");
        assertThat(run(train(data, alone, "--set", "training.epochs=2", "--set", "seed=1")))
                .as(message)
                .isZero();
        assertThat(Files.readString(alone.resolve("metrics.jsonl")))
                .as("a seed alone")
                .isEqualTo(before);

        deleteTree(run.resolve("without-fast/seed_2")); // as if stopped before the last
        long modified =
                Files.getLastModifiedTime(run.resolve("full/seed_1/dev.jsonl")).toMillis();
        assertThat(run(command)).as(message).isZero();
        assertThat(output().get("tables")).isEqualTo(tables);
        assertThat(Files.getLastModifiedTime(run.resolve("full/seed_1/dev.jsonl"))
                        .toMillis())
                .as("finished runs are left alone")
                .isEqualTo(modified);
        assertThat(run(train(data, run, "--seeds", "1,3", "--test", test.toString(), "--set", "training.epochs=2")))
                .isEqualTo(78);
        assertThat(message).contains("seeds");

        assertThat(run("sweep", "--run", run.toString(), "--tau", "0.5", "--top-k", "1,14", "--json"))
                .as(message)
                .isZero();
        assertThat(output().at("/variants/2/figures/threshold/mean").doubleValue())
                .isEqualTo(0.5);
        assertThat(output().get("top_k").findValues("k")).hasSize(2);
        assertThat(run("sweep", "--run", run.toString(), "--tau", "0.7", "--top-k", "1..15"))
                .isEqualTo(2);
        assertThat(message).contains("--top-k = 15, the catalogue has 14 scenarios");
        for (SeedRun one : new MppRun(run).seeds().runs()) {
            assertThat(new MppRun(run).seed(one).threshold().threshold())
                    .as("%s after a sweep that was refused", one.path())
                    .isEqualTo(0.5);
        }
        String[] forPeople =
                Stream.of(command).filter(word -> !word.equals("--json")).toArray(String[]::new);
        assertThat(run(forPeople)).as(message).isZero();
        assertThat(BYTES.toString(StandardCharsets.UTF_8))
                .contains("trainings: 6", "predicted silent", "mean pool", "report: ")
                .doesNotContain("{", "[D@", "tables:");
        for (SeedRun one : new MppRun(run).seeds().runs()) {
            assertThat(new MppRun(run).seed(one).threshold().threshold())
                    .as("%s after a training that was finished before", one.path())
                    .isEqualTo(0.5);
        }
        Path withoutFast = run.resolve("without-fast/seed_2");
        assertThat(run("sweep", "--run", withoutFast.toString(), "--tau", "0.5", "--json"))
                .as(message)
                .isZero();
        assertThat(withoutFast.resolve("tables.json"))
                .as("one run of a training over seeds, looked at alone")
                .content()
                .contains("\"name\" : \"w/o fast\"")
                .doesNotContain("\"full\"");
        Files.delete(run.resolve("full/seed_2/dev.jsonl"));
        assertThat(run("sweep", "--run", run.toString(), "--tau", "0.6")).isEqualTo(69);
        assertThat(message).contains("mpp train --run-dir " + run + " --seeds");
        assertThat(new MppRun(run.resolve("full/seed_1")).threshold().threshold())
                .as("the runs before the one that is missing")
                .isEqualTo(0.5);
    }

    @Test
    void testSamplesThatTrainingSawAreRefusedBeforeAnyWork() throws IOException {
        Path data = data("train-leak.json", 60, true);
        Path run = directory.resolve("leak");
        assertThat(run(train(data, run, "--test", data.toString()))).isEqualTo(65);
        assertThat(message).contains("60 of 60 test samples have the id or the content", "[s0, s1, s2, s3, s4]");
        Path renamed = directory.resolve("renamed.json");
        Files.writeString(renamed, Files.readString(data).replace("\"id\":\"s", "\"id\":\"other"));
        assertThat(run(train(data, run, "--test", renamed.toString()))).isEqualTo(65);
        assertThat(message).contains("60 of 60 test samples", "[other0, ");
        assertThat(run).doesNotExist();
    }

    @Test
    void aTestImageRootWrittenAnotherWayHidesNoScreenThatTrainingSaw() throws IOException {
        Path images = Files.createDirectory(directory.resolve("screens"));
        String screens = Files.readString(data("screens.json", 9, true))
                .replaceAll("\"trace\":\\[[^]]*\\]", "\"trace\":[{\"source\":\"picture\",\"picture\":\"a.png\"}]");
        Path data = Files.writeString(directory.resolve("screens.json"), screens);
        Path test = Files.writeString(
                directory.resolve("screens-test.json"), screens.replace("\"id\":\"s", "\"id\":\"other"));
        String[] command = train(
                data,
                directory.resolve("leak-screens"),
                "--test",
                test.toString(),
                "--dry-run",
                "--images",
                images.toString(),
                "--test-images",
                images.resolve("..").resolve("screens") + "/");
        assertThat(run(command)).as(message).isEqualTo(65);
        assertThat(message).contains("9 of 9 test samples have the id or the content");
    }

    @Test
    void theSameSampleUnderTwoIdsIsNoCalibrationSampleThatTrainingSaw() throws IOException {
        Path data = data("train-twice.json", 60, true);
        String once = Files.readString(data);
        String again = once.replace("\"id\":\"s", "\"id\":\"again");
        Files.writeString(data, once.substring(0, once.length() - 1) + "," + again.substring(1));
        Path run = directory.resolve("twice");
        assertThat(run(train(data, run, "--set", "calibration.share=0.3", "--set", "training.epochs=1")))
                .as(message)
                .isZero();
        assertThat(output().get("calibration").asInt()).isBetween(20, 60);
        Map<String, String> splits = new HashMap<>();
        for (String line : Files.readAllLines(run.resolve("split.jsonl"))) {
            JsonNode entry = JSON.readTree(line);
            splits.put(entry.get("id").asText(), entry.get("split").asText());
        }
        assertThat(splits).hasSize(120);
        for (int i = 0; i < 60; i++) {
            assertThat(splits.get("again" + i)).isEqualTo(splits.get("s" + i));
        }
        assertThat(run("sweep", "--run", run.toString(), "--bound-ftr", "90"))
                .as(message)
                .isZero();
    }

    @Test
    void theBenchRefusesAnEncoderThatItDoesNotMeasure() {
        assertThat(run("bench", "--config", CONFIG.toString(), "--set", "encoder.frame-encoder=clip:/somewhere"))
                .isEqualTo(78);
        assertThat(message).contains("encoder.frame-encoder = clip:/somewhere", "set encoder.frame-encoder=ocr");
    }

    private static void deleteTree(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aBoundIsGivenOnSamplesKeptForItAndRefusedWithout() throws IOException {
        Path run = directory.resolve("guaranteed");
        Path data = data("train-guaranteed.json", 240, true);
        assertThat(run(train(
                        data,
                        run,
                        "--set",
                        "calibration.share=0.4",
                        "--set",
                        "calibration.method=temperature",
                        "--set",
                        "training.epochs=3")))
                .as(message)
                .isZero();
        assertThat(output().get("calibration").intValue()).isEqualTo(96);
        assertThat(run.resolve("calibration.json")).content().contains("temperature");
        String bound = "30";
        assertThat(run("sweep", "--run", run.toString(), "--bound-ftr", bound, "--confidence", "80", "--json"))
                .as(message)
                .isZero();
        JsonNode guarantee = output().get("guarantee");
        assertThat(guarantee.get("risk").textValue()).isEqualTo("ftr");
        assertThat(guarantee.get("samples").intValue()).isEqualTo(32);
        assertThat(guarantee.get("upper").doubleValue()).isLessThanOrEqualTo(30);
        assertThat(run.resolve("threshold.json")).content().contains("\"guarantee\"", "calibration_sha256");
        assertThat(run.resolve("report.html")).content().contains("guaranteed: ftr &lt;= 30 % with confidence 80 %");

        assertThat(run("sweep", "--run", run.toString(), "--bound-ftr", "1")).isEqualTo(65);
        assertThat(message).contains("holds 32 silent samples", "needs at least 678");
        assertThat(run("sweep", "--run", run.toString(), "--bound-miss", "0")).isEqualTo(2);
        assertThat(message).contains("--bound-miss", "bound = 0.0");
    }
}
