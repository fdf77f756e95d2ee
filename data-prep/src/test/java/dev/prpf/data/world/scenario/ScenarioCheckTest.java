package dev.prpf.data.world.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.world.AppDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioCheckTest {
    private static final String RIGHT =
            """
            scenario: taxi-before-the-train
            start: "2026-03-02T08:00:00+08:00"
            apps:
              Messages: {app: messaging}
              Taxi: {app: cab, start: {rides: []}}
            events:
              - {id: e1, at: "08:20", call: Messages.receive, with: {text: the line is closed}}
              - {id: e2, after: [e1], delay: 90, call: Messages.receive, with: {text: "how will you come?"}}
              - {id: e3, when: {by: agent, call: Taxi.order}, delay: 5, call: Taxi.arrive}
            noise: [{call: Messages.receive, per-hour: 4, with: [{text: sale}]}]
            failing: {Taxi: 0.1}
            user:
              goals: [{id: g1, wants: Taxi.order, where: {to: {contains: Station}}, from: e1, until: "09:20"}]
              habits: {trust: 0.7}
              moves: [{id: m1, at: "08:22", call: Messages.open, with: {thread: t1}}]
            expected:
              - {id: x1, after: [e2], delay: 2, call: propose, with: {text: "Shall I order a taxi?"}}
              - {id: x2, after: [x1], delay: 2, by: user, call: accept, with: {text: "Yes"}}
              - {id: x3, after: [x2], delay: 1, call: Taxi.order, with: {to: West Station}}
            checks: {needed: {x3: [to]}, forbidden: [Messages.send], silent-before: e1}
            limits: {turns: 40, until: "10:00"}
            """;

    private static final AppDefinition MESSAGES = app(
            """
            app: Messages
            start: {}
            functions:
              receive: {effect: write, args: {text: string}, run: 'refuse(text == "spam", "No spam")'}
              send: {effect: write, args: {text: string}, run: text}
            screens: {Home: {open: {args: {thread: string}}}}
            """);
    private static final AppDefinition TAXI = app(
            """
            app: Taxi
            start: {rides: []}
            functions:
              order: {effect: write, args: {to: string}, run: state.rides.add(to)}
              arrive: {effect: write, run: state.rides.clear()}
            """);

    private static AppDefinition app(String yaml) {
        return StrictYaml.readText("app.yaml", yaml, AppDefinition.class, List.of());
    }

    private static List<String> problems(Scenario scenario) {
        return ScenarioCheck.problems(new ScenarioCheck.Checked(scenario, Map.of("Messages", MESSAGES, "Taxi", TAXI)));
    }

    private static Scenario scenario(String yaml) {
        return StrictYaml.readText("s.yaml", yaml, Scenario.class, List.of());
    }

    @Test
    void aYearOfNoise_isRefused() {
        String yaml = RIGHT.replace("per-hour: 4", "per-hour: 3600");
        assertThat(problems(scenario(yaml))).isEmpty();
        assertThat(problems(scenario(yaml.replace("until: \"10:00\"", "until: \"2027-03-02T08:00\""))))
                .containsExactly("noise: makes about 31536000 events until the end, must be at most 100000;"
                        + " lower per-hour or limits.until");
    }

    @Test
    void rightScenario_hasNoProblemsAndIsReadBack() {
        Scenario scenario = scenario(RIGHT);
        assertThat(problems(scenario)).isEmpty();
        assertThat(scenario(scenario.write())).isEqualTo(scenario);
        assertThat(scenario.seconds("2026-03-03T08:00")).isEqualTo(86_400);
        assertThat(scenario.seconds("2026-03-02T00:01:00Z")).isEqualTo(60);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id: e2, after: [e1] | id: e2, after: [e2] | events wait for each other: e2 -> e2",
                "at: \"08:20\" | after: [x3] | events wait for each other: e1 -> x3 -> x2 -> x1 -> e2 -> e1",
                "at: \"08:20\" | at: \"10:30\" | e1: happens 9000.0 s after the start, which is after the end at"
                        + " 7200.0 s",
                "at: \"08:20\" | at: \"8 h\" | e1.at: \"8 h\" is no time; write \"08:30\" or \"2026-03-02T08:30\"",
                "after: [e1], delay: 90 | after: [e9] | e2: can never happen: \"e9\" in \"after\" is not the id of an"
                        + " entry",
                "by: agent, call: Taxi.order | by: user, call: Taxi.order |"
                        + " e3: can never happen: no move and no expected call matches \"when\"",
                "contains: Station | contains: Airport | g1: cannot be met: no expected call or move is such a"
                        + " Taxi.order between 1200.0 s and 4800.0 s",
                "id: m1 | id: e1 | e1: the id is a duplicate; ids of events, moves and expected calls differ",
                "call: Messages.open | call: Mail.open | m1: the scenario has no app \"Mail\"; its apps are [Messages,"
                        + " Taxi]",
                "call: propose | call: offer | x1: calls \"offer\", must be App.function;"
                        + " expected calls can also be one of [propose, tell, accept, reject]",
                "failing: {Taxi | failing: {Cab | failing: the scenario has no app \"Cab\"; its apps are [Messages,"
                        + " Taxi]",
                "call: Taxi.arrive | call: Taxi.wave | e3: Taxi has no function wave (known: order, arrive)",
                "call: Messages.open | call: Messages.shut | m1: Messages has no move shut (known: open)",
                "with: {thread: t1} | with: {place: t1} | m1: open: there is no argument place; arguments: [thread]",
                "with: [{text: sale}] | with: [{text: 5}] | noise: receive: the argument text is 5, must be of type"
                        + " string",
                "wants: Taxi.order | wants: Taxi.fly | g1: Taxi has no function fly (known: order, arrive)",
                "[Messages.send] | [Messages.sing] | checks.forbidden: Messages has no function sing (known: receive, send)",
                "start: {rides: []} | start: {trips: []} | apps.Taxi.start: cab has no table trips",
                "the line is closed | spam | e1: fails in the expected run: No spam",
                "until: \"10:00\" | until: \"2028-01-01T10:00\" | limits.until: is more than a year after the start",
                "needed: {x3: | needed: {e1: | checks.needed: \"e1\" is not the id of an expected call",
                "[Messages.send] | [Taxi.order] | x3: expects Taxi.order, which checks.forbidden names",
                "silent-before: e1 | silent-before: e8 | checks.silent-before: \"e8\" is not the id of an entry with a"
                        + " call"
            })
    void defect_isNamed(String right, String wrong, String problem) {
        assertThat(RIGHT).contains(right);
        assertThat(problems(scenario(RIGHT.replace(right, wrong)))).contains(problem);
    }

    @Test
    void read_namesTheLineOfADefect() {
        assertThatThrownBy(
                        () -> scenario(RIGHT.replace("delay: 90", "delay: -1").replace("turns: 40", "turn: 40")))
                .hasMessageContaining("s.yaml:8: events[1]: delay = -1.0 must be 0 to 31622400 seconds")
                .hasMessageContaining("s.yaml:21: limits.turn: is not a known key (did you mean \"turns\"?)");
        assertThatThrownBy(() -> scenario(RIGHT.replace("delay: 90", "at: \"09:00\"")))
                .hasMessageContaining("at, after, when = 2 of them must be at most one of them: e2");
        assertThatThrownBy(() -> scenario(RIGHT.replace("per-hour: 4", "per-hour: 1e10")))
                .hasMessageContaining("per-hour = 1.0E10 must be above 0 and at most 3600");
        assertThatThrownBy(() -> scenario(RIGHT.replace("taxi-before", "../taxi-before")))
                .hasMessageContaining("scenario = ../taxi-before-the-train must be a name of letters");
        assertThatThrownBy(() -> scenario(RIGHT.replace("T08:00:00+08:00", "")))
                .hasMessageContaining("start = 2026-03-02 must be a time with offset");
    }

    @Test
    void read_namesEveryDefectOfEveryFile(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("taxi.yaml"), "app: Taxi\nstart: {}\n");
        Path one = Files.writeString(folder.resolve("one.yaml"), RIGHT.replace("app: messaging", "app: post"));
        Path two = Files.writeString(folder.resolve("two.yaml"), RIGHT.replace("app: cab", "app: taxi.yaml"));
        assertThatThrownBy(() -> ScenarioCheck.read(List.of(one, two)))
                .hasMessageContaining(
                        one + ": apps.Messages: \"post\" is not shipped; name a file that ends with .yaml")
                .hasMessageContaining(two + ": apps.Taxi.start: taxi.yaml has no table rides")
                .hasMessageContaining(two + ": x3: Taxi has no function order");
    }

    @Test
    void holds_comparesByTheConditionsName() {
        JsonNode value = JsonRecords.tree("West Station");
        assertThat(Scenario.holds(JsonRecords.tree(Map.of("contains", "West")), value))
                .isTrue();
        assertThat(Scenario.holds(JsonRecords.tree(Map.of("one-of", List.of("a", "b"))), value))
                .isFalse();
        assertThat(Scenario.holds(JsonRecords.tree(Map.of("before", 3)), JsonRecords.tree(2.5)))
                .isTrue();
        assertThat(Scenario.holds(JsonRecords.tree(Map.of("after", "09:20")), JsonRecords.tree("09:10")))
                .isFalse();
        assertThat(Scenario.holds(JsonRecords.tree(1), JsonRecords.tree(1.0))).isTrue();
        assertThat(Scenario.holds(JsonRecords.tree(1), null)).isFalse();
    }
}
