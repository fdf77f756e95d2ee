package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page as it runs moments and shows what came. */
class PageInBrowserTest extends InBrowser {
    private static final String KEY = "a-key-of-more-than-16";

    @Test
    void byKeyboardAloneFromAnExampleToAnAcceptedCard() {
        open();
        tab.tabTo("#example");
        tab.press("ArrowDown");
        tab.untilText("#trace", "");
        tab.until("document.querySelector('#trace textarea').value === '从后台划掉词典'");
        tab.tabTo("#recommend");
        assertThat(tab.value("getComputedStyle(document.activeElement).outlineStyle")
                        .asText())
                .as("focus is seen")
                .isEqualTo("solid");
        tab.press("Enter");
        tab.untilText("#device .card h3", "预约今天晚上10点的耳鼻喉科号");
        tab.tabTo(".card button.primary");
        tab.press("Enter");
        tab.untilText(".card .outcome", "Accepted. The server keeps it as feedback of playground.");
        assertThat(tab.value("document.activeElement.className").asText()).isEqualTo("outcome");
        JsonNode kept = cascade.feedback.get(0);
        assertThat(kept.path("accepted").booleanValue()).isTrue();
        assertThat(kept.at("/moment/trace/4").textValue()).isEqualTo("领导让他约杨帆今天晚上9点半开招聘面试会");
        assertThat(kept.at("/recommendation/functions/0/name").textValue()).isEqualTo("book_medical_appointment");
        JsonNode asked = cascade.asked.get(0);
        assertThat(asked.path("user").textValue()).isEqualTo("playground");
        assertThat(asked.path("stream").booleanValue()).isTrue();
        assertThat(asked.path("profile").textValue()).isEqualTo("不希望手机过问订酒店。睡前习惯听雨声。职业是程序员。养了2盆绿植。");
        assertThat(asked.has("passive") || asked.has("threshold"))
                .as("nothing is sent that nobody asked for")
                .isFalse();
    }

    @Test
    void whatBecomesOfFeedbackIsSaid() {
        cascade.notKept = "keep-feedback";
        openAndRecommend();
        tab.click(".card button:not(.primary)");
        tab.untilText(".card .outcome", "Rejected. It counts, but no record is kept (keep-feedback).");
        assertThat(cascade.feedback.get(0).path("accepted").booleanValue()).isFalse();
        cascade.notKept = "";
        tab.click("#recommend");
        tab.until("document.querySelector('.card button.primary:not([aria-disabled])')");
        tab.click(".card button.primary");
        tab.untilText(".card .outcome", "Accepted. It counts, but no record is kept (the server does not say why).");
        tab.click("#recommend");
        tab.until("document.querySelector('.card button.primary')");
        cascade.refusal = ApiException.invalid("user", "must be a name");
        tab.click(".card button.primary");
        tab.untilText(".card .outcome", "Not taken: ");
        assertThat(tab.value("document.querySelectorAll('.card button:not([aria-disabled])').length")
                        .intValue())
                .as("it can be tried again")
                .isEqualTo(2);
    }

    @Test
    void theAnswerIsShownWhileItIsWritten() {
        cascade.pace = new Semaphore(0);
        open();
        tab.click("#recommend");
        tab.untilText("#verdict", "p_trigger 0.87 is at or above τ 0.52: the gate opens.");
        assertThat(tab.text("#candidates h3")).isEqualTo("Candidate pool: 23 of 63 functions");
        assertThat(tab.text("#written")).isEmpty();
        assertThat(tab.text("#status")).isEqualTo("The reasoner reads the moment…");
        cascade.pace.release();
        tab.untilText("#written", "The clinic has opened");
        assertThat(tab.text("#log")).as("half a sentence is not read out").isEmpty();
        assertThat(tab.text("#device")).isEqualTo("Waiting…");
        cascade.pace.release();
        tab.untilText("#written", "opened its list. The user");
        tab.untilText("#log", "Thinking: The clinic has opened its list.");
        cascade.pace.release(2);
        tab.untilText("#device .card .call", "耳鼻喉科");
        assertThat(tab.text("#status")).isEqualTo("Recommendation: 预约今天晚上10点的耳鼻喉科号.");
        assertThat(tab.text("#cost"))
                .contains("4.01 GFLOP", "950 ms", "812 / 64", "0 of 1 moment never reached the language model.");
    }

    @Test
    void stopEndsARunAndThePageGoesOn() {
        Semaphore pace = new Semaphore(1);
        cascade.pace = pace;
        open();
        tab.click("#recommend");
        tab.untilText("#written", "The clinic has opened");
        tab.click("#stop");
        tab.untilText("#status", "Stopped.");
        pace.release(100);
        tab.click("#recommend");
        tab.until("document.querySelector('.card')");
    }

