package dev.prpf.data.world.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.scenario.Scenario.Actor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScenarioWorldTest {
    private static final AppDefinition SHELF = StrictYaml.shipped("shelf.yaml", AppDefinition.class);

    private static final String READING =
            """
            scenario: reading
            start: "2026-03-02T08:00:00+08:00"
            apps: {Shelf: {app: shelf}}
            events:
              - {id: late, at: "08:01", delay: 0.5, call: Shelf.add_book, with: {shelf: right, title: Ulysses, pages: 700}}
              - {id: first, delay: 5, call: Shelf.add_book, with: {shelf: right, title: A long title of a book}}
              - {id: mark, after: [first], delay: 2}
              - {id: second, after: [mark, first], delay: 1, call: Shelf.add_book, with: {shelf: right, title: Third}}
              - {id: answer, when: {by: user, call: Shelf.open, where: {shelf: left}}, delay: 3, call: Shelf.long_books, with: {pages: 1}}
              - {id: thanks, after: [x1], call: Shelf.long_books, with: {pages: 2}}
              - {id: never, after: [never], call: Shelf.long_books, with: {pages: 3}}
            expected:
              - {id: x1, after: [first], call: Shelf.add_book, with: {shelf: left, title: Middlemarch}}
            checks: {needed: {x1: [shelf]}}
            """;

    private static ScenarioWorld stage(String yaml, long seed) {
        Scenario scenario = StrictYaml.readText("reading.yaml", yaml, Scenario.class, List.of());
        return new ScenarioWorld(scenario, Map.of("Shelf", SHELF), seed);
    }

    private static Map<String, JsonNode> texts(String... pairs) {
        Map<String, JsonNode> with = new java.util.LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            with.put(pairs[i], TextNode.valueOf(pairs[i + 1]));
        }
        return with;
    }

    private static List<String> ids(List<ScenarioWorld.Notice> notices) {
        List<String> ids = new ArrayList<>();
        notices.forEach(notice -> ids.add(notice.due().id() + "@" + notice.due().t()));
        return ids;
    }

    @Test
    void eventsHappenAtTheirTimes_afterOthers_andRendered() {
        ScenarioWorld stage = stage(READING, 1);
        assertThat(stage.queue().nextTime()).isEqualTo(5);
        List<ScenarioWorld.Notice> notices = stage.advance(30);
        assertThat(ids(notices)).containsExactly("first@5.0", "second@8.0");
        assertThat(notices.get(0).user()).isEqualTo("A new book: A long title of...");
        assertThat(notices.get(0).agent()).isEqualTo("A new book: A long title of a book ( pages)");
        assertThat(stage.queue().happened("mark")).isEqualTo(7);
        assertThat(stage.now()).isEqualTo(30);
        ScenarioWorld.Notice full = stage.advance(100).get(0);
        assertThat(full.due().t()).isEqualTo(60.5);
        assertThat(full.error()).isEqualTo("Shelf right is full");
        assertThat(full.user()).as("a refused event is not seen").isNull();
        assertThat(stage.queue().nextTime()).isInfinite();
    }

    @Test
    void anEventFollowsTheCallThatItWaitsFor() {
        ScenarioWorld stage = stage(READING, 1);
        stage.move("System.open_app", texts("app_name", "Shelf"));
        assertThat(stage.move("Shelf.open", texts("shelf", "right")).succeeded())
                .isTrue();
        stage.move("Shelf.go_back", Map.of());
        stage.advance(1);
        stage.move("System.open_app", texts("app_name", "Shelf"));
        assertThat(stage.move("Shelf.open", texts("shelf", "left")).succeeded()).isTrue();
        assertThat(ids(stage.advance(4.5))).containsExactly("answer@4.0");
    }

    @Test
    void aWriteWithoutPermission_isRefusedAndCounted() {
        ScenarioWorld stage = stage(READING, 1);
        stage.advance(6);
        JsonNode before = stage.world().state("Shelf");
        Map<String, JsonNode> book = texts("shelf", "left", "title", "Dune");
        assertThat(stage.call("Shelf.add_book", book, false).error())
                .isEqualTo("Shelf.add_book writes; the user must accept a proposal first");
        assertThat(stage.world().state("Shelf")).isEqualTo(before);
        assertThat(stage.refusedWrites()).isEqualTo(1);
        assertThat(stage.call("Shelf.list_books", texts("shelf", "left"), false).succeeded())
                .isTrue();
        assertThat(stage.call("Shelf.burn", Map.of(), true).error()).isEqualTo("there is no function Shelf__burn");
        assertThat(stage.call("burn", Map.of(), true).error()).startsWith("there is no function");
        stage.move("System.open_app", texts("app_name", "Shelf"));

        assertThat(stage.call("Shelf.add_book", texts("shelf", "right", "title", "Dune"), true)
                        .succeeded())
                .isTrue();
        assertThat(stage.queue().happened("x1"))
                .as("another shelf than the expected one")
                .isNull();
        ScenarioWorld other = stage(READING.replace("b2: {title: Emma, pages: 450}", ""), 1);
        other.advance(6);
        other.queue().called(Actor.AGENT, "Shelf.add_book", book, 6);
        assertThat(other.queue().happened("x1")).isEqualTo(6);
        assertThat(ids(other.advance(7))).containsExactly("thanks@6.0");
    }

    @Test
    void aReadWithoutPermission_leavesNoTrace() {
        String yaml =
                """
                scenario: mail
                start: "2026-03-02T08:00:00Z"
                apps: {Emails: {app: email}}
                events:
                  - {id: e1, call: Emails.send_email_to_user_with_id, with: {email_id: m1, sender: li@example.com, content: Hello}}
                """;
        Scenario scenario = StrictYaml.readText("mail.yaml", yaml, Scenario.class, List.of());
        ScenarioWorld stage = new ScenarioWorld(scenario, Map.of("Emails", AppDefinition.shipped("email")), 1);
        stage.advance(1);
        JsonNode before = stage.world().state("Emails");
        JsonNode read = stage.call("Emails.get_email_by_id", texts("email_id", "m1"), false)
                .value();
        assertThat(String.valueOf(read)).contains("\"content\":\"Hello\"", "\"is_read\":true");
        assertThat(stage.world().state("Emails")).isEqualTo(before);
        stage.call("Emails.get_email_by_id", texts("email_id", "m1"), true);
        assertThat(stage.world().state("Emails").findValue("is_read").asBoolean())
                .as("marked as read with permission")
                .isTrue();
    }

    @Test
    void noiseIsAPoissonProcess_equalForEqualSeeds() {
        String noise = READING + "noise: [{call: Shelf.long_books, per-hour: 60, with: [{pages: 4}, {pages: 5}]}]\n";
        List<ScenarioWorld.Notice> notices = stage(noise, 3).advance(36_000);
        List<ScenarioWorld.Notice> distractors =
                notices.stream().filter(notice -> notice.due().noise()).toList();
        assertThat(distractors).hasSizeBetween(540, 660);
        assertThat(distractors)
                .extracting(notice -> String.valueOf(notice.due().with().get("pages")))
                .contains("4", "5");
        assertThat(ids(stage(noise, 3).advance(36_000))).isEqualTo(ids(notices));
        assertThat(ids(stage(noise, 4).advance(36_000))).isNotEqualTo(ids(notices));
    }

    @Test
    void callsOfAFailingAppFailWithItsProbability() {
        ScenarioWorld stage = stage(READING + "failing: {Shelf: 0.25}\n", 5);
        int failed = 0;
        for (int i = 0; i < 1000; i++) {
            String error = stage.call("Shelf.list_books", texts("shelf", "left"), false)
                    .error();
            failed += error == null ? 0 : 1;
            assertThat(error).isIn(null, "Shelf.list_books failed: internal error, call it again later");
        }
        assertThat(failed).isBetween(200, 300);
    }

    @Test
    void aSnapshotBringsBackEventsNoiseAndFailures() {
        String yaml = READING
                + "noise: [{call: Shelf.long_books, per-hour: 60, with: [{pages: 4}]}]\nfailing: {Shelf: 0.5}\n";
        ScenarioWorld stage = stage(yaml, 3);
        stage.advance(6);
        stage.call("Shelf.add_book", Map.of(), false);
        ScenarioWorld.Snapshot snapshot = stage.snapshot();
        List<String> first = continued(stage);
        stage.restore(snapshot);
        assertThat(stage.snapshot()).isEqualTo(snapshot);
        assertThat(continued(stage)).isEqualTo(first);
    }

    private static List<String> continued(ScenarioWorld stage) {
        List<String> seen = ids(stage.advance(600));
        for (int i = 0; i < 8; i++) {
            seen.add(String.valueOf(
                    stage.call("Shelf.list_books", texts("shelf", "left"), true).error()));
        }
        return seen;
    }
}
