package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AxisTest {
    @Test
    void listsRangesAndStepsAreValues() {
        assertThat(Axis.parse("training.seed=42..46").values()).containsExactly("42", "43", "44", "45", "46");
        assertThat(Axis.parse("--threshold=0.05..0.95..0.3").values())
                .as("decimal, so that no step adds a rounding error")
                .containsExactly("0.05", "0.35", "0.65", "0.95");
        assertThat(Axis.parse("x=-1..1,7").values()).containsExactly("-1", "0", "1", "7");
        assertThat(Axis.parse("optimizer=adam, sgd").values()).containsExactly("adam", "sgd");
        assertThat(Axis.parse("network.layers=[1,2],[3],{a: 1, b: 2}").values())
                .as("commas in brackets are the value's")
                .containsExactly("[1,2]", "[3]", "{a: 1, b: 2}");
        assertThat(Axis.parse("file=../a..b").values())
                .as("no range of numbers")
                .containsExactly("../a..b");
    }

    @ParameterizedTest
    @CsvSource({
        "--seed,true",
        "seed,true",
        "training.seed,true",
        "--shortlist,false",
        "training.seeds,false",
        "reseed,false"
    })
    void seedsAreKnownByTheirName(String key, boolean seed) {
        assertThat(Axis.parse(key + "=1,2").overSeeds()).isEqualTo(seed);
    }

    @Test
    void aKeyIsSetAndAnOptionIsGiven() {
        assertThat(Axis.parse("training.seed=1").words("1")).containsExactly("--set", "training.seed=1");
        assertThat(Axis.parse("--shortlist=1").words("1")).containsExactly("--shortlist=1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "seed|--sweep seed: must be KEY=VALUES",
                "=1|must be KEY=VALUES",
                "seed=|without empty ones",
                "seed=1,,2|without empty ones",
                "seed=1,2,1|and duplicates",
                "seed=3..1|range 3..1, must go up",
                "seed=1..3..0|by a step above 0",
                "seed=1..100000|range 1..100000, must be at most 10000 numbers",
                "a b=1|key \"a b\", must be one of a configuration",
                "self=1|self and run name folders"
            })
    void whatIsNoAxisIsRefused(String text, String message) {
        assertThatThrownBy(() -> Axis.parse(text))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--sweep ")
                .hasMessageContaining(message);
    }
}