    @Test
    void silenceSaysWhyAndEstimatesWhatItSparedFromWhatRan() {
        open();
        tab.choose("#example", 6);
        tab.until("document.querySelectorAll('#trace img').length === 3");
        tab.click("#recommend");
        tab.untilText("#device", "The phone stays silent.p_trigger is below τ.");
        assertThat(tab.text("#verdict")).isEqualTo("p_trigger 0.51 is below τ 0.52: the gate stays shut.");
        assertThat(tab.text("#cost"))
                .contains(
                        "1 of 1 moment never reached the language model.",
                        "An estimate of the saving appears after a moment that reaches it.");
        assertThat(cascade.asked.get(0).at("/trace/0/picture").textValue()).startsWith("data:image/png;base64,iVBOR");
        tab.choose("#example", 0);
        tab.until("document.querySelectorAll('#trace textarea').length === 6");
        tab.click("#recommend");
        tab.until("document.querySelector('.card')");
        tab.choose("#example", 6);
        tab.until("document.querySelectorAll('#trace img').length === 3");
        tab.click("#recommend");
        tab.untilText("#cost", "2 of 3 moments never reached the language model.");
        assertThat(tab.text("#cost"))
                .contains("0.6 B4 B9 B2.1 TFLOP14 TFLOP31.5 TFLOP")
                .contains(
                        "at 876 tokens: the mean of 1 moment of this visit that reached it. Here that spared about 1.9 s.");
    }

    @Test
    void thePolicysSilenceIsToldApartFromTheGates() {
        cascade.silence = "quiet-hours";
        openAndRecommend();
        assertThat(tab.text("#verdict"))
                .isEqualTo(
                        "p_trigger 0.87 is at or above τ 0.52: the gate opens, but the policy keeps silent (quiet-hours).");
        assertThat(tab.text("#device")).contains("It is within the quiet hours of the policy.");
        assertThat(tab.text("#written")).contains("The policy withheld: world.");
    }

    @Test
    void myThresholdMovesWhatWouldHaveHappenedAndIsSentOnlyWhenAsked() {
        openAndRecommend();
        tab.value("document.querySelector('#tau').focus()");
        tab.press("End");
        tab.untilText("#what-if", "At τ = 1.00 the gate would stay shut for this moment: a change.");
        assertThat(tab.text("#history")).contains("would decide otherwise on 1 of 1 moment", "shut (a change)");
        assertThat(tab.value("document.querySelector('#gauge svg').getAttribute('aria-label')")
                        .asText())
                .isEqualTo("Gauge: p_trigger 0.87, threshold τ 0.52, my τ 1.00");
        tab.click("#send-tau");
        tab.click("#recommend");
        tab.untilText("#device", "The phone stays silent.");
        assertThat(cascade.asked.get(1).path("threshold").doubleValue()).isEqualTo(1.0);
        tab.click("#tau-reset");
        tab.until("document.querySelector('#what-if').textContent === ''");
    }

    @Test
    void aReplaySendsStepByStepAndDrawsTheGate() {
        open();
        tab.click("#replay-step");
        tab.untilText("#replay-status", "Step 1 of 6: p_trigger 0.27.");
        assertThat(cascade.frames.get(0).path("text").textValue()).isEqualTo("从后台划掉计算器");
        tab.until("!document.querySelector('#replay-ask').disabled");
        tab.click("#replay-all");
        tab.untilText("#replay-status", "Step 6 of 6: p_trigger 0.87.");
        tab.until("document.querySelectorAll('#replay circle').length === 6");
        assertThat(tab.value("document.querySelector('#replay svg').getAttribute('aria-label')")
                        .asText())
                .isEqualTo(
                        "p_trigger over 6 steps: 0.27, 0.39, 0.51, 0.63 (opens), 0.75 (opens), 0.87 (opens). τ is 0.52.");
        assertThat(tab.value("document.querySelectorAll('#replay tbody tr').length")
                        .intValue())
                .isEqualTo(6);
        tab.fill("#tau", "0.8");
        tab.untilText("#what-if", "In the replay it would open at 1 of 6 steps, against 3 at the server's.");
        tab.fill("#tau", "1");
        tab.untilText("#replay .mine text", "my τ 1.00");
        assertThat(tab.value("document.querySelector('#replay .mine text').getBBox().y")
                        .doubleValue())
                .as("the name of a line at the top is not cut off")
                .isNotNegative();
        tab.until("!document.querySelector('#replay-ask').disabled");
        tab.click("#replay-ask");
        tab.until("document.querySelector('.card')");
        tab.click("#replay-end");
        tab.until("document.querySelector('#replay-end').disabled");
        assertThat(cascade.sessions).isEmpty();
    }

