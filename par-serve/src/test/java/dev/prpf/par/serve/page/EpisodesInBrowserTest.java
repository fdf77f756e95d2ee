package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page that replays a file of episodes. */
class EpisodesInBrowserTest extends InBrowser {
    private static final String HEADER =
            """
            {"format":"prpf-episode/1","episode":"%s","scenario":"taxi","run":0,"seed":1,"source":"world",\
            "start":"2026-03-02T22:00:00+08:00","clock":"%s","actors":{"user":"rules","observe":"<b>cues</b>","execute":null},\
            "apps":["Taxi"],"goal":"Catch the train","facts":{}}""";
    private static final List<String> STEPS = List.of(
            "\"kind\":\"event\",\"app\":\"Taxi\",\"name\":\"notify\",\"args\":{},\"noise\":false,"
                    + "\"seen\":{\"user\":\"地铁二号线停运\",\"agent\":\"地铁二号线停运，预计一小时。\"}",
            "\"kind\":\"decision\",\"act\":\"silent\",\"p\":0.25,\"threshold\":0.5,\"reason\":\"quiet-hours\"",
            "\"kind\":\"proposal\",\"texts\":[\"Order a taxi? <script>window.hit = 1</script>\"]",
            "\"kind\":\"reply\",\"to\":2,\"answer\":\"accept\",\"text\":\"Yes\"",
            "\"kind\":\"action\",\"actor\":\"execute\",\"app\":\"Taxi\",\"function\":\"order\",\"args\":{\"to\":\"Station\"},"
                    + "\"effect\":\"write\",\"result\":\"true\",\"error\":null,\"cause\":null",
            "\"kind\":\"end\",\"verdict\":true,\"why\":\"done\",\"turns\":5");

    private Path file;

    @BeforeEach
    void file() throws IOException {
        file = Files.writeString(folder.resolve("days.jsonl"), episode("one", "virtual") + episode("two", "order"));
        tab.go(server.address() + "/playground/episodes.html");
    }

    /** Returns six steps, one an hour, so that the third begins a new day. */
    private static String episode(String name, String clock) {
        StringBuilder lines = new StringBuilder(HEADER.formatted(name, clock)).append('\n');
        IntStream.range(0, STEPS.size())
                .forEach(i -> lines.append(
                        "{\"step\":%d,\"t\":%d,\"turn\":%d,%s}\n".formatted(i, i * 3600, i, STEPS.get(i))));
        return lines.toString();
    }

    private void openFile() {
        tab.chooseFiles("#file", List.of(file));
        tab.until("!document.querySelector('#player').hidden");
    }

    @Test
    void byKeyboardThroughTheStepsAndDaysOfAnEpisode() {
        openFile();
        assertThat(tab.value("document.activeElement.id").asText()).isEqualTo("days");
        assertThat(tab.text("#facts")).contains("Events1", "Silences1", "Proposals1", "Accepted1", "Writes1");
        assertThat(tab.text("#shown")).contains("Event 22:00:00, turn 0", "The user sees: 地铁二号线停运");
        tab.press("ArrowRight");
        tab.untilText("#shown", "Silence 23:00:00, turn 1p 0.250, τ 0.500quiet-hours");
        assertThat(tab.value("document.querySelectorAll('#steps li').length").intValue())
                .as("steps of the first day")
                .isEqualTo(2);
        tab.press("ArrowRight");
        tab.untilText("#shown", "Proposal 00:00:00, turn 2Order a taxi? <script>window.hit = 1</script>");
        assertThat(tab.value("document.querySelector('#steps [aria-current]').dataset.step")
                        .asText())
                .isEqualTo("2");
        assertThat(tab.value("[...document.querySelectorAll('#days figcaption')].map(c => c.textContent).join(' ')")
                        .asText())
                .isEqualTo("2026-03-02 2026-03-03");
        tab.press("ArrowUp");
        tab.untilText("#place", "0 of 5");
        tab.press("ArrowDown");
        tab.untilText("#place", "2 of 5");
        tab.press("ArrowDown");
        tab.untilText("#days figcaption", "In order");
        assertThat(tab.value("document.querySelector('#episode').selectedIndex").intValue())
                .as("the next episode")
                .isEqualTo(1);
        tab.press("ArrowUp");
        tab.untilText("#days figcaption", "2026-03-02");
        tab.press("ArrowRight");
        tab.press("ArrowRight");
        tab.press("ArrowLeft");
        tab.untilText("#place", "1 of 5");
        tab.press("End");
        tab.untilText("#shown", "End: done");
        tab.press("Space");
        tab.untilText("#place", "0 of 5");
        tab.untilText("#place", "2 of 5");
        tab.press("Space");
        tab.untilText("#play", "Play");
        assertThat(tab.value("window.hit === undefined && document.querySelectorAll('main script, main b').length"
                                + " === 0")
                        .booleanValue())
                .isTrue();
    }

    @Test
    void withoutAMeaningfulClock_stepsAreOneSequence() {
        openFile();
        tab.choose("#episode", 1);
        tab.untilText("#days figcaption", "In order");
        assertThat(tab.value("document.querySelectorAll('#days figure').length").intValue())
                .isEqualTo(1);
        assertThat(tab.text("#shown")).contains("Event step 0");
        tab.click("#next");
        tab.untilText("#place", "1 of 5");
        tab.value("document.querySelector('#steps li:nth-child(4)').click()");
        tab.untilText("#shown", "Accepted step 3, turn 3Reply to step 2Yes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            prpf-episode/1 | prpf-episode/2 | Line 1: format is "prpf-episode/2", must be "prpf-episode/1".
            "kind":"proposal" | "kind":"offer" | Line 4: is not step 2 of a known kind.
            "step":3 | "step":4 | Line 5: is not step 3 of a known kind.
            "turn":4, | "turn":4,, | Line 6: is not JSON.
            """)
    void anInvalidFile_isRefusedWithItsLine(String before, String after, String message) throws IOException {
        Files.writeString(file, Files.readString(file).replaceFirst(Pattern.quote(before), after));
        tab.chooseFiles("#file", List.of(file));
        tab.untilText("#error", "days.jsonl: " + message);
    }

    @Test
    void aTruncatedFile_isRefusedWithItsLastLine() throws IOException {
        Files.writeString(file, Files.readString(file).lines().limit(4).reduce("", (all, line) -> all + line + "\n"));
        tab.chooseFiles("#file", List.of(file));
        tab.untilText("#error", "Line 5: the episode has no end; the file is truncated.");
    }

    @ParameterizedTest
    @CsvSource({"390, false", "390, true", "1280, false", "1280, true"})
    void itFitsItsWindowAndEveryControlAndDrawingHasAName(int width, boolean dark) throws IOException {
        tab.look(width, dark);
        openFile();
        tab.press("ArrowRight");
        tab.untilText("#place", "1 of 5");
        assertThat(tab.value("document.documentElement.scrollWidth").intValue()).isLessThanOrEqualTo(width);
        assertThat(tab.accessible())
                .filteredOn(node -> Set.of("button", "combobox", "slider", "image", "region", "group", "list")
                        .contains(node.getKey()))
                .hasSizeGreaterThan(8)
                .allSatisfy(
                        node -> assertThat(node.getValue()).as(node.getKey()).isNotBlank());
        assertThat(tab.accessible()).extracting(Map.Entry::getKey).contains("banner", "main", "status");
        tab.draw(Path.of("target", "page-shots", "episodes-" + width + (dark ? "-dark" : "-light") + ".png"));
    }
}
