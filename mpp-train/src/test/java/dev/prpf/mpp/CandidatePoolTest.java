package dev.prpf.mpp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CandidatePoolTest {
    private static final ScenarioCatalog CATALOG = new ScenarioCatalog(
            List.of(new Scenario("Travel", "出行"), new Scenario("Food", "餐饮"), new Scenario("Work", "办公")),
            Map.of("book", "Travel", "order", "Food", "note", "Work"));
    private static final FunctionPool POOL = new FunctionPool(Stream.of("book", "order", "note", "elsewhere")
            .map(name -> new FunctionSpec(name, "", List.of(), List.of()))
            .toList());

    private static CandidatePool ofTop(int k, double travel, double food, double work) {
        Map<String, Double> scenarios = new LinkedHashMap<>();
        scenarios.put("Travel", travel);
        scenarios.put("Food", food);
        scenarios.put("Work", work);
        return CandidatePool.ofTop(k, new Perception(1, scenarios), POOL, CATALOG);
    }

    private static List<String> names(CandidatePool pool) {
        return pool.functions().stream().map(FunctionSpec::name).toList();
    }

    @Test
    void functionsOfTheLikeliestScenariosRemain() {
        CandidatePool pool = ofTop(2, 0.01, 0.9, 0.5);
        assertThat(pool.scenarios()).containsExactly("Food", "Work");
        assertThat(names(pool)).containsExactly("order", "note");
        assertThat(ofTop(5, 1e-300, 0.9, 0.5).scenarios())
                .as("however unlikely")
                .containsExactly("Food", "Work", "Travel");
    }

    @Test
    void scenarioWithZeroProbabilityIsNotInThePool() {
        CandidatePool pool = ofTop(2, 0, 0, 1);
        assertThat(pool.scenarios()).containsExactly("Work");
        assertThat(names(pool)).containsExactly("note");
    }

    @Test
    void withoutScenariosThePoolIsWhole() {
        assertThat(ofTop(2, 0, 0, 0)).isEqualTo(CandidatePool.whole(POOL));
    }
}
