package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecipeDataTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void functions() {
        functions("Home");
    }

    private void functions(@Nullable String scenarioOfLight) {
        List<ParameterSpec> room = List.of(new ParameterSpec("room", "", "string", true, null, null));
        FunctionPoolFile.write(
                new FunctionPool(List.of(
                        new FunctionSpec("light", "Switch the light", List.of(), room, scenarioOfLight),
                        new FunctionSpec("call", "Call somebody", List.of(), List.of(), "Talk"))),
                folder.resolve("functions.json"));
    }

    private static Sample sample(int number, boolean acts, String text) {
        FunctionCall call = new FunctionCall("light", Map.of("room", TextNode.valueOf("r" + number)));
        return new Sample(
                "s" + number,
                1,
                null,
                null,
                new DeviceContext("Reader " + text.repeat(2), "Battery full", "Evening number " + number),
                Trajectory.ofTexts(
                        List.of("Opens page " + "abcdefghijklmnopqrstuvwxyz".charAt(number % 26) + " of " + text)),
                acts ? List.of(new Recommendation("Switch on", List.of(call))) : List.of());
    }

    private static List<Sample> samples(int acting, int silent) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < acting + silent; i++) {
            samples.add(sample(i, i < acting, "topic" + Integer.toString(i * 7919, 36)));
        }
        return samples;
    }

    private RecipeData read(List<Sample> train, String... more) throws IOException {
        SampleWriter.write(folder.resolve("train.json"), train.iterator());
        Path file = folder.resolve("recipe.yaml");
        Files.writeString(
                file, "data:\n  train: train.json\n" + String.join("\n", more) + "\nfunctions: functions.json\n");
        return RecipeData.read(Recipe.read(file, List.of()).at(file));
    }

    private void refused(List<Sample> train, String message, String... more) {
        assertThatThrownBy(() -> read(train, more))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aShareOfEachClassIsHeldOut() throws IOException {
        RecipeData data = read(samples(15, 15));
        assertThat(data.test()).hasSize(6).extracting(Sample::wantsIntervention).contains(true, false);
        assertThat(data.train()).hasSize(24).doesNotContainAnyElementsOf(data.test());
        assertThat(data.rarer()).isEqualTo(12);
        assertThat(data.catalog().names()).containsExactly("Home", "Talk");
        assertThat(data.remarks()).singleElement().asString().startsWith("24 training records");
    }

    @Test
    void nearDuplicatesStayOnOneSide() throws IOException {
        List<Sample> samples = samples(15, 15);
        List<Sample> twice = new ArrayList<>(samples);
        samples.forEach(one -> twice.add(
                new Sample(one.id() + "-copy", 1, null, null, one.context(), one.trajectory(), one.answers())));
        RecipeData data = read(twice);
        assertThat(data.test()).isNotEmpty();
        assertThat(data.test())
                .extracting(sample -> sample.context().world())
                .doesNotContainAnyElementsOf(data.train().stream()
                        .map(sample -> sample.context().world())
                        .toList());
    }

    @Test
    void fewRecordsAreAllForTraining() throws IOException {
        RecipeData data = read(samples(3, 2));
        assertThat(data.train()).hasSize(5);
        assertThat(data.test()).isEmpty();
        assertThat(data.rarer()).isEqualTo(2);
        assertThat(data.remarks()).hasSize(2);
    }

    @Test
    void aClassWithoutRecordsIsRefused() {
        refused(samples(6, 0), "train.json: has 6 acting and 0 silent records, at least 2 of each are needed");
        refused(samples(0, 6), "add records with a function call");
    }

    @Test
    void aTrainingRecordInTheTestIsALeak() {
        List<Sample> train = samples(4, 4);
        Sample leak = train.get(1);
        SampleWriter.write(
                folder.resolve("test.json"),
                List.of(
                                new Sample("other", 1, null, null, leak.context(), leak.trajectory(), leak.answers()),
                                sample(50, false, "unseen"))
                        .iterator());
        refused(
                train,
                "test.json: leak: 1 test records have the id or the content of a training record, the first is other",
                "  test: test.json");
    }

    @Test
    void aLimitThatTheSilentRecordsCannotShowIsRefused() {
        assertThatThrownBy(() -> RecipeData.requireShown(new Recipe.Gate(15, 90.0), 100))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(
                        "gate.confidence = 90.0 with gate.false-triggers = 15.0: 100 silent training records leave 20"
                                + " to show the limit, at least 42 are needed; give 210 silent records, raise"
                                + " gate.false-triggers, or set gate.confidence to null");
        RecipeData.requireShown(new Recipe.Gate(15, 90.0), 210);
        RecipeData.requireShown(new Recipe.Gate(15, null), 0);
        assertThatThrownBy(() -> new Recipe.Gate(0, 90.0))
                .hasMessage("false-triggers = 0.0 must be between 0 and 100 with gate.confidence");
    }

    @Test
    void recordsOfAnotherLanguageAreRefused() {
        List<Sample> mixed = new ArrayList<>(samples(4, 4));
        mixed.add(sample(9, true, "打开地图导航到火车站看一看时间"));
        refused(
                mixed,
                "train.json: language: en, but 1 of 9 records are in Chinese, the first is s9; train one recipe for each language");
        SampleWriter.write(folder.resolve("test.json"), mixed.subList(8, 9).iterator());
        refused(
                samples(4, 4),
                "test.json: language: en, but 1 of 1 records are in Chinese, the first is s9; give a test file in English",
                "  test: test.json");
        refused(
                samples(4, 4),
                "language: zh, but 8 of 8 records are in English, the first is s0; set language: en",
                "language: zh");
    }

    @Test
    void chineseRecordsMayHaveForeignNamesOrOnlyScreenshots() throws IOException {
        List<Sample> records = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            records.add(sample(i, i < 2, "播放 Bohemian Rhapsody by Queen on Spotify, number " + i));
        }
        records.add(new Sample(
                "shots",
                1,
                null,
                null,
                new DeviceContext("", "", ""),
                new Trajectory(List.of(new TraceStep.Screenshot("a.png"))),
                List.of()));
        assertThat(read(records, "language: zh").train()).hasSize(5);
        records.add(sample(9, true, "a record in English"));
        refused(records, "language: zh, but 1 of 6 records are in English, the first is s9", "language: zh");
    }

    @Test
    void scenariosOfSomeFunctionsOnlyAreRefused() {
        functions(null);
        refused(samples(4, 4), "1 of 2 functions have no \"scenario\", first: light");
    }

    @Test
    void recordsThatAStageWouldRefuseAreNamed() {
        FunctionPoolFile.write(
                new FunctionPool(List.of(new FunctionSpec("call", "", List.of(), List.of()))),
                folder.resolve("functions.json"));
        refused(samples(2, 2), "train.json: 2 fatal findings:");
    }
}
