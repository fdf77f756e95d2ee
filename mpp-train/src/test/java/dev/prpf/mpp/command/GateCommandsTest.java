package dev.prpf.mpp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.split.FoldPlan;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.SeedPlan;
import dev.prpf.mpp.training.TrainedRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Train, sweep and predict as a script uses them, over real encoders and a few short texts. */
@Tag("slow")
class GateCommandsTest extends GateCommandRuns {
    @Test
    void trainSweepPredict() throws IOException {
        Path run = directory.resolve("run");
        assertThat(run(train(data("train.json", 60, true), run))).as(message).isZero();
        assertThat(output().get("train").asInt()).isEqualTo(48);
        assertThat(output().get("train_oversampled").asInt()).isEqualTo(64);
        assertThat(output().get("dev").asInt()).isEqualTo(12);

        assertThat(run("sweep", "--gate", run.toString(), "--json")).as(message).isZero();
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

        assertThat(run("sweep", "--gate", run.toString(), "--tau", "0.3", "--shortlist", "99"))
                .isEqualTo(2);
        assertThat(new MppRun.Single(run).threshold().threshold())
                .as("after a sweep that was refused")
                .isEqualTo(tau);
        assertThat(run.resolve("threshold.json")).content().contains("model_sha256");

        Path dev = run.resolve("dev.jsonl");
        List<String> whole = Files.readAllLines(dev);
        Files.write(dev, whole.subList(0, 11));
        assertThat(run("sweep", "--gate", run.toString())).isEqualTo(65);
        assertThat(message)
                .endsWith(
                        "dev.jsonl: holds 11 samples, run.json says 12: lines are missing or were added; the training's"
                                + " command writes it again; if " + run
                                + " is one of several (--seeds, --folds), restore it or remove that folder first");

        assertThat(run(train(data("train.json", 60, true), run))).as(message).isZero();
        assertThat(output().get("steps").asInt()).as("a finished run is done").isPositive();
        assertThat(Files.readAllLines(dev)).isEqualTo(whole);
    }

