package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import dev.prpf.par.sets.SftExamples.SftExampleSettings.OverLong;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import dev.prpf.par.teacher.Teacher;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.SmallTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SftSetTest {
    private static final Recommendation NOTE = new Recommendation(
            "记下", List.of(new FunctionCall("create_note", Map.of("text", new TextNode("<|im_end|>")))));
    private static final Recommendation TRIP = new Recommendation(
            "订票", List.of(new FunctionCall("book_transport", Map.of()), new FunctionCall("order_food", Map.of())));
    private static final Recommendation SILENCE = new Recommendation("", List.of());
    private static final SftSetSettings FIRST = new SftSetSettings(Target.FIRST, null, 2, OutOfPool.ADD, 5);

    @TempDir
    Path directory;

    private static Sample sample(String id, Recommendation... answers) {
        return new Sample(id, 1, null, null, Prompts.CONTEXT, Prompts.TEXT.trajectory(), List.of(answers));
    }

    private static PromptSettings prompt(boolean scenes, ReasoningMode reasoning, PromptWording wording) {
        return new PromptSettings(PromptLayout.PREFIX, wording, PoolRendering.NAMES, scenes, reasoning, null);
    }

    private static final PromptSettings BARE = prompt(false, ReasoningMode.NONE, PromptWording.BRIEF);

    private static PromptSettings lastScreenshots(int most) {
        return new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.NAMES, false, ReasoningMode.NONE, most);
    }

    private static SftSet build(PromptSettings prompt, SftSetSettings settings, Sample... samples) {
        return Sets.set(prompt, settings, PerceivedSample.without(List.of(samples)));
    }

    private static SftSet build(SftSetSettings settings, Sample... samples) {
        return build(BARE, settings, samples);
    }

    private static List<String> responses(SftSet set) {
        return set.records().stream()
                .map(record -> Piece.text(record.response()))
                .toList();
    }

    @Test
    void samplesHaveARecordWithTheirFirstAnswer() {
        SftSet set = build(FIRST, sample("a", TRIP, NOTE), sample("b"), sample("c", SILENCE, NOTE));
        assertThat(set.records()).extracting(SftRecord::id).containsExactly("a", "b", "c");
        assertThat(set.records()).extracting(SftRecord::intervention).containsExactly(true, false, false);
        assertThat(responses(set).get(0)).contains("book_transport").doesNotContain("create_note");
        assertThat(responses(set).subList(1, 3)).containsOnly("<recommendations>[]</recommendations>");
        assertThat(set.counts()).isEqualTo(new SftSet.Counts(3, 3, 1, 2, 0, 0, 0, null));
    }

    @Test
    void targetOutsideOfPerceivedScenariosIsOmittedIfConfigured() {
        List<Sample> samples = List.of(sample("in", TRIP), sample("out", NOTE), sample("silent"));
        List<PerceivedSample> seen =
                Sets.perceived(samples, List.of(Prompts.perception(), Prompts.perception(), Prompts.perception()));
        SftSetSettings drop = new SftSetSettings(Target.FIRST, null, 2, OutOfPool.DROP, 5);

        SftSet set = Sets.set(BARE, drop, seen);

        assertThat(set.records()).extracting(SftRecord::id).containsExactly("in", "silent");
        assertThat(set.counts().outOfPool()).isEqualTo(1);
        assertThat(Sets.set(BARE, FIRST, seen).counts().outOfPool()).isZero();
        assertThat(Sets.set(BARE, drop, PerceivedSample.without(samples)).records())
                .as("without a perceiver the gold scenarios are in the pool")
                .hasSize(3);
        assertThatThrownBy(() -> Sets.set(BARE, drop, seen.subList(1, 2)))
                .hasMessageContaining("1 call functions outside of their perceived scenarios (set.out-of-pool)");
    }

    @Test
    void shortestOrAllAnswersAreTargets() {
        SftSet shortest =
                build(new SftSetSettings(Target.SHORTEST, null, 2, OutOfPool.ADD, 5), sample("a", TRIP, NOTE));
        assertThat(responses(shortest).get(0)).contains("create_note");
        SftSet silent =
                build(new SftSetSettings(Target.SHORTEST, null, 2, OutOfPool.ADD, 5), sample("a", TRIP, SILENCE));
        assertThat(silent.records().get(0).intervention()).isFalse();
        SftSet all = build(new SftSetSettings(Target.ALL, null, 3, OutOfPool.ADD, 5), sample("a", TRIP, SILENCE, NOTE));
        assertThat(all.records()).extracting(SftRecord::id).containsExactly("a", "a", "a");
        assertThat(all.records()).extracting(SftRecord::intervention).containsExactly(true, false, true);
    }

    @Test
    void targetsWithTooManyCallsAreOmittedAndCounted() {
        SftSetSettings one = new SftSetSettings(Target.FIRST, 1, 3, OutOfPool.ADD, 5);
        SftSet set = build(one, sample("a", TRIP), sample("b", NOTE));
        assertThat(set.records()).extracting(SftRecord::id).containsExactly("b");
        assertThat(set.counts().droppedTargets()).isEqualTo(1);
        refused(() -> build(one, sample("a", TRIP)), 65, "of 1 samples no record is left: 1 targets have more calls");
    }

    /** Drops the requests of one sample, repairs the others. */
    private static final class Moody implements Teacher {
        @Override
        public String id() {
            return "moody:1";
        }

        @Override
        public List<RationaleResult> write(List<RationaleRequest> requests) {
            return requests.stream()
                    .<RationaleResult>map(request -> request.sample().id().equals("b")
                            ? new RationaleResult.Dropped(RationaleResult.Fault.OTHER_FUNCTIONS, "no")
                            : new RationaleResult.Written(
                                    new ParResponse.Parsed(null, "想", "选", List.of(request.answer())), true))
                    .toList();
        }

        @Override
        public void close() {
            // holds nothing
        }
    }

    @Test
    void droppedRationalesAreOmittedAndCounted() {
        SamplePrompts prompts = Sets.prompts(prompt(false, ReasoningMode.FULL, PromptWording.BRIEF), FIRST);
        List<PerceivedSample> samples =
                PerceivedSample.without(List.of(sample("a", NOTE), sample("b", NOTE), sample("c")));
        SftSet set = SftSet.build(samples, prompts, FIRST, new Moody());
        assertThat(set.records()).extracting(SftRecord::id).containsExactly("a", "c");
        assertThat(set.records()).extracting(SftRecord::teacher).containsExactly("moody:1", null);
        assertThat(responses(set).get(0)).startsWith("<thinking>想<function_selection>选");
        assertThat(JsonRecords.write(Objects.requireNonNull(set.counts().teaching())))
                .isEqualTo(
                        "{\"teacher\":\"moody:1\",\"written\":0,\"repaired\":1,\"dropped\":"
                                + "{\"unreadable\":0,\"other_functions\":1,\"other_arguments\":0,\"too_long\":0,\"refused\":0}}");
        refused(
                () -> SftSet.build(samples.subList(1, 2), prompts, FIRST, new Moody()),
                65,
                "no record is left",
                "1 rationales of moody:1 were dropped");
        assertThat(build(FIRST, sample("a", NOTE)).counts().teaching())
                .as("responses without reasoning")
                .isNull();
    }

    @Test
    void partsHaveTheRecordsAndCountsOfTheWhole() {
        SamplePrompts prompts = Sets.prompts(prompt(false, ReasoningMode.FULL, PromptWording.BRIEF), FIRST);
        List<PerceivedSample> samples =
                PerceivedSample.without(List.of(sample("a", NOTE), sample("b", NOTE), sample("c"), sample("d", TRIP)));
        SftSet whole = SftSet.build(samples, prompts, FIRST, new Moody());
        for (int cut = 0; cut <= samples.size(); cut++) {
            SftSet first = SftSet.part(samples.subList(0, cut), prompts, FIRST, new Moody());
            SftSet second = SftSet.part(samples.subList(cut, samples.size()), prompts, FIRST, new Moody());
            assertThat(first.counts().plus(second.counts())).isEqualTo(whole.counts());
            assertThat(Stream.of(first, second).flatMap(set -> set.records().stream()))
                    .containsExactlyElementsOf(whole.records());
        }
        SftSet.Counts none = SftSet.part(List.of(), prompts, FIRST, new Moody()).counts();
        refused(() -> none.requireRecords(FIRST), 65, "of 0 samples no record is left: 0 targets have more calls");
    }

    private static final SftSetSettings WHOLE = new SftSetSettings(Target.FIRST, null, null, OutOfPool.ADD, 5);

    @Test
    void aSingleStageSetShowsTheWholePoolWithoutAPerceiver() {
        PromptSettings prompt = new PromptSettings(
                PromptLayout.PREFIX,
                PromptWording.PROACTIVEMOBILE,
                PoolRendering.FULL,
                false,
                ReasoningMode.THINK_REC_FUNCTION,
                null);
        SftSet set = SftSet.build(
                PerceivedSample.without(List.of(sample("a", NOTE), sample("b", NOTE), sample("c"))),
                Sets.prompts(prompt, WHOLE),
                WHOLE,
                new Moody());
        assertThat(responses(set))
                .containsExactly(
                        "<think>想</think><rec>" + NOTE.instruction()
                                + "</rec><function>{\"model_recommendation\":[{\"name\":\"create_note\",\"parameters\":"
                                + "{\"text\":\"\\u003c|im_end|>\"}}]}</function>",
                        "<rec>无推荐</rec><function>{\"model_recommendation\":[]}</function>");
        assertThat(set.records().get(0).functions()).hasSize(3);
        assertThat(Objects.requireNonNull(set.counts().teaching()).dropped()).containsEntry("other_functions", 1);
        assertThat(set.records()).extracting(SftRecord::teacher).containsExactly("moody:1", null);
        Path file = directory.resolve("single.jsonl");
        SftRecords.write(file, set.records());
        SftRecords read = SftRecords.read(file).requirePrompts(prompt);
        assertThat(read.records()).isEqualTo(set.records());
        assertThat(read.records().get(0).form()).isEqualTo(ResponseForm.THINK_REC_FUNCTION);
        assertThat(read.records().get(0).calls()).isEqualTo(NOTE.calls());
    }

    @Test
    void formatWithoutThoughtsNeedsNoTeacher() {
        PromptSettings scenes = new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.NAMES, true, ReasoningMode.FUNCTION, null);
        SftSet set = build(scenes, WHOLE, sample("a", NOTE));
        assertThat(set.counts().teaching()).isNull();
        assertThat(Piece.text(set.records().get(0).user()))
                .startsWith("<function>book_transport<function>order_food<function>create_note")
                .doesNotContain("<predicted_scenes>");
        assertThat(responses(set).get(0)).startsWith("<function>{\"model_recommendation\":[{");
    }

    @Test
    void answerOutsideOfTheFormatIsNamed() {
        PromptSettings prompt = new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.NAMES, false, ReasoningMode.REC_FUNCTION, null);
        refused(
                () -> build(prompt, WHOLE, sample("a", new Recommendation(" ", NOTE.calls()))),
                65,
                "sample a: its answer cannot be written as a response: rec is empty");
    }

    @Test
    void lastOfManyScreensAreKept() {
        List<TraceStep> frames = new ArrayList<>(List.of(new TraceStep.Caption("始")));
        for (int i = 1; i <= 4; i++) {
            frames.add(new TraceStep.Screenshot(i + ".png"));
            frames.add(new TraceStep.Caption("步" + i));
        }
        Sample screens = new Sample("s", 1, null, null, Prompts.CONTEXT, new Trajectory(frames), List.of(NOTE));
        SftSet cut = build(lastScreenshots(2), FIRST, screens);
        assertThat(cut.counts().cutSamples()).isEqualTo(1);
        assertThat(cut.records().get(0).images()).containsExactly("3.png", "4.png");
        assertThat(Piece.text(cut.records().get(0).user()))
                .contains("文字@3.png", "步4")
                .doesNotContain("文字@2.png", "步2", "始");
        SftSet whole = build(lastScreenshots(4), FIRST, screens);
        assertThat(whole.counts().cutSamples()).isZero();
        assertThat(whole.records().get(0).images()).hasSize(4);
        assertThat(whole.records().get(0).modality()).isEqualTo("multimodal");
        assertThat(Piece.text(whole.records().get(0).user())).contains("始");
    }

    @Test
    void withReasoningTheRecordNamesItsTeacher() {
        PromptSettings prompt = prompt(true, ReasoningMode.FULL, PromptWording.FULL);
        SftSet set = Sets.set(
                prompt,
                FIRST,
                Sets.perceived(
                        List.of(sample("a", NOTE), sample("b")), List.of(Prompts.perception(), Prompts.perception())));
        SftRecord acting = set.records().get(0);
        assertThat(acting.teacher()).isEqualTo("offline:1");
        assertThat(acting.system()).isEqualTo("You are a helpful assistant.");
        assertThat(Piece.text(acting.response())).contains("<thinking>", "<function_selection>候选函数");
        assertThat(set.records().get(1).teacher()).isNull();
        assertThat(Piece.text(set.records().get(1).response())).isEqualTo("<recommendations>[]</recommendations>");
    }

    /** Written, read and tokenized, the set gives the very tokens that the samples give. */
    @Test
    void trainingOnTheSetEqualsTrainingOnTheSamples() {
        SmallTokenizer.write(directory);
        List<PerceivedSample> samples = Sets.perceived(
                List.of(sample("a", TRIP), sample("b"), sample("c", NOTE)),
                List.of(Prompts.perception(), Prompts.perception(), Prompts.perception()));
        Path file = directory.resolve("sft.jsonl");
        try (ChatTokenizer tokenizer = PromptProvenance.tokenizer(directory)) {
            for (PromptSettings prompt : List.of(
                    prompt(true, ReasoningMode.NONE, PromptWording.BRIEF),
                    prompt(true, ReasoningMode.FULL, PromptWording.FULL))) {
                SftExampleSettings settings = examples(Augmentation.Settings.NONE);
                SftRecords.write(file, Sets.set(prompt, FIRST, samples).records());
                SftRecords set = SftRecords.read(file).requirePrompts(prompt);
                SamplePrompts prompts = Sets.prompts(prompt, settings);
                assertThat(SftExamples.ofRecords(set, tokenizer, settings).examples())
                        .hasSize(3)
                        .usingRecursiveComparison()
                        .isEqualTo(SftExamples.ofSamples(samples, prompts, tokenizer, settings)
                                .examples());
            }
        }
    }

    private static SftExampleSettings examples(Augmentation.Settings augmentation) {
        return new SftExampleSettings(2, OutOfPool.ADD, 9000, OverLong.REFUSE, 1, 5, augmentation);
    }

    @Test
    void aSetHoldsTextsThatCannotBeAugmented() {
        SmallTokenizer.write(directory);
        SftRecords set =
                new SftRecords("sft.jsonl", build(FIRST, sample("a", NOTE)).records());
        try (ChatTokenizer tokenizer = PromptProvenance.tokenizer(directory)) {
            refused(
                    () -> SftExamples.ofRecords(
                            set, tokenizer, examples(new Augmentation.Settings(0, List.of(1.0), true))),
                    78,
                    "examples.augmentation");
        }
    }

    @Test
    void shareOfSilentRecordsIsKept() {
        SmallTokenizer.write(directory);
        SftRecords set = new SftRecords(
                "sft.jsonl",
                build(FIRST, sample("a", NOTE), sample("b"), sample("c")).records());
        SftExampleSettings none =
                new SftExampleSettings(2, OutOfPool.ADD, 9000, OverLong.REFUSE, 0, 5, Augmentation.Settings.NONE);
        try (ChatTokenizer tokenizer = PromptProvenance.tokenizer(directory)) {
            assertThat(SftExamples.ofRecords(set, tokenizer, none).prompts().prompts())
                    .extracting(PromptExample::id)
                    .containsExactly("a");
        }
    }

    @Test
    void invalidSetIsRejected() throws IOException {
        String line =
                JsonRecords.write(build(FIRST, sample("a", NOTE)).records().get(0));
        assertThat(SftRecords.read(Files.writeString(directory.resolve("x.jsonl"), line))
                        .records())
                .hasSize(1);
        for (String[] change : new String[][] {
            {"</recommendations>", "", "response is malformed at character"},
            {"\"id\":\"a\"", "\"id\":\" \"", "id is blank"},
            {"\"images\":[]", "\"images\":[],\"more\":1", "more"},
            {"\"modality\":\"text\",", "", "modality"}
        }) {
            assertThat(line).contains(change[0]);
            Path file =
                    Files.writeString(directory.resolve("x.jsonl"), line + "\n" + line.replace(change[0], change[1]));
            refused(() -> SftRecords.read(file), 65, "x.jsonl:2: is no SFT record: ", change[2]);
        }
    }

    @Test
    void unusableSamplesAreRejected() {
        @Nullable List<Recommendation> none = null;
        Sample unlabelled = new Sample("u", 1, null, null, Prompts.CONTEXT, Prompts.TEXT.trajectory(), none);
        refused(() -> build(FIRST, unlabelled), 65, "sample u is unlabelled");
        PromptSettings scenes = prompt(true, ReasoningMode.NONE, PromptWording.BRIEF);
        refused(() -> build(scenes, FIRST, sample("a")), 78, "prompt.scenes", "--gate");
        assertThatThrownBy(() -> new SftSetSettings(Target.FIRST, 0, 1, OutOfPool.ADD, 1))
                .hasMessage("max-calls = 0 must be at least 1");
    }

    private static void refused(ThrowingCallable call, int status, String... words) {
        assertThatThrownBy(call)
                .hasMessageContainingAll(words)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(status);
    }
}
