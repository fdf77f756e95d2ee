package dev.prpf.eval.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Prediction.Route;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class FailureListTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final FunctionPool POOL = new FunctionPool(List.of(
            new FunctionSpec(
                    "book", "books", List.of(), List.of(new ParameterSpec("city", "", "string", true, null, null))),
            new FunctionSpec("play", "plays", List.of(), List.of())));
    private static final ScenarioCatalog CATALOG = new ScenarioCatalog(
            List.of(new Scenario("Transportation", "交通"), new Scenario("Media", "影音")),
            Map.of("book", "Transportation", "play", "Media"));
    private static final Scorer SCORER = new Scorer(CATALOG, Judge.standard(), new Bootstrap(20, 1, 95));

    @TempDir
    Path directory;

    private static List<FunctionCall> book(String city) {
        return List.of(new FunctionCall("book", Map.of("city", new TextNode(city))));
    }

    private static final List<Sample> GOLD = new ArrayList<>();
    private static final Map<String, Prediction> PREDICTIONS = new LinkedHashMap<>();

    static {
        for (int i = 0; i < 60; i++) {
            Trajectory trajectory = i % 2 == 0
                    ? Trajectory.ofTexts(List.of("opens <maps>", "moment " + i))
                    : new Trajectory(List.of(new TraceStep.Screenshot(i + ".png")));
            GOLD.add(new Sample(
                    "s" + i,
                    1 + i % 3,
                    "test",
                    null,
                    new DeviceContext("commutes", "battery 5 %", "raining"),
                    trajectory,
                    List.of(new Recommendation("", book("Wuhan")))));
            List<List<FunctionCall>> calls = i % 5 == 0 ? List.of() : List.of(book(i % 5 == 1 ? "Wuhan" : "Beijing"));
            PREDICTIONS.put(
                    "s" + i,
                    new Prediction(
                            "s" + i,
                            Route.REASONED,
                            0.75,
                            Map.of("Transportation", 0.9, "Media", 0.2),
                            "raw text " + i,
                            calls));
        }
    }

    private static FailureList.Prompts prompts(@Nullable Integer shortlist, @Nullable ScreenshotForm form) {
        return new FailureList.Prompts(shortlist, form, true);
    }

    private static List<Block.Entry> entries(int perKind) {
        Scores scores = SCORER.score(GOLD, PREDICTIONS, POOL);
        return new FailureList(SCORER, POOL, prompts(1, null), null, perKind)
                .of(GOLD.iterator(), PREDICTIONS::get, scores);
    }

    @Test
    void onlyFailuresAreListedSoManyOfAKind() {
        List<Block.Entry> entries = entries(2);
        assertThat(entries).hasSize(2 * 2 * 2); // refusals and argument errors, of both modalities
        assertThat(entries).allSatisfy(entry -> assertThat(entry.tags().keySet())
                .containsExactly("outcome", "modality", "difficulty", "scenario"));
        assertThat(entries(1000)).hasSize(48);
        assertThat(entries(0)).isEmpty();
    }

    @Test
    void anEntryTellsWhatWasKnownWhatCameOutAndWhyItIsWrong() {
        Block.Entry entry = entries(1000).stream()
                .filter(one -> one.title().equals("s2"))
                .findFirst()
                .orElseThrow();
        assertThat(entry.tags()).containsEntry("outcome", "Argument error").containsEntry("scenario", "Transportation");
        assertThat(entry.facts())
                .containsEntry("Profile", "commutes")
                .containsEntry("Trace", "opens <maps>\nmoment 2")
                .containsEntry("Gate", "p_trigger 0.750, to the reasoner")
                .containsEntry("Likeliest scenarios", "Transportation 0.90")
                .containsEntry("Candidate functions, of the top 1 scenarios", "book")
                .containsEntry("Response", "raw text 2")
                .containsEntry("Why it is wrong", "right functions, other arguments; the best match is book");
        assertThat(entry.facts().get("Verdicts (exact)"))
                .as("the judge's reason")
                .isNotBlank();
        assertThat(entry.facts().get("Reward of the calls")).contains(" = ", "trig +");
        Block.Entry silent = entries(1000).get(0);
        assertThat(silent.facts())
                .containsEntry("Predicted", "silence, by the reasoner")
                .doesNotContainKey("Verdicts (exact)");
    }

    @Test
    void whatAJudgeAbstainedOnIsListedWithItsReason() {
        Judge abstains = new Judge() {
            @Override
            public String id() {
                return "unsure";
            }

            @Override
            public List<Verdict> judge(List<Case> cases) {
                return cases.stream()
                        .map(one ->
                                new Verdict(null, "cannot tell " + one.sample().id()))
                        .toList();
            }
        };
        Scorer scorer = new Scorer(CATALOG, abstains, new Bootstrap(20, 1, 95));
        Scores scores = scorer.score(GOLD, PREDICTIONS, POOL);
        List<Block.Entry> entries = new FailureList(scorer, POOL, prompts(1, null), null, 1000)
                .of(GOLD.iterator(), PREDICTIONS::get, scores);
        Block.Entry entry = entries.stream()
                .filter(one -> one.title().equals("s2"))
                .findFirst()
                .orElseThrow();
        assertThat(entry.tags()).containsEntry("outcome", "Unjudged");
        assertThat(entry.facts())
                .containsEntry("Verdicts (unsure)", "abstained: cannot tell s2")
                .containsEntry("Why it is wrong", "unknown, the judge abstained; the best match is book");
    }

    /** Candidates of a top K are shown only if the reasoner was offered them. */
    @Test
    void candidatesAreShownOnlyOfACompressedPoolThatTheReasonerSaw() {
        String candidates = "Candidate functions, of the top 1 scenarios";
        Map<String, Prediction> gated = new LinkedHashMap<>(PREDICTIONS);
        gated.put(
                "s2",
                new Prediction("s2", Route.SILENT, 0.1, Map.of("Transportation", 0.9, "Media", 0.2), null, List.of()));
        gated.put("s4", new Prediction("s4", Route.SILENT, null, Map.of(), null, null));
        Scores scores = SCORER.score(GOLD, gated, POOL);
        List<Block.Entry> compressed =
                new FailureList(SCORER, POOL, prompts(1, null), null, 1000).of(GOLD.iterator(), gated::get, scores);
        assertThat(entry(compressed, "s2").facts())
                .containsEntry("Gate", "p_trigger 0.100, silent")
                .containsEntry("Likeliest scenarios", "Transportation 0.90")
                .doesNotContainKey(candidates);
        assertThat(entry(compressed, "s3").facts()).containsEntry(candidates, "book");
        assertThat(entry(compressed, "s4").facts())
                .containsEntry("Gate", "the perceiver's answer could not be used")
                .containsEntry("Predicted", "malformed: the perceiver's answer could not be used")
                .doesNotContainKey(candidates);
        List<Block.Entry> whole =
                new FailureList(SCORER, POOL, prompts(null, null), null, 1000).of(GOLD.iterator(), gated::get, scores);
        assertThat(entry(whole, "s3").facts())
                .containsEntry("Likeliest scenarios", "Transportation 0.90, Media 0.20")
                .allSatisfy((fact, text) -> assertThat(fact).doesNotStartWith("Candidate"));
    }

    /** Returns how s3, with a screenshot, and s2, without one, were shown. */
    private static List<@Nullable String> seen(
            @Nullable ScreenshotForm form, Prediction.Route route, PredictionCost cost) {
        return seen(prompts(1, form), new Prediction("s", route, 0.5, Map.of(), "", List.of(), null, cost));
    }

    private static List<@Nullable String> seen(FailureList.Prompts prompts, Prediction shown) {
        Map<String, Prediction> costed = new LinkedHashMap<>(PREDICTIONS);
        for (String id : List.of("s2", "s3")) {
            costed.put(
                    id,
                    new Prediction(
                            id,
                            shown.route(),
                            shown.pTrigger(),
                            shown.scenarios(),
                            shown.response(),
                            shown.calls(),
                            shown.finish(),
                            shown.cost()));
        }
        Scores scores = SCORER.score(GOLD, costed, POOL);
        List<Block.Entry> entries =
                new FailureList(SCORER, POOL, prompts, null, 1000).of(GOLD.iterator(), costed::get, scores);
        return Arrays.asList(
                entry(entries, "s3").facts().get("Seen"),
                entry(entries, "s2").facts().get("Seen"));
    }

    private static PredictionCost visual(@Nullable Integer tokens) {
        PredictionCost.Parts nothing = PredictionCost.NOTHING.flops();
        return new PredictionCost(90, tokens, 0, 5, 5, nothing, nothing);
    }

    /** Old runs and text runs record no form; a server's tokens are unknown. */
    @Test
    void whatTheReasonerSawOfScreenshotsIsTold() {
        Route reasoned = Route.REASONED;
        String counted = "the screenshots as images of 12 tokens in all";
        assertThat(seen(ScreenshotForm.PIXELS, reasoned, visual(12)))
                .containsExactly(counted + ", without their text", null);
        assertThat(seen(ScreenshotForm.BOTH, reasoned, visual(12))).containsExactly(counted + ", and their text", null);
        assertThat(seen(ScreenshotForm.BOTH, reasoned, visual(null)))
                .containsExactly("the screenshots as images, and their text", null);
        assertThat(seen(null, reasoned, visual(12))).containsExactly(counted, null);
        assertThat(seen(null, reasoned, visual(0))).containsExactly("only the screenshots' text", null);
        assertThat(seen(null, reasoned, visual(null))).containsExactly(null, null);
        assertThat(seen(ScreenshotForm.BOTH, Route.SILENT, visual(0))).containsExactly(null, null);
    }

    /** A server's tokens are not known, a model that reads text names no form. */
    @Test
    void withoutTheTraceNoScreenshotWasSeenWhateverPromptsShow() {
        for (ScreenshotForm form : Arrays.asList(ScreenshotForm.PIXELS, ScreenshotForm.BOTH, null)) {
            for (Integer tokens : Arrays.asList(0, null)) {
                Prediction shown = new Prediction(
                        "s", Route.REASONED, 0.5, Map.of(), "", List.of(), Prediction.Finish.STOP, visual(tokens));
                assertThat(seen(new FailureList.Prompts(1, form, false), shown)).containsExactly("no screenshot", null);
            }
        }
    }

    @Test
    void aPromptThatWasRefusedAsTooLongWasNotSeen() {
        for (Integer tokens : Arrays.asList(12, 0, null)) {
            Prediction refused = new Prediction("s", Route.REASONED, 0.5, Map.of(), "", null, null, visual(tokens));
            assertThat(seen(prompts(1, ScreenshotForm.BOTH), refused))
                    .containsExactly("nothing, the prompt was refused as too long", null);
            Prediction empty = new Prediction(
                    "s", Route.REASONED, 0.5, Map.of(), "", null, Prediction.Finish.STOP, visual(tokens));
            assertThat(seen(prompts(1, ScreenshotForm.BOTH), empty).get(0)).startsWith("the screenshots as images");
        }
        Prediction text = new Prediction("s", Route.REASONED, 0.5, Map.of(), "", null, null, visual(0));
        assertThat(seen(prompts(1, null), text)).containsExactly("nothing, the prompt was refused as too long", null);
    }

    private static Block.Entry entry(List<Block.Entry> entries, String id) {
        return entries.stream()
                .filter(one -> one.title().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theJudgeIsAskedOnceForAllEntries() {
        List<Integer> calls = new ArrayList<>();
        Judge counting = new Judge() {
            @Override
            public String id() {
                return "counting";
            }

            @Override
            public List<Verdict> judge(List<Case> cases) {
                calls.add(cases.size());
                return cases.stream()
                        .map(one -> new Verdict(false, "of " + one.sample().id()))
                        .toList();
            }
        };
        Scorer scorer = new Scorer(CATALOG, counting, new Bootstrap(20, 1, 95));
        Scores scores = scorer.score(GOLD, PREDICTIONS, POOL);
        calls.clear();
        List<Block.Entry> entries = new FailureList(scorer, POOL, prompts(1, null), null, 1000)
                .of(GOLD.iterator(), PREDICTIONS::get, scores);
        assertThat(calls).as("of 60 samples 12 are silent").containsExactly(48);
        assertThat(entries)
                .filteredOn(entry -> entry.facts().containsKey("Verdicts (counting)"))
                .hasSize(48)
                .allSatisfy(
                        entry -> assertThat(entry.facts()).containsEntry("Verdicts (counting)", "of " + entry.title()));
    }

    /** The page as Chromium has it after its script ran. */
    private String rendered(String html, int width) throws IOException, InterruptedException {
        Path page = Files.writeString(directory.resolve("page.html"), html);
        Path dom = directory.resolve("dom.html");
        Process chromium = new ProcessBuilder(
                        CHROMIUM.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + directory.resolve("profile"),
                        "--window-size=" + width + ",900",
                        "--dump-dom",
                        page.toUri().toString())
                .redirectOutput(dom.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(chromium.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return Files.readString(dom, StandardCharsets.UTF_8);
    }

    @Test
    void theBrowserSortsFiltersAndChooses() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(CHROMIUM), "no Chromium at " + CHROMIUM + ": the page's script is not run");
        ReportPage page =
                new ScoreReport(SCORER.score(GOLD, PREDICTIONS, POOL), entries(3), Map.of("judge", "exact")).page();
        String probe = "<script>var entries = document.querySelectorAll('.entry').length;"
                + "var select = document.querySelector('.filters select'); select.selectedIndex = 1;"
                + "select.dispatchEvent(new Event('change'));"
                + "var head = document.querySelector('th button'); head.click(); head.click();"
                + "document.title = [entries, document.querySelectorAll('.entry:not(.unchosen)').length,"
                + "document.querySelector('[role=status]').textContent,"
                + "head.parentNode.getAttribute('aria-sort'), document.documentElement.scrollWidth].join('|');</script>";
        String dom = rendered(
                page.html()
                        .replaceFirst("<meta http-equiv[^>]*/>", "") // so that the probe may run
                        .replace("</body>", probe + "</body>"),
                500);
        String title = dom.substring(dom.indexOf("<title>") + 7, dom.indexOf("</title>"));
        assertThat(title).startsWith("12|6|6 of 12 shown|descending|");
        assertThat(Integer.parseInt(title.substring(title.lastIndexOf('|') + 1)))
                .as("nothing is wider than the window")
                .isLessThanOrEqualTo(500);
    }

    @Test
    void theOwnScriptIsTheOneThatThePolicyAllows() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(CHROMIUM), "no Chromium at " + CHROMIUM + ": the page's script is not run");
        ReportPage page = new ReportPage("p").browser(entries(1));
        String dom =
                rendered(page.html().replace("</body>", "<script>document.title = 'foreign'</script></body>"), 1280);
        assertThat(dom).contains("4 of 4 shown").contains("<title>p</title>");
    }
}
