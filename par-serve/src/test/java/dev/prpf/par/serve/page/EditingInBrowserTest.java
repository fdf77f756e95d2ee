package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The page as it takes, shows and changes moments. */
class EditingInBrowserTest extends InBrowser {
    private static final String ATTACK = "<script>window.hit = 1</script><img src=x onerror=\"window.hit = 1\">";

    @Test
    void textsOfARecordAndOfAnAnswerStayTexts() {
        cascade.recommendations = List.of(FakeCascade.recommendation(ATTACK), FakeCascade.recommendation(ATTACK));
        cascade.thinking = List.of(ATTACK);
        cascade.scenarioPrefix = "<b onclick=alert(1)>";
        open();
        String record =
                "{\"benchmark_metadata\": {\"id\": \"%1$s\"}, \"reference_information\": {\"profile\": \"%1$s\", \"phone\": \"%1$s\","
                                .formatted(ATTACK.replace("\"", "\\\""))
                        + "\"world\": \"\", \"trace\": [\"%1$s\", \"a\", \"b\", \"c\"]}, \"recommendations\": [{\"instruction\": \"%1$s\", \"functions\": [{\"name\": \"%1$s\", \"parameters\": {\"%1$s\": [\"%1$s\"]}}]}]}"
                                .formatted(ATTACK.replace("\"", "\\\""));
        tab.fill("#paste", record);
        tab.click("#use-paste");
        tab.untilText("#known-answer h3", ATTACK);
        assertThat(tab.text("#example")).contains(ATTACK);
        tab.click("#recommend");
        tab.untilText("#device .card h3", ATTACK);
        assertThat(tab.text("#written .text")).isEqualTo(ATTACK);
        assertThat(tab.text("#scenarios")).contains("<b onclick=alert(1)>Sports");
        assertThat(tab.text("#history")).contains(ATTACK);
        assertThat(tab.value(
                                "window.hit === undefined && document.querySelectorAll('main script, main img, main b').length === 0")
                        .booleanValue())
                .isTrue();
        assertThat(cascade.asked.get(0).path("profile").textValue()).isEqualTo(ATTACK);
    }

    @Test
    void thePolicyStopsAScriptThatGotIn() {
        open();
        tab.value(
                "{ const s = document.createElement('div'); try { s.innerHTML = '<img src=x onerror=hit()>'; window.made = true; }"
                        + " catch (e) { window.refused = e.name; } }");
        assertThat(tab.value("window.refused").asText()).isEqualTo("TypeError");
        assertThat(tab.value("window.made === undefined").booleanValue()).isTrue();
        assertThat(tab.problems()).anyMatch(problem -> problem.contains("TrustedHTML"));
        tab.problems().clear();
    }

    @Test
    void whatIsNoRecordIsRefusedWithTheRule() {
        open();
        Map<String, String> faults = new HashMap<>(Map.of(
                "{", "This is not JSON:",
                "[]", "The array holds no record.",
                "{\"a\": 1}", "This is no record: it must have \"reference_information\"",
                "{\"profile\": \"\", \"phone\": \"\", \"world\": 3, \"trace\": [\"a\"]}", "\"world\" must be a text.",
                "{\"profile\": \"\", \"phone\": \"\", \"world\": \"\", \"trace\": [3]}", "trace[0] is no step"));
        faults.forEach((text, message) -> {
            tab.fill("#paste", text);
            tab.click("#use-paste");
            tab.untilText("#error", message);
        });
    }

    @Test
    void screenshotsAreDroppedAddedAndTakeThePlaceOfMissingOnes() throws IOException {
        open();
        tab.fill(
                "#paste",
                "{\"profile\": \"p\", \"phone\": \"\", \"world\": \"\", \"trace\": [\"a\", {\"source\": \"picture\","
                        + " \"picture\": \"Benchmark/x/one.png\"}]}");
        tab.click("#use-paste");
        tab.untilText("#trace", "Screenshot missing: Benchmark/x/one.png");
        tab.click("#recommend");
        tab.untilText("#error", "Screenshots are missing: Benchmark/x/one.png.");
        assertThat(cascade.asked).as("nothing was sent").isEmpty();
        Path image = folder.resolve("one.png");
        try (InputStream in =
                Objects.requireNonNull(PageRoutes.class.getResourceAsStream("examples/test-12-000015-0.png"))) {
            Files.write(image, in.readAllBytes());
        }
        tab.chooseFiles("#files", List.of(image));
        tab.until("document.querySelectorAll('#trace img').length === 1");
        assertThat(tab.value("document.querySelector('#trace img').alt").asText())
                .isEqualTo("Step 2: screenshot one.png");
        tab.value(
                "{ const d = new DataTransfer(); d.items.add(new File(['GIF89a'], 'two.gif', {type: 'image/gif'}));"
                        + " document.querySelector('#trace').dispatchEvent(new DragEvent('drop', {dataTransfer: d, bubbles: true, cancelable: true})); }");
        tab.until("document.querySelectorAll('#trace img').length === 2");
        assertThat(tab.text("#summary")).isEqualTo("3 steps, 2 screenshots");
        Path note = folder.resolve("note.txt");
        Files.writeString(note, "no image");
        tab.chooseFiles("#files", List.of(note));
        tab.untilText("#error", "note.txt is no image in PNG, JPEG, GIF or BMP.");
        Path web = folder.resolve("three.webp");
        Files.writeString(web, "RIFF");
        tab.chooseFiles("#files", List.of(web));
        tab.untilText("#error", "three.webp is no image in PNG, JPEG, GIF or BMP.");
        tab.click("#recommend");
        tab.until("document.querySelector('#cost .facts') || document.querySelector('#device strong')");
        assertThat(cascade.asked.get(0).at("/trace/1/picture").textValue()).startsWith("data:image/png;base64,");
        assertThat(cascade.asked.get(0).at("/trace/2/picture").textValue()).startsWith("data:image/gif;base64,");
    }

    @Test
    void stepsAreEditedMovedAndRemovedAndTheFocusStaysWithThem() {
        open();
        tab.fill("#trace textarea", "changed");
        tab.fill("#world", "another world");
        tab.value("document.querySelector('#trace [data-do=down]').focus()");
        tab.press("Enter");
        tab.until("document.querySelectorAll('#trace textarea')[1].value === 'changed'");
        assertThat(tab.value("document.activeElement.getAttribute('aria-label')")
                        .asText())
                .isEqualTo("Move step 2 down");
        tab.click("#trace [data-do=remove]");
        tab.click("#add-text");
        tab.type("a new step");
        tab.until("document.querySelectorAll('#trace textarea').length === 6");
        assertThat(tab.value("document.querySelector('#known').hidden").booleanValue())
                .as("the record's answer is no longer this moment's")
                .isTrue();
        tab.click("#recommend");
        tab.until("document.querySelector('.card')");
        JsonNode asked = cascade.asked.get(0);
        assertThat(asked.at("/trace/0").textValue()).isEqualTo("changed");
        assertThat(asked.at("/trace/5").textValue()).isEqualTo("a new step");
        assertThat(asked.path("world").textValue()).isEqualTo("another world");
        assertThat(tab.text("#history th[scope=row]")).isEqualTo("A hospital releases appointments (text) (edited)");
    }
}
