package dev.prpf.data.synth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.Language;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioCheck;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DaySynthTest {
    private static DaySynth days(long seed, String split, Language language) {
        return new DaySynth(seed, split, language, ScenarioCatalogReader.shipped());
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void aDay_isAScenarioWithoutDefectsThatRoundTrips(Language language) {
        Scenario day = days(1, "train", language).day(3);

        assertThat(ScenarioCheck.problems(ScenarioCheck.Checked.of(day, Path.of(""))))
                .isEmpty();
        assertThat(StrictYaml.readText("day", day.write(), Scenario.class, List.of()))
                .isEqualTo(day);
        assertThat(day.write()).isEqualTo(days(1, "train", language).day(3).write());
        assertThat(day.events()).hasSize(40);
        assertThat(day.user().goals()).hasSizeBetween(3, 20);
        assertThat(day.expected()).hasSize(3 * day.user().goals().size());
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void aMoment_isTheSampleOfItsTimeUnderOneProfile(Language language) {
        Scenario day = days(1, "train", language).day(0);
        ScenarioWorld world = new ScenarioWorld(day, Map.of(ScenarioWorld.PHONE, AppDefinition.shipped("phone")), 1);
        Scenario.Entry last = day.events().get(39);

        assertThat(world.advance(day.seconds(Objects.requireNonNull(last.at()))))
                .hasSize(40);
        var sample = Objects.requireNonNull(world.sample());

        assertThat(sample.context().profile()).isEqualTo(profile(day).asText());
        assertThat(sample.context().world())
                .isEqualTo(Objects.requireNonNull(last.with().get("world")).asText());
        assertThat(sample.trajectory().texts())
                .isEqualTo(texts(Objects.requireNonNull(last.with().get("steps"))));
    }

    private static JsonNode profile(Scenario day) {
        Scenario.App phone = Objects.requireNonNull(day.apps().get(ScenarioWorld.PHONE));
        return Objects.requireNonNull(phone.start().get("profile"));
    }

    private static List<String> texts(JsonNode list) {
        return IntStream.range(0, list.size())
                .mapToObj(i -> list.get(i).asText())
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void trainAndTestDays_shareNoPersonaAndNoTrajectory(Language language) {
        Set<String> train = texts(days(1, "train", language));
        Set<String> test = texts(days(1, "test", language));

        assertThat(train).hasSize(20 * 41);
        assertThat(new HashSet<>(train).removeAll(test)).isFalse();
    }

    private static Set<String> texts(DaySynth days) {
        Set<String> texts = new HashSet<>();
        IntStream.range(0, 20)
                .mapToObj(days::day)
                .flatMap(day -> Stream.concat(
                        Stream.of(profile(day)),
                        day.events().stream().map(event -> event.with().get("steps"))))
                .forEach(text -> texts.add(text.toString()));
        return texts;
    }
}
