package dev.prpf.mpp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.mpp.perceive.LabelledPerceptions.LabelledPerception;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.training.EnsembleRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code gate train --ensemble}, and sweep and predict of its run, as a script uses them. */
@Tag("slow")
class EnsembleCommandTest extends GateCommandRuns {
    private static final Path ENSEMBLE =
            Path.of(System.getProperty("prpf.root", ".."), "configs", "gate-ensemble.yaml");
    private static final String HAN = "天地人你我他日月水火山石田土木禾上中下大小多少来去出入开关早晚春夏秋冬";

    private static Path trained;
    private static Path test;

    /** Samples that differ by more than their numbers, so no near-duplicates. */
    private static Path varied(String name, String prefix, int n) throws IOException {
        SplittableRandom random = new SplittableRandom(prefix.hashCode());
        List<String> records = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            boolean acts = i % 3 != 0;
            String trace = (acts ? "打开地图，搜索去机场的路线" : "锁屏，手机放在桌上") + words(random, 4);
            records.add(RECORD.formatted(prefix + i, words(random, 8), trace, acts ? ACTS : "[]"));
        }
        return Files.writeString(directory.resolve(name), "[" + String.join(",\n", records) + "]");
    }

    private static String words(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < length; k++) {
            text.append(HAN.charAt(random.nextInt(HAN.length())));
        }
        return text.toString();
    }

    private static String[] ensemble(Path data, Path run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "train",
                "--ensemble",
                "--config",
                ENSEMBLE.toString(),
                "--data",
                data.toString(),
                "--run-dir",
                run.toString(),
                "--store",
                directory.resolve("store").toString()));
        for (String small : List.of(
                "text-encoders=[bge-small-zh-v1.5]",
                "encoder.precision=int8",
                "folds=3",
                "vectors.c=[0.3, 3]",
                "perceiver.network.dimension=16",
                "perceiver.network.feed-forward=16",
                "perceiver.training.epochs=3")) {
            arguments.addAll(List.of("--set", small));
        }
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @BeforeAll
    static void trainOnce() throws IOException {
        trained = directory.resolve("ensemble");
        test = varied("ensemble-test.json", "t", 21);
        assertThat(run(ensemble(data(), trained, "--test", test.toString(), "--json")))
                .as(message)
                .isZero();
    }

    private static Path data() throws IOException {
        return varied("ensemble.json", "s", 90);
    }

    @Test
    void theResultNamesTheGateAndItsMembers() throws IOException {
        assertThat(run(ensemble(data(), trained, "--test", test.toString(), "--json")))
                .as("a finished training is done: " + message)
                .isZero();
        JsonNode result = output();
        assertThat(result.fieldNames())
                .toIterable()
                .containsExactly("run", "train", "dev", "calibration", "test", "different", "folds", "members");
        assertThat(result.get("test").asInt()).isEqualTo(21);
        assertThat(result.get("members").findValuesAsText("name"))
                .containsExactly(
                        "mixture", "bge-small-zh-v1.5 + LR", "TF-IDF + LR", "TF-IDF of all steps + LR", "perceiver");
        assertThat(result.at("/members/0/primary").booleanValue()).isTrue();
        assertThat(result.at("/members/0/weight").isNull()).isTrue();
        assertThat(result.at("/members/0/auc").doubleValue()).isGreaterThan(0.9);
        assertThat(result.at("/members/1/auc_ci")).hasSize(2);
        assertThat(result.at("/members/1/c").doubleValue()).isIn(0.3, 3.0);
    }

    @Test
    void membersArePrintedAsATable() throws IOException {
        assertThat(run(ensemble(data(), trained, "--test", test.toString())))
                .as(message)
                .isZero();
        assertThat(BYTES.toString(StandardCharsets.UTF_8))
                .contains("dev: ", "Out of fold, training samples", "mixture", "TF-IDF + LR", "weight", "AUC [95 %]")
                .doesNotContain("{");
    }

    @Test
    void sweepAndPredictAcceptTheEnsemble() throws IOException {
        assertThat(run("sweep", "--gate", trained.toString(), "--json"))
                .as(message)
                .isZero();
        assertThat(output().get("constraint").textValue()).isEqualTo("recall >= 90");
        assertThat(output().get("curve")).hasSize(91);
        assertThat(trained.resolve("report.html"))
                .content()
                .contains("Members", "mixture", "bge-small-zh-v1.5 + LR", "Out of fold");
        Path out = directory.resolve("predicted.jsonl");
        String[] predict = {
            "predict",
            "--gate",
            trained.toString(),
            "--data",
            test.toString(),
            "--out",
            out.toString(),
            "--store",
            directory.resolve("store").toString()
        };
        assertThat(run(predict)).as(message).isZero();

        List<LabelledPerception> kept =
                new EnsembleRun(trained).perceptions(Split.TEST).samples();
        List<String> lines = Files.readAllLines(out);
        assertThat(lines).hasSameSizeAs(kept);
        for (int i = 0; i < lines.size(); i++) {
            JsonNode line = JSON.readTree(lines.get(i));
            assertThat(line.get("id").textValue()).isEqualTo(kept.get(i).id());
            assertThat(line.get("p_trigger").doubleValue())
                    .isCloseTo(kept.get(i).pTrigger(), within(1e-5));
            kept.get(i).scenarios().forEach((name, p) -> assertThat(
                            line.at("/scenarios/" + name).doubleValue())
                    .as(name)
                    .isCloseTo(p, within(1e-5)));
        }
    }

    @Test
    void aThresholdOfOtherWeightsIsRefused() throws IOException {
        Path run = directory.resolve("tampered");
        assertThat(run(ensemble(data(), run, "--set", "perceiver=null")))
                .as(message)
                .isZero();
        assertThat(run("sweep", "--gate", run.toString())).as(message).isZero();
        Path vocabulary = run.resolve("ensemble/vocabulary.1.txt");
        List<String> terms = Files.readAllLines(vocabulary);
        terms.set(0, "another");
        Files.write(vocabulary, terms);
        String out = directory.resolve("tampered.jsonl").toString();

        assertThat(run("predict", "--gate", run.toString(), "--data", test.toString(), "--out", out))
                .isEqualTo(65);
        assertThat(message)
                .startsWith(run.resolve("calibration.json") + ": belongs to weights ")
                .contains(run.resolve("ensemble") + " holds ", "are invalid for other weights");
        Files.copy(
                trained.resolve("calibration.json"),
                run.resolve("calibration.json"),
                StandardCopyOption.REPLACE_EXISTING);
        assertThat(run("predict", "--gate", run.toString(), "--data", test.toString(), "--out", out))
                .isEqualTo(65);
        assertThat(message).startsWith(run.resolve("threshold.json") + ": was chosen with weights ");
    }

    @Test
    void missingEncoderIsNamedBeforeAnyWork() throws IOException {
        Path run = directory.resolve("without-encoder");
        String missing = directory.resolve("no-encoder").toString();
        assertThat(run(ensemble(data(), run, "--set", "text-encoders=[bge-small-zh-v1.5, 'dir:" + missing + "']")))
                .isEqualTo(69);
        assertThat(message).contains("text encoder " + missing, "docs/ENCODERS.md");
        assertThat(run).doesNotExist();
    }

    @Test
    void untrainableDataIsRejected() throws IOException {
        Path run = directory.resolve("refused");
        assertThat(run(ensemble(data(), run, "--folds", "3"))).isEqualTo(2);
        assertThat(message).startsWith("--ensemble goes without --folds and --seeds");
        assertThat(run(ensemble(data("one-class.json", 1, true), run))).isEqualTo(65);
        assertThat(message)
                .endsWith("holds 0 samples that want an intervention and 1 silent ones; a gate needs some of both");
        assertThat(run("train", "--config", ENSEMBLE.toString(), "--data", data().toString()))
                .isEqualTo(78);
        assertThat(message).contains("text-encoders");
        assertThat(run(ensemble(data(), run, "--dry-run"))).as(message).isZero();
        assertThat(run).doesNotExist();
        assertThat(run(ensemble(varied("few.json", "f", 9), run))).isEqualTo(65);
        assertThat(message).contains("different silent samples (near-duplicates count once), folds = 3");
    }

    @Test
    void unfinishedTrainingHasNoPerceiver() throws IOException {
        Path run = directory.resolve("unfinished");
        Files.createDirectories(run.resolve("ensemble"));
        Files.copy(trained.resolve("config.resolved.yaml"), run.resolve("config.resolved.yaml"));
        assertThat(run("sweep", "--gate", run.toString())).isEqualTo(69);
        assertThat(message).startsWith(run.resolve("dev.jsonl") + ": does not exist");
    }
}
