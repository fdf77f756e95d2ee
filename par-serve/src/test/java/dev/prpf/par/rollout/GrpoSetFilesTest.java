package dev.prpf.par.rollout;

import static dev.prpf.par.rollout.Rollouts.falseTrigger;
import static dev.prpf.par.rollout.Rollouts.intervention;
import static dev.prpf.par.rollout.Rollouts.missed;
import static dev.prpf.par.rollout.Rollouts.silence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IndexedRecords;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.rollout.GrpoSet.GrpoSetSettings;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisualPrompt;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrpoSetFilesTest {
    private static final List<FunctionCall> NOTE =
            List.of(new FunctionCall("create_note", Map.of("text", new TextNode("买菜"))));

    @TempDir
    private Path folder;

    private static GrpoSetSettings settings(int size, boolean repeats, double testShare) {
        return new GrpoSetSettings(
                0.1, 0.1, 0.9, 0.5, 0.3, 0.1, 0.7, 0.5, 0.25, 2, 2, size, 0.3, repeats, testShare, 3);
    }

    /** Six that disagree on acting, six on silence, and two flat ones. */
    private static List<RolloutGroup> groups() {
        List<RolloutGroup> groups = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            groups.add(Rollouts.group("act-" + i + "-行", true, intervention(1, 1), missed()));
            groups.add(Rollouts.group("still-" + i, false, silence(), falseTrigger()));
        }
        groups.add(Rollouts.group("flat-0", true, missed(), missed()));
        groups.add(Rollouts.group("flat-1", false, silence(), silence()));
        return groups;
    }

    private static List<PromptExample> prompts() {
        return groups().stream()
                .map(group -> new PromptExample(
                        group.id(),
                        VisualPrompt.ofText(group.promptIds()),
                        List.of(group.intervention() ? NOTE : List.of()),
                        ResponseForm.TEXT,
                        List.of()))
                .toList();
    }

    private static void write(Path file, List<RolloutGroup> groups) {
        new RecordLines<>(RolloutGroup.class, "rollout group").write(file, groups);
    }

    private GrpoSet write(GrpoSetSettings settings, RolloutReport report) {
        Path rollouts = folder.resolve("rollouts.jsonl");
        write(rollouts, groups());
        return GrpoSetFiles.write(folder, rollouts, prompts(), settings, report);
    }

    private GrpoSet write(GrpoSetSettings settings) {
        return write(settings, new RolloutReport());
    }

    private static List<String> ids(List<PromptExample> prompts) {
        return prompts.stream().map(PromptExample::id).toList();
    }

    @Test
    void setIsReadBackUnchanged() throws IOException {
        GrpoSet set = write(settings(100, false, 0.2));
        GrpoSetFiles read = GrpoSetFiles.read(folder, PromptImageReader.BLIND);
        assertThat(ids(read.train())).isEqualTo(set.train()).hasSize(10);
        assertThat(ids(read.test())).isEqualTo(set.test()).hasSize(2);
        assertThat(read.provenance()).isEqualTo(Rollouts.PROVENANCE);
        PromptExample acting = read.train().stream()
                .filter(PromptExample::intervention)
                .findFirst()
                .orElseThrow();
        assertThat(acting.valid()).containsExactly(NOTE);
        assertThat(acting.form()).isEqualTo(ResponseForm.TEXT);
        assertThat(acting.ids()).containsExactly(1, 2);
        assertThat(Files.readString(folder.resolve(GrpoSetFiles.PROMPTS)))
                .as("prompts of the set alone")
                .doesNotContain("flat-");
    }

    @Test
    void trainAndTestHaveTheGroupsWithCopies() {
        GrpoSet set = write(settings(30, true, 0.2));
        List<RolloutGroup> train = new ArrayList<>();
        new RecordLines<>(RolloutGroup.class, "rollout group")
                .read(folder.resolve(GrpoSetFiles.TRAIN), (place, group) -> train.add(group));
        assertThat(train).extracting(RolloutGroup::id).isEqualTo(set.train());
        assertThat(set.counts().repeated()).isPositive();
        RolloutGroup any = train.get(0);
        RolloutGroup expected = groups().stream()
                .filter(group -> group.id().equals(any.id()))
                .findFirst()
                .orElseThrow();
        assertThat(any).usingRecursiveComparison().isEqualTo(expected);
        assertThat(ids(GrpoSetFiles.read(folder, PromptImageReader.BLIND).train()))
                .isEqualTo(set.train());
    }

    @Test
    void storedGroupsOfASetWithCopiesAreFoundById() {
        GrpoSet set = write(settings(30, true, 0.2));
        assertThat(set.train()).hasSizeGreaterThan(Set.copyOf(set.train()).size());
        try (IndexedRecords<RolloutGroup> stored = RolloutGroup.indexSet(folder.resolve(GrpoSetFiles.TRAIN))) {
            assertThat(stored.keys()).containsExactlyInAnyOrderElementsOf(Set.copyOf(set.train()));
            assertThat(set.train()).allSatisfy(id -> assertThat(stored.get(id))
                    .extracting(RolloutGroup::id)
                    .isEqualTo(id));
        }
    }

    /** A set names its images as records do; whoever reads it says where they lie. */
    @Test
    void imagesOfPromptsAreReadBack() {
        PromptImageReader reader =
                new PromptImageReader(new FakeVisionEncoder(4), 2, new ImageFolder(Path.of("shots")), 0);
        List<PromptExample> prompts = prompts().stream()
                .map(prompt -> new PromptExample(
                        prompt.id(),
                        reader.expanded(prompt.ids(), List.of(new TraceStep.Screenshot("a/1x1.png")), prompt.id()),
                        prompt.valid(),
                        prompt.form(),
                        List.of()))
                .toList();
        Path rollouts = folder.resolve("rollouts.jsonl");
        write(rollouts, groups());
        GrpoSetFiles.write(folder, rollouts, prompts, settings(100, false, 0.2), new RolloutReport());
        assertThat(GrpoSetFiles.read(folder, reader).train()).hasSize(10).allSatisfy(prompt -> {
            assertThat(prompt.prompt().shown()).extracting(PromptImage::path).containsExactly("a/1x1.png");
            assertThat(prompt.prompt().images()).extracting(VisionImage::grid).containsExactly(new ImageGrid(1, 1));
        });
        assertThatThrownBy(() -> GrpoSetFiles.read(folder, PromptImageReader.BLIND))
                .hasMessageContaining("the model has no vision encoder");
        PromptImageReader others =
                new PromptImageReader(new FakeVisionEncoder(4), 2, new ImageFolder(Path.of("other")), 0);
        assertThatThrownBy(() -> GrpoSetFiles.read(folder, others))
                .as("the same size, another image")
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll("prompts.jsonl:1: the images of prompt", "differ from those of its rollouts");
    }

    @Test
    void promptsWithoutListsOfImagesAreRefused() throws Exception {
        Path rollouts = folder.resolve("rollouts.jsonl");
        write(rollouts, groups());
        GrpoSetFiles.write(folder, rollouts, prompts(), settings(100, false, 0.2), new RolloutReport());
        Path file = folder.resolve("prompts.jsonl");
        Files.writeString(file, Files.readString(file).replaceFirst("\"images\":\\[]", "\"images\":null"));
        assertThatThrownBy(() -> GrpoSetFiles.read(folder, PromptImageReader.BLIND))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll("prompts.jsonl:1", "images = null, must have a value");
    }

    @Test
    void withoutHeldOutGroupsAnOldTestFileIsDeleted() {
        write(settings(100, false, 0.2));
        assertThat(folder.resolve(GrpoSetFiles.TEST)).exists();
        write(settings(100, false, 0));
        assertThat(folder.resolve(GrpoSetFiles.TEST)).doesNotExist();
        assertThat(GrpoSetFiles.read(folder, PromptImageReader.BLIND).test()).isEmpty();
        assertThat(GrpoSetFiles.read(folder, PromptImageReader.BLIND).train()).hasSize(12);
    }

    @Test
    void theReportCountsEveryGroup() {
        RolloutReport report = new RolloutReport();
        write(settings(100, false, 0.2), report);
        // the reward is 6 (8 + 0.5) + 6 (8.5 - 1.5) + 2 (0.5) + 2 (8.5), over 28; correct are twelve halves, a none and
        // an all
        assertThat(report.counts()).isEqualTo(new RolloutReport.Counts(14, 7, 28, 84, 111 / 28.0, 50.0, 0, 0));
    }

    @Test
    void countsHaveNamesForFiles() {
        assertThat(JsonRecords.write(write(settings(100, false, 0.2)).counts()))
                .startsWith("{\"groups\":14,\"flat\":2,\"too_hard\":0,\"too_easy\":0,\"retained\":12,"
                        + "\"retained_silent\":6,")
                .endsWith(",\"test_silent\":1}");
    }

    @Test
    void fileWithBlankLinesIsIndexed() throws IOException {
        Path rollouts = folder.resolve("rollouts.jsonl");
        StringBuilder text = new StringBuilder("\n");
        groups().forEach(group -> text.append(JsonRecords.write(group)).append("\n  \n"));
        Files.writeString(rollouts, text);
        GrpoSet set = GrpoSetFiles.write(folder, rollouts, prompts(), settings(100, false, 0), new RolloutReport());
        assertThat(ids(GrpoSetFiles.read(folder, PromptImageReader.BLIND).train()))
                .isEqualTo(set.train());
    }

    @Test
    void missingGroupsAreReported() throws IOException {
        Path rollouts = folder.resolve("rollouts.jsonl");
        write(rollouts, groups().subList(12, 14));
        refused(
                () -> GrpoSetFiles.write(folder, rollouts, prompts(), settings(100, false, 0), new RolloutReport()),
                "of 2 rollout groups none remains");
        Files.writeString(rollouts, JsonRecords.write(groups().get(0)) + "\n{\"id\"\n");
        refused(
                () -> GrpoSetFiles.write(folder, rollouts, prompts(), settings(100, false, 0), new RolloutReport()),
                "rollouts.jsonl:2: is no rollout group");
        refused(
                () -> GrpoSetFiles.write(
                        folder, folder.resolve("gone.jsonl"), prompts(), settings(100, false, 0), new RolloutReport()),
                "gone.jsonl: cannot be read");
    }

    @Test
    void filesOfDifferentSetsAreRejected() throws IOException {
        write(settings(100, false, 0.2));
        Path prompts = folder.resolve(GrpoSetFiles.PROMPTS);
        String good = Files.readString(prompts);
        Files.writeString(prompts, good.replace("\"prompt_ids\":[1,2]", "\"prompt_ids\":[1,3]"));
        refused(
                () -> GrpoSetFiles.read(folder, PromptImageReader.BLIND),
                "train.jsonl:1: prompts.jsonl has no prompt",
                "with these tokens");
        Files.writeString(prompts, good + good);
        refused(
                () -> GrpoSetFiles.read(folder, PromptImageReader.BLIND),
                "prompts.jsonl:13: id \"act-0-行\" is a duplicate");
        Files.writeString(prompts, good);
        Path test = folder.resolve(GrpoSetFiles.TEST);
        Files.writeString(test, Files.readString(test).replace("\"policy\":\"w\"", "\"policy\":\"v\""));
        refused(
                () -> GrpoSetFiles.read(folder, PromptImageReader.BLIND),
                "test.jsonl:1: its rollouts come from",
                "a set has one policy");
        Files.writeString(test, "\n");
        refused(() -> GrpoSetFiles.read(folder, PromptImageReader.BLIND), "test.jsonl: holds no rollout groups");
        refused(
                () -> GrpoSetFiles.read(folder.resolve("none"), PromptImageReader.BLIND),
                "prompts.jsonl: cannot be read");
    }

    private static void refused(Runnable run, String... parts) {
        assertThatThrownBy(run::run)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }
}