    private static String[] predict(Path run, Path data, Path out) {
        return new String[] {
            "predict",
            "--gate",
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
    void missingImagesAreNamedBeforeAnythingIsEncoded() throws IOException {
        Path data = data("images.json", 3, true);
        String shown = "[{\"source\":\"picture\",\"picture\":\"gone.png\"}]";
        Files.writeString(data, Files.readString(data).replace("[\"锁屏，手机放在桌上\"]", shown));
        Path run = directory.resolve("images");
        assertThat(run(train(data, run, "--dry-run"))).isEqualTo(2);
        assertThat(message).isEqualTo("sample s0: image gone.png needs an image root; give --images DIR");
        for (String dry : List.of("--dry-run", "--no-ablations")) {
            String[] command = train(data, run, "--images", directory.toString(), "--seeds", "1", dry);
            assertThat(run(command)).isEqualTo(65);
            assertThat(message)
                    .isEqualTo("sample s0: image " + directory.resolve("gone.png")
                            + " does not exist; check the path and the image root");
            assertThat(run).doesNotExist();
        }
        Path trained = directory.resolve("image-run");
        assertThat(run(train(data("no-images.json", 30, true), trained, "--set", "training.epochs=1")))
                .as(message)
                .isZero();
        assertThat(run("sweep", "--gate", trained.toString(), "--tau", "0.5"))
                .as(message)
                .isZero();
        Path out = directory.resolve("images.jsonl");
        assertThat(run(predict(trained, data, out))).isEqualTo(2);
        assertThat(message).startsWith("sample s0: image gone.png needs an image root");
        assertThat(out).doesNotExist();
    }

    @Test
    void predictClosesTheStoresOnErrors() throws IOException {
        Path trained = directory.resolve("leaking-run");
        assertThat(run(train(data("leaking.json", 30, true), trained, "--set", "training.epochs=1")))
                .as(message)
                .isZero();
        assertThat(run("sweep", "--gate", trained.toString(), "--tau", "0.5"))
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
    void missingRunNamesTheCommandToTrain() {
        assertThat(run("sweep", "--gate", directory.resolve("nothing").toString()))
                .isEqualTo(69);
        assertThat(message).contains("gate train --run-dir");
    }

    @Test
    void directoryOfSeveralRunsNamesOneOfThem() throws IOException {
        Path seeds = Files.createDirectory(directory.resolve("seeds-alone"));
        new MppRun.Seeds(seeds).write(new SeedPlan(List.of(new SeedPlan.Run(SeedPlan.Variant.FULL, 7, "full/seed_7"))));
        Path data = data("any.json", 3, true);
        assertThat(run(predict(seeds, data, directory.resolve("any.jsonl")))).isEqualTo(69);
        assertThat(message)
                .contains("runs of several seeds; name one of them, such as " + seeds.resolve("full/seed_7"));
        Files.writeString(seeds.resolve("seeds.json"), "[]");
        assertThat(run("sweep", "--gate", seeds.toString())).isEqualTo(65);
        assertThat(message).contains("seeds.json: is no plan of seeds: runs = 0 must be at least 1");

        Path folds = Files.createDirectory(directory.resolve("folds-alone"));
        new MppRun.Folds(folds).write(FoldPlan.of(SampleReader.readAll(data), 2, 1));
        assertThat(run("sweep", "--gate", folds.toString())).isEqualTo(69);
        assertThat(message).contains("perceivers of folds", "without --folds");
        assertThat(run(predict(folds, data, directory.resolve("any.jsonl")))).isEqualTo(69);
        assertThat(message).contains("perceivers of folds", "without --folds");
    }

    @Test
    void aConfidenceWithoutABoundIsRefused() {
        for (String[] rule : List.of(new String[] {}, new String[] {"--max-ftr", "10"})) {
            List<String> arguments = new ArrayList<>(
                    List.of("sweep", "--gate", directory.resolve("nothing").toString(), "--confidence", "95"));
            arguments.addAll(List.of(rule));
            assertThat(run(arguments.toArray(String[]::new))).isEqualTo(2);
            assertThat(message)
                    .isEqualTo("--confidence = 95.0 goes with --bound-ftr or --bound-miss; no other rule has a"
                            + " confidence");
        }
    }

    @Test
    void seedsGiveOneReportAndResumeAfterAStop() throws IOException {
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
        assertThat(tables.at("/shortlist")).hasSize(10);
        assertThat(tables.at("/shortlist/0/recall_all/n").intValue()).isEqualTo(30);
        assertThat(run.resolve("report.html")).content().contains("PRPF Table 7", "w/o fast");

        Path arrays = run.resolve("full/seed_1/metrics.jsonl");
        String before = Files.readString(arrays);
        Path alone = directory.resolve("alone");
        assertThat(run(train(data, alone, "--set", "training.epochs=2", "--set", "seed=1")))
                .as(message)
                .isZero();
        assertThat(Files.readString(alone.resolve("metrics.jsonl")))
                .as("a single seed")
                .isEqualTo(before);

        deleteTree(run.resolve("without-fast/seed_2")); // like a stop before the last run
        long modified =
                Files.getLastModifiedTime(run.resolve("full/seed_1/dev.jsonl")).toMillis();
        assertThat(run(command)).as(message).isZero();
        assertThat(output().get("tables")).isEqualTo(tables);
        assertThat(Files.getLastModifiedTime(run.resolve("full/seed_1/dev.jsonl"))
                        .toMillis())
                .as("finished runs are unchanged")
                .isEqualTo(modified);
        assertThat(run(train(data, run, "--seeds", "1,3", "--test", test.toString(), "--set", "training.epochs=2")))
                .isEqualTo(78);
        assertThat(message).contains("seeds");

        assertThat(run("sweep", "--gate", run.toString(), "--tau", "0.5", "--shortlist", "1,14", "--json"))
                .as(message)
                .isZero();
        assertThat(output().at("/variants/2/figures/threshold/mean").doubleValue())
                .isEqualTo(0.5);
        assertThat(output().get("shortlist").findValues("k")).hasSize(2);
        assertThat(run("sweep", "--gate", run.toString(), "--tau", "0.7", "--shortlist", "1..15"))
                .isEqualTo(2);
        assertThat(message).contains("--shortlist = 15, the catalogue has 14 scenarios");
        for (TrainedRun one : new MppRun.Seeds(run).runs()) {
            assertThat(one.threshold().threshold())
                    .as("%s after a sweep that was refused", one.path())
                    .isEqualTo(0.5);
        }
        String[] forPeople =
                Stream.of(command).filter(word -> !word.equals("--json")).toArray(String[]::new);
        assertThat(run(forPeople)).as(message).isZero();
        assertThat(BYTES.toString(StandardCharsets.UTF_8))
                .contains("trainings: 6", "predicted silent", "mean pool", "report: ")
                .doesNotContain("{", "[D@", "tables:");
        for (TrainedRun one : new MppRun.Seeds(run).runs()) {
            assertThat(one.threshold().threshold())
                    .as("%s after a training that was finished before", one.path())
                    .isEqualTo(0.5);
        }
        Path withoutFast = run.resolve("without-fast/seed_2");
        assertThat(run("sweep", "--gate", withoutFast.toString(), "--tau", "0.5", "--json"))
                .as(message)
                .isZero();
        assertThat(withoutFast.resolve("tables.json"))
                .as("one run of a training over seeds")
                .content()
                .contains("\"name\" : \"w/o fast\"")
                .doesNotContain("\"full\"");
        Files.delete(run.resolve("full/seed_2/dev.jsonl"));
        assertThat(run("sweep", "--gate", run.toString(), "--tau", "0.6")).isEqualTo(69);
        assertThat(message).contains("gate train --run-dir " + run + " --seeds");
        assertThat(new MppRun.Single(run.resolve("full/seed_1")).threshold().threshold())
                .as("the runs before the one that is missing")
                .isEqualTo(0.5);
    }

    private static void deleteTree(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void boundNeedsCalibrationSamples() throws IOException {
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
        assertThat(run("sweep", "--gate", run.toString(), "--bound-ftr", bound, "--confidence", "80", "--json"))
                .as(message)
                .isZero();
        JsonNode guarantee = output().get("guarantee");
        assertThat(guarantee.get("risk").textValue()).isEqualTo("ftr");
        assertThat(guarantee.get("samples").intValue()).isEqualTo(32);
        assertThat(guarantee.get("upper").doubleValue()).isLessThanOrEqualTo(30);
        assertThat(run.resolve("threshold.json")).content().contains("\"guarantee\"", "calibration_sha256");
        assertThat(run.resolve("report.html")).content().contains("risk control: ftr &lt;= 30 % with confidence 80 %");

        assertThat(run("sweep", "--gate", run.toString(), "--bound-ftr", "1")).isEqualTo(65);
        assertThat(message).contains("holds 32 silent samples", "needs at least 678");
        assertThat(run("sweep", "--gate", run.toString(), "--bound-miss", "0")).isEqualTo(2);
        assertThat(message).contains("--bound-miss", "bound = 0.0");
    }
}
