package dev.prpf.par.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Sample;
import dev.prpf.par.export.RewardedPrompts.RewardFiles;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RewardedPromptsTest {
    private static final RewardFiles REWARD = new RewardFiles(ExportFixture.gold(), Prompts.POOL, RewardSettings.PAPER);

    @TempDir
    Path directory;

    @TempDir
    Path modelDirectory;

    private static RewardedPrompts prompts(SftRecords source) {
        return new RewardedPrompts(source, ExportFixture.gold(), "gold.json");
    }

    private SftRecords source(Target target) {
        return SftRecords.read(ExportFixture.write(
                directory, ExportFixture.records(ExportFixture.BRIEF, ExportFixture.samples(), target)));
    }

    private static List<String> ids(List<SftRecord> prompts) {
        return prompts.stream().map(SftRecord::id).toList();
    }

    private List<SftRecord> select(SftRecords source, Path groups) {
        try (RewardedPrompts.RolledOut model = RewardedPrompts.RolledOut.open(modelDirectory, source, REWARD)) {
            return prompts(source).of(groups, model);
        }
    }

    private Path groups(SftRecord... records) {
        return ExportFixture.groups(
                directory.resolve("groups.jsonl"), ExportFixture.model(modelDirectory), List.of(records));
    }

    @Test
    void withoutGroupsEverySampleHasOnePrompt() {
        SftRecords all = source(Target.ALL);
        assertThat(all.records()).hasSize(4);
        List<SftRecord> prompts = prompts(all).all();
        assertThat(ids(prompts)).containsExactly("acts", "silent", "screens");
        assertThat(prompts.get(0)).isEqualTo(all.records().get(0));
    }

    @Test
    void groupsDecideOrderAndRepetitions() {
        SftRecords source = source(Target.FIRST);
        List<SftRecord> records = source.records();
        List<SftRecord> chosen = select(source, groups(records.get(2), records.get(0), records.get(2)));
        assertThat(ids(chosen)).containsExactly("screens", "acts", "screens");
    }

    /** With all answers as targets a sample has several prompts, with different candidates. */
    @Test
    void promptOfTheRolloutsIsChosen() {
        SftRecords source = source(Target.ALL);
        SftRecord second = source.records().get(1);
        assertThat(second.id()).isEqualTo("acts");
        assertThat(second.user()).isNotEqualTo(source.records().get(0).user());
        assertThat(select(source, groups(second))).containsExactly(second);
    }

    @Test
    void groupWithAnUnknownPromptIsRejected() {
        SftRecords source = source(Target.FIRST);
        List<SftRecord> records = new ArrayList<>(source.records());
        Sample other = ExportFixture.text("acts", "另一步", ExportFixture.NOTE);
        SftRecord changed = ExportFixture.records(ExportFixture.BRIEF, List.of(other), Target.FIRST)
                .get(0);
        Path file = groups(records.get(1), changed);
        Refused.with(65, () -> select(source, file), "groups.jsonl:2: ", "\"acts\"", "its tokens differ");

        Sample unknown = ExportFixture.text("unknown", "步", ExportFixture.NOTE);
        Path more = groups(ExportFixture.records(ExportFixture.BRIEF, List.of(unknown), Target.FIRST)
                .get(0));
        Refused.with(65, () -> select(source, more), "groups.jsonl:1: the set has no record of \"unknown\"");
    }

    @Test
    void groupsOfAnotherPromptHashAreRefused() throws IOException {
        SftRecords source = source(Target.FIRST);
        Path file = groups(source.records().get(0));
        String line = Files.readString(file);
        Files.writeString(file, line.replaceFirst("\"prompt_hash\":\"\\w+\"", "\"prompt_hash\":\"other\""));
        Refused.with(78, () -> select(source, file), "groups.jsonl:1: prompt hash = other", modelDirectory.toString());
    }

    @Test
    void groupsOfAnotherPoolOrRewardAreRefused() throws IOException {
        SftRecords source = source(Target.FIRST);
        Path file = groups(source.records().get(0));
        String line = Files.readString(file);
        Files.writeString(file, line.replaceFirst("\"pool\":\"\\w+\"", "\"pool\":\"other\""));
        Refused.with(78, () -> select(source, file), "groups.jsonl:1: was rolled out with pool other", "--pool");
        Files.writeString(file, line.replaceFirst("\"reward\":\"\\w+\"", "\"reward\":\"other\""));
        Refused.with(78, () -> select(source, file), "groups.jsonl:1: was rolled out with reward other", "--reward");
    }

    @Test
    void aModelOfOtherPromptsIsRefused() {
        ExportFixture.model(modelDirectory);
        SftRecords source = SftRecords.read(ExportFixture.write(
                directory, ExportFixture.records(ExportFixture.FULL, ExportFixture.samples(), Target.FIRST)));
        Refused.with(
                78,
                () -> RewardedPrompts.RolledOut.open(modelDirectory, source, REWARD),
                "sft.jsonl: record acts",
                "wording=BRIEF",
                "wording=FULL");
        Refused.with(65, () -> RewardedPrompts.RolledOut.open(directory, source, REWARD), "has no prpf.json");
    }

    @Test
    void goldMustBelongToTheSet() {
        SftRecords source = source(Target.FIRST);
        Map<String, Sample> missing = new HashMap<>(ExportFixture.gold());
        missing.remove("silent");
        Refused.with(
                65,
                () -> new RewardedPrompts(source, missing, "gold.json"),
                "gold.json: has no sample \"silent\"",
                "the set was made from");

        Map<String, Sample> other = new HashMap<>(ExportFixture.gold());
        other.put("silent", ExportFixture.text("silent", "看视频", ExportFixture.NOTE));
        Refused.with(
                65,
                () -> new RewardedPrompts(source, other, "gold.json"),
                "record \"silent\" is not one of that sample's answers");
    }
}
