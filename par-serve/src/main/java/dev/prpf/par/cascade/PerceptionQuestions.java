package dev.prpf.par.cascade;

import dev.prpf.data.Scenario;
import dev.prpf.par.prompt.PromptWording;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The perception questions to a model, asked after the sample; each is answered by yes or no. Wording ours.
 *
 * @param trigger whether an intervention is due
 * @param scenario whether a scenario applies, with {@code %s} for its name
 * @param yes spellings of yes
 * @param no spellings of no
 */
record PerceptionQuestions(String trigger, String scenario, List<String> yes, List<String> no) {
    private static final PerceptionQuestions CHINESE = new PerceptionQuestions(
            "根据以上信息，此刻是否应当主动向用户推荐操作？只回答“是”或“否”。",
            "根据以上信息，若此刻要主动推荐操作，它是否属于“%s”场景？只回答“是”或“否”。",
            List.of("是"),
            List.of("否"));

    private static final PerceptionQuestions ENGLISH = new PerceptionQuestions(
            "Should an action be recommended to the user now? Answer yes or no only.",
            "If an action is recommended now, does it belong to the scenario \"%s\"? Answer yes or no only.",
            List.of("yes", "Yes", " yes", " Yes"),
            List.of("no", "No", " no", " No"));

    static PerceptionQuestions of(PromptWording wording) {
        return wording == PromptWording.ENGLISH ? ENGLISH : CHINESE;
    }

    /** Returns the trigger's question, then one per scenario, in their order. */
    List<String> all(List<Scenario> scenarios) {
        List<String> questions = new ArrayList<>(List.of(trigger));
        scenarios.forEach(one -> questions.add(scenario.replace("%s", equals(ENGLISH) ? one.name() : one.chinese())));
        return questions;
    }

    /** Returns the spellings of yes, then of no. */
    List<String> answers() {
        return Stream.concat(yes.stream(), no.stream()).toList();
    }
}