    @Test
    void anotherMomentEndsTheSessionAndClearsWhatWasShown() {
        openAndRecommend();
        tab.click("#replay-step");
        tab.untilText("#replay-status", "Step 1 of 6");
        tab.choose("#example", 5);
        tab.until("document.querySelectorAll('#trace img').length === 4");
        tab.untilText("#verdict", "Nothing has run on this moment yet.");
        assertThat(tab.text("#device")).isEqualTo("Nothing has run on this moment yet.");
        assertThat(tab.text("#gauge") + tab.text("#scenarios") + tab.text("#replay"))
                .isEmpty();
        assertThat(tab.text("#history")).contains("A hospital releases appointments");
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!cascade.sessions.isEmpty() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(cascade.sessions).isEmpty();
        tab.click("#replay-step");
        tab.untilText("#replay-status", "Step 1 of 4");
        assertThat(cascade.frames.get(1).path("image").textValue()).startsWith("data:image/png;base64,");
    }

    @Test
    void anExpiredSessionIsSaidAndBegunAnew() {
        open();
        tab.click("#replay-step");
        tab.untilText("#replay-status", "Step 1 of 6");
        cascade.sessions.clear();
        tab.click("#replay-step");
        tab.untilText("#error", "there is no session session-1");
        tab.click("#replay-step");
        tab.until("document.querySelector('#error').textContent === ''");
        tab.until("document.querySelector('#stop').disabled");
        assertThat(cascade.sessions).containsExactly(Map.entry("session-2", 1));
    }

    @Test
    void failuresAreSaidInTheServersWords() {
        open();
        cascade.refusal = ApiException.overloaded(Duration.ofSeconds(7), "the queue is full");
        tab.click("#recommend");
        tab.untilText("#error", "the queue is full Try again in 7 s.");
        assertThat(tab.text("#verdict")).isEqualTo("Nothing was perceived.");
        cascade.refusal = ApiException.invalid("trace[2]", "must be a data URL");
        tab.click("#recommend");
        tab.untilText("#error", "trace[2]: must be a data URL");
        cascade.refusal = null;
        cascade.cut = true;
        tab.click("#recommend");
        tab.untilText("#error", "The connection ended before the answer was complete.");
        assertThat(tab.text("#verdict")).contains("the gate opens");
        assertThat(tab.text("#device")).isEqualTo("There is no answer.");
        cascade.cut = false;
        cascade.failure = ApiException.timeout("the time is over");
        tab.click("#recommend");
        tab.untilText("#error", "the time is over");
        server.close();
        tab.click("#recommend");
        tab.untilText("#error", "The server cannot be reached.");
    }

    @Test
    void aServerWithKeysAsksForOneAndKeepsItForTheTab() throws IOException {
        Path keys = folder.resolve("keys");
        Files.writeString(keys, "phone " + KEY + "\n");
        server.close();
        server = start(ApiKeys.read(keys));
        tab.go(server.address() + "/");
        tab.untilText("#error", "a valid API key is needed");
        tab.until("!document.querySelector('#key-form').hidden && document.activeElement.id === 'key'");
        tab.type(KEY);
        tab.press("Enter");
        tab.until("document.querySelector('#key-form').hidden");
        assertThat(tab.text("#error")).isEmpty();
        tab.click("#recommend");
        tab.until("document.querySelector('.card')");
        tab.click("#document");
        tab.untilText("#dialog[open] pre", "\"openapi\": \"3.1");
        tab.send("Page.reload", Map.of());
        tab.until("document.querySelector('#known-answer')?.textContent");
        assertThat(tab.value("document.querySelector('#key-form').hidden").booleanValue())
                .isTrue();
        assertThat(tab.value("document.documentElement.outerHTML").asText()).doesNotContain(KEY);
    }

    @ParameterizedTest
    @CsvSource({"390, false", "390, true", "1280, false", "1280, true"})
    void itFitsItsWindowAndEveryControlAndDrawingHasAName(int width, boolean dark) throws IOException {
        tab.look(width, dark);
        openAndRecommend();
        tab.click("#replay-all");
        tab.until("document.querySelectorAll('#replay circle').length === 6");
        tab.fill("#tau", "0.7");
        Path shots = Path.of("target", "page-shots");
        String name = width + (dark ? "-dark" : "-light");
        tab.draw(shots.resolve(name + ".png"));
        tab.value("document.querySelectorAll('details').forEach(d => { d.open = !d.closest('#paste-box'); })");
        assertThat(tab.value("document.documentElement.scrollWidth").intValue()).isLessThanOrEqualTo(width);
        Set<String> controls =
                Set.of("button", "textbox", "combobox", "checkbox", "slider", "image", "region", "DisclosureTriangle");
        assertThat(tab.accessible())
                .filteredOn(node -> controls.contains(node.getKey()))
                .hasSizeGreaterThan(30)
                .allSatisfy(
                        node -> assertThat(node.getValue()).as(node.getKey()).isNotBlank());
        assertThat(tab.accessible())
                .extracting(Map.Entry::getKey)
                .contains("banner", "main", "contentinfo", "log", "status");
        tab.draw(shots.resolve(name + "-all.png"));
    }
}
