package dev.prpf.base.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlaceholdersTest {
    private final List<String> defects = new ArrayList<>();
    private final Placeholders placeholders = new Placeholders(
            Map.of("data", "my {4b}", "4b", "x", "a", "{b}", "b", "{a}", "options.few", "--max-new 8"), defects::add);

    @Test
    void textsAreFilledAndOptionsBecomeWords() {
        assertThat(placeholders.words("", "run --data={data} {options.few}", Map.of()))
                .containsExactly("run", "--data=my x", "--max-new", "8");
        assertThat(placeholders.word("", "{self}", Map.of("self", "{data}")))
                .as("unchanged")
                .isEqualTo("{data}");
        assertThat(defects).isEmpty();
    }

    @Test
    void otherBracesStay() {
        String text = "--set x={\"a\":1} --match \\d{4}{2,3} {0.5} {}";
        assertThat(placeholders.words("", text, Map.of())).containsExactly(text.split(" "));
        assertThat(defects).isEmpty();
    }

    @Test
    void unknownNamesAndCirclesAreDefects() {
        placeholders.word("runs", "{dta} {--lr} {a}", Map.of());
        assertThat(defects)
                .hasSize(3)
                .contains("runs: {dta} is not defined (did you mean \"data\"?)", "runs: {a} refers to itself")
                .anySatisfy(defect -> assertThat(defect).startsWith("runs: {--lr} is not defined"));
    }
}
