package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.http.ApiKeys;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page as a first visitor sees it: an answer without a click, right or wrong, and what to do with it. */
@Tag("slow")
class DemoInBrowserTest extends InBrowser {
    private void openDemo(PageRoutes.About shown) {
        server.close();
        about = shown;
        server = start(ApiKeys.NONE);
        tab.go(server.address() + "/");
        tab.until("document.querySelector('#cost .saving')");
        tab.until("document.querySelector('#stop').disabled");
    }

    @ParameterizedTest
    @CsvSource({"390, 844", "1280, 900"})
    void theFirstExampleRunsByItselfAndItsAnswerIsAboveTheFold(int width, int height) {
        tab.look(width, false);
        openDemo(FakeCascade.ABOUT);
        assertThat(tab.text("#device .card h3")).isEqualTo("预约今天晚上10点的耳鼻喉科号");
        assertThat(tab.value("document.querySelector('#device .card button').getBoundingClientRect().bottom")
                        .intValue())
                .as("Accept is seen without scrolling")
                .isLessThan(height);
        assertThat(tab.text("#server")).isEqualTo("Gate: runs/gate. Reasoner: tiny.");
        assertThat(tab.text("#version")).startsWith("Version ");
        assertThat(tab.text("#device")).contains("feedback goes to a temporary folder, until the server stops.");
        assertThat(cascade.asked).hasSize(1);
    }

    @Test
    void expectedAndGotAreComparedCallByCall() {
        openDemo(FakeCascade.ABOUT);
        assertThat(tab.text("#judged")).contains("Expected预约今天晚上10点的耳鼻喉科号", "Got预约今天晚上10点的耳鼻喉科号", "✓ right");
        assertThat(tab.text("#judged dd"))
                .as("the valid answer that was given")
                .isEqualTo(tab.text("#judged div:nth-child(2) dd"));
        cascade.recommendations = List.of(Map.of(
                "instruction",
                "book",
                "functions",
                List.of(Map.of("name", "book_medical_appointment", "parameters", Map.of("department", "牙科")))));
        tab.click("#recommend");
        tab.untilText("#judged", "✗ wrong values; the function is right");
        cascade.recommendations = List.of();
        tab.click("#recommend");
        tab.untilText("#judged", "✗ wrong: silence where help was expected");
        tab.choose("#example", 6);
        tab.until("document.querySelectorAll('#trace img').length === 3");
        assertThat(tab.text("#judged")).isEmpty();
        tab.click("#recommend");
        tab.untilText("#judged", "Expectedsilence");
        tab.untilText("#judged", "✓ right: silence");
        tab.fill("#profile", "somebody else");
        tab.click("#recommend");
        tab.until("document.querySelectorAll('#history tbody tr').length === 5");
        assertThat(tab.text("#judged"))
                .as("an edited moment has no known answer")
                .isEmpty();
    }

    @Test
    void aServerWithoutFeedbackSaysSoAndTakesNone() {
        openDemo(new PageRoutes.About("runs/gate", null, "none"));
        assertThat(tab.text("#device")).contains("Start it with --policy to accept and reject.");
        tab.click(".card button.primary");
        assertThat(tab.value("document.querySelectorAll('.card button[aria-disabled=true]').length")
                        .intValue())
                .isEqualTo(2);
        assertThat(cascade.feedback).isEmpty();
    }

    @Test
    void aTextOfAnotherLanguageThanTheServersGetsAHint() {
        openDemo(FakeCascade.ABOUT);
        assertThat(tab.text("#hint")).isEmpty();
        tab.choose("#example", 7);
        tab.untilText("#hint", "This text is not Chinese; the functions of this server are described in Chinese.");
        assertThat(tab.value("document.querySelectorAll('#example optgroup').length")
                        .intValue())
                .isEqualTo(2);
    }

    @Test
    void withoutExamplesThePageSaysHowToBegin() {
        server.close();
        server = start(ApiKeys.NONE, new PageRoutes(Prompts.POOL, Prompts.CATALOG, about, List.of()));
        tab.look(390, false);
        tab.go(server.address() + "/");
        tab.untilText("#hint", "This server has no examples. Below, under “Edit the moment”, add a text step");
        assertThat(tab.value("document.querySelector('#editor').open").booleanValue())
                .isTrue();
        tab.click("#add-text");
        tab.fill("#trace textarea", "看了眼时间");
        tab.until("document.querySelector('#hint').textContent === ''");
        tab.click("#recommend");
        tab.until("document.querySelectorAll('#history tbody tr').length === 1");
    }

    @Test
    void anAnswerThatTheServerCannotGiveGetsAHintAndNoVerdict() {
        openDemo(FakeCascade.ABOUT);
        tab.fill(
                "#paste",
                """
                {"benchmark_metadata": {"id": "r1", "difficulty_level": 1},
                 "reference_information": {"profile": "", "phone": "", "world": "", "trace": ["看了眼时间"]},
                 "recommendations": [{"instruction": "浇花", "functions": [{"name": "water_plants", "parameters": {}}]}]}
                """);
        tab.click("#use-paste");
        tab.untilText("#hint", "The known answer calls water_plants, which this server does not have.");
        tab.click("#recommend");
        tab.until("document.querySelectorAll('#history tbody tr').length === 2");
        assertThat(tab.text("#judged")).isEmpty();
    }

    @Test
    void theRequestIsCopiedAsACommandAndAsAProgram() {
        openDemo(FakeCascade.ABOUT);
        tab.value(
                "{ navigator.clipboard.writeText = (text) => { window.clipboard = text; return Promise.resolve(); }; }");
        tab.fill("#world", "it's \"8\"");
        tab.click("#copy-curl");
        tab.untilText("#copied", "Copied as curl.");
        assertThat(clipboard())
                .startsWith("curl -s " + server.address()
                        + "/v1/recommend -H 'Content-Type: application/json' -d @- <<'JSON'\n{\"user\":\"playground\"")
                .contains("\"world\":\"it's \\\"8\\\"\"")
                .endsWith("\nJSON\n");
        tab.click("#copy-python");
        tab.untilText("#copied", "Copied as Python.");
        assertThat(clipboard())
                .contains("\n    \"world\": \"it's \\\"8\\\"\",\n", "urllib.request.Request(\"" + server.address());
        tab.value("{ navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }");
        tab.click("#copy-curl");
        tab.untilText("#dialog[open] pre", "curl -s ");
    }

    private String clipboard() {
        return tab.value("window.clipboard").asText();
    }

    @Test
    void byKeyboardAScreenshotIsEnlargedAndAQuestionAsked() {
        openDemo(FakeCascade.ABOUT);
        tab.choose("#example", 5);
        tab.until("document.querySelectorAll('#trace img').length === 4");
        tab.tabTo(".enlarge");
        tab.press("Enter");
        tab.until("document.querySelector('#dialog[open] img')?.alt.startsWith('Step 1: screenshot')");
        tab.press("Enter");
        tab.until("!document.querySelector('#dialog').open && document.activeElement.matches('.enlarge')");
        tab.tabTo("#replay-step");
        tab.press("Enter");
        tab.until("!document.querySelector('#replay-ask').disabled && document.querySelector('#stop').disabled");
        tab.tabTo("#query");
        tab.type("Which network?");
        tab.press("Enter");
        tab.until("document.querySelector('.card')");
        assertThat(Objects.requireNonNull(cascade.question)).isEqualTo("Which network?");
        assertThat(tab.text("#judged")).as("a question has no known answer").isEmpty();
    }
}
