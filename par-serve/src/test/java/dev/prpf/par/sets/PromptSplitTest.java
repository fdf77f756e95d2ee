package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.FunctionCall;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.vision.VisualPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PromptSplitTest {
    private static PromptExample prompt(String id, boolean acts) {
        List<FunctionCall> answer = acts ? List.of(new FunctionCall("create_note", Map.of())) : List.of();
        return new PromptExample(id, VisualPrompt.ofText(new long[] {1}), List.of(answer), ResponseForm.ANY, List.of());
    }

    private static List<PromptExample> prompts() {
        List<PromptExample> prompts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            prompts.add(prompt("p" + i, i % 4 != 0));
        }
        prompts.addAll(prompts.subList(0, 10));
        return prompts;
    }

    private static List<String> ids(List<PromptExample> prompts) {
        return prompts.stream().map(PromptExample::id).toList();
    }

    @Test
    void heldOutPromptsAreOfBothKindsAndNotTrained() {
        PromptSplit split = PromptSplit.split(prompts(), 0.2, 3);

        List<String> dev = ids(split.dev());
        assertThat(dev).doesNotHaveDuplicates().hasSize(8);
        assertThat(split.dev()).filteredOn(prompt -> !prompt.intervention()).hasSize(2);
        assertThat(split.train()).extracting(PromptExample::id).doesNotContainAnyElementsOf(dev);
        assertThat(ids(PromptSplit.split(prompts(), 0.2, 3).dev())).isEqualTo(dev);
        assertThat(ids(PromptSplit.split(prompts(), 0.2, 4).dev())).isNotEqualTo(dev);
    }

    @Test
    void everyEpochShufflesAllPrompts() {
        PromptSplit split = PromptSplit.split(prompts(), 0, 3);

        List<String> first = pass(split, 0);
        assertThat(split.steps(8)).isEqualTo(7).isEqualTo(split.epoch(0, 8, 5).size());
        assertThat(first).containsExactlyInAnyOrderElementsOf(ids(split.train()));
        assertThat(first).isNotEqualTo(pass(split, 1)).isEqualTo(pass(split, 0));
    }

    @Test
    void stepsOfAnEpochHaveSimilarSizes() {
        PromptSplit split = PromptSplit.split(prompts(), 0, 3);

        assertThat(split.epoch(0, 7, 5))
                .extracting(List::size)
                .containsOnly(6, 7)
                .hasSize(8);
        assertThat(split.epoch(0, 100, 5)).hasSize(1);
    }

    @Test
    void epochOfManyStepsHasAllPrompts() {
        int many = 50_000; // its square is more than an int holds
        List<PromptExample> train = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            train.add(prompt("p" + i, true));
        }

        assertThat(new PromptSplit(train, List.of()).epoch(0, 1, 5))
                .hasSize(many)
                .allSatisfy(step -> assertThat(step).hasSize(1));
    }

    private static List<String> pass(PromptSplit prompts, int epoch) {
        return ids(prompts.epoch(epoch, 8, 5).stream().flatMap(List::stream).toList());
    }

    @Test
    void emptyTrainingSetIsRejected() {
        assertThatThrownBy(() -> PromptSplit.split(List.of(), 0.1, 1)).hasMessageContaining("no prompt is left");
    }
}
