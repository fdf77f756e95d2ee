package dev.prpf.eval.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Prediction.Route;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PublishedComparisonTest {
    private static Scores scores() {
        List<Sample> gold = new ArrayList<>();
        Map<String, Prediction> predictions = new LinkedHashMap<>();
        for (int i = 0; i < 6; i++) {
            gold.add(new Sample(
                    "s" + i,
                    1 + i % 2,
                    null,
                    i == 5 ? "Smart Home" : "Shopping",
                    new DeviceContext("p", "d", "w"),
                    Trajectory.ofTexts(List.of("moment " + i)),
                    List.of()));
            predictions.put("s" + i, new Prediction("s" + i, Route.SILENT, 0.1, Map.of(), null, List.of()));
        }
        return new Scorer(ScenarioCatalogReader.shipped(), Judge.standard(), new Bootstrap(20, 1, 95))
                .score(gold, predictions, new FunctionPool(List.of(new FunctionSpec("a", "d", List.of(), List.of()))));
    }

    private static final PublishedComparison BESIDE =
            new PublishedComparison(PublishedResults.shipped(), Map.of("silent", List.of(scores())));

    private static Table table(String start) {
        return BESIDE.tables().stream()
                .filter(table -> table.caption().startsWith(start))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void oursComesFirstAndEveryOtherRowIsMarkedPublished() {
        Table table = table("PRPF Table 9, L1");
        assertThat(table.columns())
                .startsWith("system", "source", "multimodal Type-Acc ↑", "multimodal SR ↑", "multimodal FTR matched ↓");
        assertThat(table.rows()).hasSize(14);
        assertThat(table.rows().get(0).emphasised()).isTrue();
        assertThat(table.rows().get(0).cells()).startsWith("silent", "this report", "–", "–", "–");
        assertThat(table.rows().get(0).cells().subList(8, 11)).containsExactly("100.00", "100.00", "0.00");
        assertThat(table.rows().subList(1, 14))
                .allSatisfy(row -> assertThat(row.cells().get(1)).isEqualTo("published"));
        assertThat(table.rows().get(13).cells()).startsWith("PRPF (Ours)", "published", "43.22", "13.56", "32.26");
    }

    @Test
    void aSystemOverSeveralSeedsIsShownByMeanAndStandardDeviation() {
        PublishedComparison seeds =
                new PublishedComparison(PublishedResults.shipped(), Map.of("seeds", List.of(scores(), scores())));
        Table table = seeds.tables().stream()
                .filter(one -> one.caption().startsWith("PRPF Table 9, L1"))
                .findFirst()
                .orElseThrow();
        assertThat(table.rows().get(0).cells().subList(8, 11))
                .containsExactly("100.00 ± 0.00", "100.00 ± 0.00", "0.00 ± 0.00");
    }

    @Test
    void levelsModalitiesAndScenariosThatWeDoNotHaveAreDashes() {
        assertThat(table("PRPF Table 9, L3").rows().get(0).cells()).endsWith("–", "–");
        assertThat(table("ProactiveMobile Table 4").rows().get(0).cells())
                .containsExactly("silent", "this report", "100.00", "0.00");
        assertThat(BESIDE.tables()).hasSize(14);
    }

    @Test
    void theRemarkSaysThatItIsNoComparison() {
        assertThat(BESIDE.remark())
                .contains(
                        "This gold set of 6 samples is not ProactiveMobile's test set of 3,660",
                        "ours need equal parameters");
    }
}
