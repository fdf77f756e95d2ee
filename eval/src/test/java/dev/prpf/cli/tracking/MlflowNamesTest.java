package dev.prpf.cli.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.cli.tracking.MlflowRuns.MlflowNames;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MlflowNamesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"loss", "clip_ratio/low_mean", "completions/mean_length", "training.learning-rate", "准确率", "a b"
            })
    void namesOfTrlAndOursPass(String name) {
        assertThat(MlflowNames.of(name)).isEqualTo(name);
    }

    @Test
    void refusedNamesAreMadeFitAndStayApart() {
        List<String> names = List.of(
                "f1@5", "f1%5", "f1_5", "a//b", "a/_/b", "/a", "a/", "../a", "", "=", "a".repeat(300), "a".repeat(301));
        List<String> fit = names.stream().map(MlflowNames::of).toList();
        assertThat(fit).doesNotHaveDuplicates().allMatch(name -> name.matches("[\\w./ -]{1,250}"));
        assertThat(fit).noneMatch(name -> name.matches("(.*/)?\\.{0,2}(/.*)?"));
        assertThat(fit.get(0)).matches("f1_5-[0-9a-f]{8}");
        assertThat(fit.get(2)).isEqualTo("f1_5");
    }
}
