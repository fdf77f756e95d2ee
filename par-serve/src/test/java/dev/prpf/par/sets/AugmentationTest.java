package dev.prpf.par.sets;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.CandidatePool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AugmentationTest {
    private static final DeviceContext CONTEXT = new DeviceContext("爱喝白开水。张伟的生日在周五。", "蓝牙已关闭。电量92%。", "当前时间上午9点。");
    private static final List<String> STEPS = List.of("看了3条星座运势", "张伟约他晚上8点开会", "打开天气又关掉", "把会议定在三号楼");

    private static Recommendation answer(String instruction, String... calls) {
        List<FunctionCall> list = new ArrayList<>();
        for (String call : calls) {
            int at = call.indexOf('{');
            Map<String, JsonNode> parameters = new LinkedHashMap<>();
            try {
                new ObjectMapper()
                        .readTree(call.substring(at))
                        .properties()
                        .forEach(f -> parameters.put(f.getKey(), f.getValue()));
            } catch (IOException e) {
                throw new IllegalArgumentException(call, e);
            }
            list.add(new FunctionCall(call.substring(0, at), parameters));
        }
        return new Recommendation(instruction, list);
    }

    private static final Recommendation MEETING = answer(
            "晚上8点在三号楼和张伟开会",
            "schedule_meeting{\"people\": [\"张伟\"], \"time\": \"晚上8点\", \"room\": \"三号楼\", \"remind\": \"once\", \"count\": 92}");

    private static Sample sample(String id, Trajectory trajectory, Recommendation... answers) {
        return new Sample(id, 1, "train", null, CONTEXT, trajectory, List.of(answers));
    }

    private static Sample other(int i, String person, String time, String room) {
        return sample(
                "other" + i,
                Trajectory.ofTexts(List.of(person + "约他" + time + "去" + room)),
                answer(
                        "开会",
                        "schedule_meeting{\"people\": [\"" + person + "\"], \"time\": \"" + time + "\", \"room\": \""
                                + room + "\"}"));
    }

    private static final Sample SAMPLE = sample("a", Trajectory.ofTexts(STEPS), MEETING);
    private static final List<Sample> DATA =
            List.of(SAMPLE, other(1, "郭靖", "中午12点", "东配楼"), other(2, "刘洋", "晚上8点半", "西配楼"));

    private static Augmentation augmentation(double substitution, Double... dropout) {
        return new Augmentation(new Augmentation.Settings(substitution, List.of(dropout), true), DATA, 7);
    }

    private static Sample form(Augmentation augmentation, Sample sample, int epoch) {
        return requireNonNull(augmentation.rewrite(sample, epoch));
    }

    private static List<String> steps(Sample sample) {
        return sample.trajectory().texts();
    }

    @Test
    void valuesAreExchangedForOthersOfTheirParameterEverywhereAtOnce() {
        Set<String> people = new HashSet<>();
        for (int epoch = 0; epoch < 20; epoch++) {
            Sample form = form(augmentation(1), SAMPLE, epoch);
            Recommendation answer = requireNonNull(form.answers()).get(0);
            Map<String, JsonNode> parameters = answer.calls().get(0).parameters();
            String person = requireNonNull(parameters.get("people")).get(0).textValue();
            String time = requireNonNull(parameters.get("time")).textValue();
            String room = requireNonNull(parameters.get("room")).textValue();
            people.add(person);

            assertThat(person).isIn("郭靖", "刘洋");
            assertThat(time).isIn("中午12点", "晚上8点半");
            assertThat(room).isIn("东配楼", "西配楼");
            assertThat(requireNonNull(parameters.get("remind")).textValue()).isEqualTo("once");
            assertThat(steps(form)).containsExactly("看了3条星座运势", person + "约他" + time + "开会", "打开天气又关掉", "把会议定在" + room);
            assertThat(form.context().profile()).isEqualTo("爱喝白开水。" + person + "的生日在周五。");
            assertThat(answer.instruction()).isEqualTo(time + "在" + room + "和" + person + "开会");
        }
        assertThat(people).containsExactlyInAnyOrder("郭靖", "刘洋");
    }

    @Test
    void aValueWithoutAnotherOfItsParameterStays() {
        Augmentation alone = new Augmentation(new Augmentation.Settings(1, List.of(), true), List.of(SAMPLE), 7);
        assertThat(alone.rewrite(SAMPLE, 0)).isEqualTo(SAMPLE);
    }

    @Test
    void whatHoldsACopiedValueIsNeverLeftOut() {
        Sample form = form(augmentation(0, 1.0), SAMPLE, 0);

        assertThat(steps(form)).containsExactly("张伟约他晚上8点开会", "把会议定在三号楼");
        assertThat(form.context()).isEqualTo(new DeviceContext("张伟的生日在周五。", "电量92%。", ""));
        assertThat(form.answers()).containsExactly(MEETING);
    }

    @Test
    void functionsThatAreNotCalledAreDistractorsToo() {
        List<FunctionSpec> functions = Stream.of("send_message", "schedule_meeting", "mute")
                .map(name -> new FunctionSpec(name, "", List.of(), List.of()))
                .toList();
        CandidatePool pool = new CandidatePool(List.of("work"), functions);
        Augmentation augmentation = augmentation(0, 1.0);

        assertThat(augmentation.thin(pool, SAMPLE, 0))
                .isEqualTo(new CandidatePool(List.of("work"), functions.subList(1, 2)));
        assertThat(augmentation.thin(pool, SAMPLE, 1)).isEqualTo(pool);
        Augmentation whole = new Augmentation(new Augmentation.Settings(0, List.of(1.0), false), DATA, 7);
        assertThat(whole.thin(pool, SAMPLE, 0)).isEqualTo(pool);
    }

    @Test
    void theCurriculumEndsInWholeContexts() {
        Augmentation augmentation = augmentation(0, 1.0, 0.5);
        assertThat(augmentation.rewrite(SAMPLE, 1)).isNotNull();
        assertThat(augmentation.rewrite(SAMPLE, 2)).isNull();
    }

    @Test
    void anEpochGivesTheSameFormEveryTimeAndEpochsDiffer() {
        Augmentation augmentation = augmentation(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
        Set<Sample> forms = new HashSet<>();
        for (int epoch = 0; epoch < 6; epoch++) {
            Sample form = form(augmentation, SAMPLE, epoch);
            assertThat(augmentation(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5).rewrite(SAMPLE, epoch))
                    .isEqualTo(form);
            forms.add(form);
        }
        assertThat(forms.size()).isGreaterThan(3);
    }

    @Test
    void screensAndTargetsThatCopyNothingStay() {
        Augmentation augmentation = augmentation(1, 1.0);
        Trajectory steps = Trajectory.ofTexts(STEPS);

        assertThat(augmentation.rewrite(sample("n", steps, answer("静音", "mute{\"mode\": \"all\"}")), 0))
                .isNull();
        assertThat(augmentation.rewrite(
                        sample("p", new Trajectory(List.of(new TraceStep.Screenshot("a.png"))), MEETING), 0))
                .isNull();
    }

    @Test
    void aSilentSampleIsEmptiedOrWhole() {
        Augmentation augmentation = augmentation(1, 1.0, 0.5);
        Trajectory steps = Trajectory.ofTexts(STEPS);
        Recommendation silence = new Recommendation("", List.of());
        for (Sample silent : List.of(sample("s", steps), sample("e", steps, silence, MEETING))) {
            Sample form = form(augmentation, silent, 0);
            assertThat(steps(form)).hasSize(1);
            assertThat(STEPS).containsAll(steps(form));
            assertThat(form.context()).isEqualTo(new DeviceContext("", "", ""));
            assertThat(form.answers()).isEqualTo(silent.answers());
            assertThat(augmentation.rewrite(silent, 2)).isNull();
        }
        long whole = IntStream.range(0, 200)
                .filter(i -> augmentation.rewrite(sample("s" + i, steps), 1) == null)
                .count();
        assertThat(whole).isBetween(60L, 140L);
    }

    @Test
    void sharesBeyondOneAreRefusedByName() {
        assertThatThrownBy(() -> new Augmentation.Settings(1.5, List.of(), true))
                .hasMessageContaining("value-substitution = 1.5");
        assertThatThrownBy(() -> new Augmentation.Settings(0, List.of(0.5, -1.0), true))
                .hasMessageContaining("distractor-dropout[1] = -1.0");
    }
}
