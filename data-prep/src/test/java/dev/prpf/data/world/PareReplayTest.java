package dev.prpf.data.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.ThirdPartyRecords;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shipped apps against PARE's recorded runs and walks; every fifth scenario by name was held out while they were written. */
@Tag("slow")
class PareReplayTest {
    private static final List<String> APPS = List.of(
            "apartment", "cab", "calendar", "contacts", "email", "files", "messaging", "notes", "reminder", "shopping");
    /** Words of the apps that some scenario uses as a value too: kinds, states and folders. */
    private static final Set<String> VOCABULARY = Set.of(
            "Apartment",
            "BOOKED",
            "DELAYED",
            "DRAFT",
            "Default",
            "Downloads",
            "INBOX",
            "IN_PROGRESS",
            "Inbox",
            "NAME",
            "Personal",
            "Premium",
            "SENT",
            "TRASH",
            "User",
            "Work",
            "cancelled",
            "delivered",
            "directory",
            "driver",
            "file",
            "month",
            "processed",
            "user_id");

    private static Path records() {
        return ThirdPartyRecords.folder(
                "pare", "git clone https://github.com/deepakn97/pare && git -C pare checkout b5af3dab");
    }

    private static PareReplay replayed(boolean heldOut) {
        Map<String, AppDefinition> apps = new LinkedHashMap<>();
        APPS.forEach(app -> apps.put(app, AppDefinition.shipped(app)));
        PareReplay replay = new PareReplay(app -> Objects.requireNonNull(apps.get(app)));
        PareReplay.files(records().resolve("scenarios"), heldOut).forEach(replay::run);
        PareReplay.files(records().resolve("walks"), heldOut).forEach(replay::walk);
        return replay;
    }

    @Test
    void theScenariosOfWhichTheAppsWereWritten() {
        PareReplay replay = replayed(false);
        assertThat(replay.figures())
                .as("differences:\n%s", String.join("\n", replay.differences()))
                .containsExactly(
                        "departures 0 of 75",
                        "ends 80 of 83",
                        "ends with distinct identifiers 69 of 83",
                        "moves offered 2273 of 2273",
                        "reads 239 of 243",
                        "reads at the call 211 of 243",
                        "screens 2195 of 2198",
                        "walk ends 69 of 83",
                        "walk results 2135 of 2195",
                        "writes 303 of 303");
    }

    @Test
    void theHeldOutScenarios() {
        PareReplay replay = replayed(true);
        assertThat(replay.figures())
                .as("differences:\n%s", String.join("\n", replay.differences()))
                .containsExactly(
                        "departures 0 of 14",
                        "ends 19 of 20",
                        "ends with distinct identifiers 18 of 20",
                        "moves offered 510 of 510",
                        "reads 57 of 57",
                        "reads at the call 43 of 57",
                        "screens 492 of 496",
                        "walk ends 17 of 20",
                        "walk results 485 of 492",
                        "writes 63 of 65");
    }

    @Test
    void theAppsHoldNoValueOfAScenario() throws IOException {
        String apps = "";
        for (String app : APPS) {
            apps += text(app + ".yaml");
        }
        Set<String> found = new TreeSet<>();
        for (boolean heldOut : new boolean[] {false, true}) {
            for (Path file : PareReplay.files(records().resolve("scenarios"), heldOut)) {
                found.addAll(valuesIn(apps, new ObjectMapper().readTree(file.toFile())));
            }
        }
        assertThat(found).isEqualTo(new TreeSet<>(VOCABULARY));
        assertThat(apps.lines().count()).isLessThanOrEqualTo(1_400);
    }

    @Test
    void aValueOfAScenarioIsFound() throws IOException {
        JsonNode scenario = new ObjectMapper()
                .readTree(
                        """
                {"scenario": "walk_in_the_park", "goal": null,
                 "apps": {"Shelf": {"class": "Books", "state": {"books": {"b-17": {"title": "Dracula", "sold": "a"}}}}},
                 "events": [{"args": {"place": "Elm Street 4"}}], "oracle": [{"args": {"text": "Yes, please."}}]}""");
        assertThat(valuesIn("refuse(x == \"Dracula\" && y == 'b-17')", scenario))
                .containsExactly("Dracula", "b-17");
        assertThat(valuesIn("# walk_in_the_park, Elm Street 4, Yes, please.", scenario))
                .containsExactly("Elm Street 4", "Yes, please.", "walk_in_the_park");
        assertThat(valuesIn(text("shelf.yaml"), scenario)).isEmpty();
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = PareReplayTest.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns the scenario's name, ids and values of four or more letters that the text has as words. */
    private static Set<String> valuesIn(String text, JsonNode scenario) {
        List<String> values = new ArrayList<>(
                List.of(scenario.get("scenario").asText(), scenario.get("goal").asText()));
        scenario.get("apps").forEach(app -> collect(app.get("state"), values));
        scenario.get("events").forEach(event -> collect(event.path("args"), values));
        scenario.get("oracle").forEach(entry -> collect(entry.path("args"), values));
        Set<String> found = new TreeSet<>();
        for (String value : values) {
            boolean word = value.length() >= 4 && !value.equals("null") && text.contains(value);
            if (word
                    && Pattern.compile("(?<!\\w)" + Pattern.quote(value) + "(?!\\w)")
                            .matcher(text)
                            .find()) {
                found.add(value);
            }
        }
        return found;
    }

    private static void collect(JsonNode node, List<String> values) {
        if (node.isTextual()) {
            values.add(node.textValue());
        }
        node.fieldNames().forEachRemaining(name -> {
            if (name.matches(".*[0-9 -].*")) {
                values.add(name);
            }
        });
        node.forEach(member -> collect(member, values));
    }
}
