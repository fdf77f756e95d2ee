package dev.prpf.base.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FreeYamlTest {
    record Free(int a, JsonNode extra) {}

    private static Free read(String extra) {
        return StrictYaml.readText("c.yaml", "a: 1\nextra: " + extra + "\n", Free.class, List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | {}",
                "{top_k: 20, min_p: 0.05} | {\"top_k\":20,\"min_p\":0.05}",
                "{chat_template_kwargs: {enable_thinking: false}} |"
                        + " {\"chat_template_kwargs\":{\"enable_thinking\":false}}",
                "{stop: [a, '1', \"x\\ny\"], seed: null} | {\"stop\":[\"a\",\"1\",\"x\\ny\"],\"seed\":null}",
                "[1, two] | [1,\"two\"]",
                "12345678901234567890 | 12345678901234567890"
            })
    void yamlIsReadAsJsonAndWrittenBack(String yaml, String json) {
        Free free = read(yaml);
        assertThat(free.extra().toString()).isEqualTo(json);
        assertThat(StrictYaml.readText("again", StrictYaml.write(free), Free.class, List.of()))
                .isEqualTo(free);
    }

    @Test
    void whatJsonHasNoValueForIsNamedWithItsPlace() {
        assertThatThrownBy(() -> read("{x: {y: .nan}}")).hasMessageContainingAll("c.yaml:2", "extra.x.y", ".nan");
        assertThatThrownBy(() -> read("{x: [1, yes]}")).hasMessageContainingAll("extra.x[1]", "quote it");
        assertThatThrownBy(() -> read("{x: 1, x: 2}")).hasMessageContainingAll("extra.x", "is a duplicate key");
    }

    @Test
    void anAliasInsideWhatItStandsForIsOneClearError() {
        for (String recursive : List.of("&x [1, *x]", "&x {a: *x}", "&x {a: [1, {b: *x}]}")) {
            assertThatThrownBy(() -> read(recursive))
                    .as(recursive)
                    .isInstanceOf(InvalidConfigurationException.class)
                    .hasMessage("c.yaml:2: an alias (*x) contains itself; write the value out");
        }
        assertThatThrownBy(() ->
                        StrictYaml.readText("c.yaml", "a: 1\nextra: {k: 1}\n", Free.class, List.of("extra.k=&y [*y]")))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageStartingWith("--set extra.k")
                .hasMessageContaining("an alias (*y) contains itself");
    }

    @Test
    void aliasesThatStandForTooMuchAreRefused() {
        StringBuilder yaml = new StringBuilder("{a: &l0 [1,1,1,1,1,1,1,1,1,1]");
        for (int level = 1; level < 5; level++) {
            yaml.append(", a").append(level).append(": &l").append(level).append(" [");
            yaml.append(("*l" + (level - 1) + ",").repeat(10)).append("1]");
        }
        assertThatThrownBy(() -> read(yaml + "}"))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage("c.yaml:2: expands to more than 100000 values with its aliases");
        assertThat(read("{a: &l [1, 2], b: [*l, *l]}").extra()).hasToString("{\"a\":[1,2],\"b\":[[1,2],[1,2]]}");
    }

    @Test
    void itsKeyMustStandThereAllTheSame() {
        assertThatThrownBy(() -> StrictYaml.readText("c.yaml", "a: 1\n", Free.class, List.of()))
                .hasMessageContainingAll("extra", "is missing (a mapping)");
    }

    @Test
    void overridesReachIt() {
        assertThat(StrictYaml.readText("c.yaml", "a: 1\nextra: {k: 1}\n", Free.class, List.of("extra={k: {z: 2}}"))
                        .extra()
                        .toString())
                .isEqualTo("{\"k\":{\"z\":2}}");
    }
}
