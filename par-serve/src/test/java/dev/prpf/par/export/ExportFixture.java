package dev.prpf.par.export;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.rollout.Rollouts;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.Sets;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A small set, its samples, and groups that were rolled out of it. */
public final class ExportFixture {
    public static final PromptSettings BRIEF = prompt(PromptWording.BRIEF, ReasoningMode.NONE);
    public static final PromptSettings FULL = prompt(PromptWording.FULL, ReasoningMode.FULL);
    static final Recommendation NOTE = new Recommendation(
            "记下", List.of(new FunctionCall("create_note", Map.of("text", new TextNode("买\"牛奶\"\n🎷")))));
    static final Recommendation FOOD =
            new Recommendation("点餐", List.of(new FunctionCall("order_food", Map.of("dish", new TextNode("面")))));

    private ExportFixture() {}

    private static PromptSettings prompt(PromptWording wording, ReasoningMode reasoning) {
        return new PromptSettings(PromptLayout.PAPER, wording, PoolRendering.NAMES, false, reasoning, null);
    }

    /** One with two answers, a silent one, one with screenshots. */
    public static List<Sample> samples() {
        return List.of(
                text("acts", "打开备忘录", NOTE, FOOD),
                text("silent", "看视频"),
                new Sample(
                        "screens",
                        2,
                        null,
                        null,
                        Prompts.CONTEXT,
                        new Trajectory(
                                List.of(new TraceStep.Screenshot("images/a.png"), new TraceStep.Screenshot("b.png"))),
                        List.of(FOOD)));
    }

    public static Sample text(String id, String step, Recommendation... answers) {
        return new Sample(id, 1, null, null, Prompts.CONTEXT, Trajectory.ofTexts(List.of(step)), List.of(answers));
    }

    static Map<String, Sample> gold() {
        return samples().stream().collect(Collectors.toMap(Sample::id, Function.identity()));
    }

    public static List<SftRecord> records(PromptSettings prompt, List<Sample> samples, SftSetSettings.Target target) {
        SftSetSettings settings = new SftSetSettings(target, null, 2, OutOfPool.ADD, 5);
        return Sets.set(prompt, settings, PerceivedSample.without(samples)).records();
    }

    /** Writes the set of {@link #samples()} with brief prompts. */
    public static Path set(Path folder) {
        return write(folder, records(BRIEF, samples(), SftSetSettings.Target.FIRST));
    }

    public static Path write(Path folder, List<SftRecord> records) {
        Path file = folder.resolve("sft.jsonl");
        SftRecords.write(file, records);
        return file;
    }

    /** Writes the files of a model with brief prompts that an export reads. */
    public static Path model(Path folder) {
        SmallTokenizer.write(folder);
        try (Tokenizer tokenizer = Tokenizer.load(folder)) {
            PromptProvenance.of(BRIEF, ChatTemplates.CHATML, tokenizer.sha256()).write(folder);
        }
        return folder;
    }

    /** Writes a group for each record, rolled out with that model. */
    public static Path groups(Path file, Path model, List<SftRecord> records) {
        try (ChatTokenizer tokenizer = PromptProvenance.tokenizer(model)) {
            RolloutProvenance provenance = RolloutProvenance.of(
                    "w",
                    PromptProvenance.read(model).promptHash(),
                    RewardSettings.PAPER,
                    Prompts.POOL,
                    new RolloutProvenance.Settings(1, 0, 1, 64, false, 7));
            List<RolloutGroup> groups = records.stream()
                    .map(record -> new RolloutGroup(
                            record.id(),
                            record.intervention(),
                            provenance,
                            tokenizer.prompt(record.system(), record.user()),
                            List.of(Rollouts.silence(), Rollouts.missed())))
                    .toList();
            new RecordLines<>(RolloutGroup.class, "rollout group").write(file, groups);
        }
        return file;
    }
}
