package dev.prpf.base.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StrictYamlTest {
    enum Kind {
        MEAN_OF_WINDOWS,
        TRUNCATE
    }

    record Inner(double learningRate, Kind kind) {
        Inner {
            if (learningRate <= 0) {
                throw new IllegalArgumentException("learning-rate = " + learningRate + ", must be above 0");
            }
        }
    }

    record Outer(
            int batchSize,
            long seed,
            boolean fast,
            String name,
            @Nullable Path images,
            List<Integer> sizes,
            Map<String, Double> weights,
            Inner inner) {}

    private static final String GOOD =
            """
            # ./prpf nothing
            batch-size: 8
            seed: 42
            fast: true
            name: paper
            images: null
            sizes: [1, 2]
            weights: {a: 0.5, b: 1}
            inner:
              learning-rate: 1e-4
              kind: mean-of-windows
            """;

    private static Outer read(String yaml, String... overrides) {
        return StrictYaml.readText("c.yaml", yaml, Outer.class, List.of(overrides));
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "True", "TRUE"})
    void yamlsSpellingsOfTrue_areRead(String spelling) {
        assertThat(read(GOOD.replace("fast: true", "fast: " + spelling)).fast()).isTrue();
        assertThat(read(GOOD.replace("fast: true", "fast: false"), "fast=" + spelling)
                        .fast())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "Null", "NULL", "~", ""})
    void yamlsSpellingsOfNull_areRead(String spelling) {
        assertThat(read(GOOD.replace("images: null", "images: " + spelling)).images())
                .isNull();
    }

    record Free(JsonNode body) {}

    @Test
    void valuesOfForeignKeys_keepTheirTypes() {
        assertThat(StrictYaml.readText("c.yaml", "body: {a: True, b: 1e-4, c: Null, d: '1e-4'}", Free.class, List.of())
                        .body())
                .hasToString("{\"a\":true,\"b\":1.0E-4,\"c\":null,\"d\":\"1e-4\"}");
    }

    @Test
    void readsEveryType() {
        assertThat(read(GOOD))
                .isEqualTo(new Outer(
                        8,
                        42,
                        true,
                        "paper",
                        null,
                        List.of(1, 2),
                        Map.of("a", 0.5, "b", 1.0),
                        new Inner(1e-4, Kind.MEAN_OF_WINDOWS)));
    }

    @Test
    void overridesReplaceValues() {
        Outer outer = read(GOOD, "batch-size=64", "inner.kind=truncate", "images=shots");
        assertThat(outer.batchSize()).isEqualTo(64);
        assertThat(outer.inner().kind()).isEqualTo(Kind.TRUNCATE);
        assertThat(outer.images()).isEqualTo(Path.of("shots"));
    }

    @Test
    void writesWhatItReads() {
        Outer outer = read(GOOD);
        assertThat(read(StrictYaml.write(outer))).isEqualTo(outer);
    }

    @Test
    void reportsEveryDefectAtOnce() {
        String bad =
                """
                batch-size: 8.7
                sed: 42
                fast: yes
                name: paper
                name: other
                images: null
                sizes: [1, x]
                weights: {}
                inner:
                  learning-rate: null
                  kind: windows
                """;
        assertThatThrownBy(() -> read(bad))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                .hasMessageContaining("c.yaml:1: batch-size: is \"8.7\", must be an integer")
                .hasMessageContaining("c.yaml:2: sed: is not a known key (did you mean \"seed\"?)")
                .hasMessageContaining("c.yaml:1: seed: is missing (an integer)")
                .hasMessageContaining("c.yaml:3: fast: is \"yes\", must be true or false")
                .hasMessageContaining("c.yaml:5: name: is a duplicate key")
                .hasMessageContaining("c.yaml:7: sizes[1]: is \"x\", must be an integer")
                .hasMessageContaining("c.yaml:10: inner.learning-rate: must not be null (a number)")
                .hasMessageContaining(
                        "c.yaml:11: inner.kind: is \"windows\", must be one of mean-of-windows, truncate");
    }

    @Test
    void whatNoNumberPathOrNameCanBeIsMistyped() {
        assertThatThrownBy(() -> read(
                        GOOD,
                        "inner.learning-rate=1e999",
                        "weights={[a]: 1}",
                        "images=\"a\\0b\"",
                        "sizes=[99999999999]"))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                .hasMessageContaining("inner.learning-rate: is \"1e999\", must be a number")
                .hasMessageContaining("weights: is a sequence, must be a string")
                .hasMessageContaining("images: is \"a\0b\", must be a path")
                .hasMessageContaining("sizes[0]: is \"99999999999\", must be an integer");
    }

    @Test
    void namesTheSectionWhoseRuleIsBroken() {
        assertThatThrownBy(() -> read(GOOD, "inner.learning-rate=-1"))
                .hasMessageContaining("inner: learning-rate = -1.0, must be above 0");
    }

    @Test
    void refusesAnUnknownOverride() {
        assertThatThrownBy(() -> read(GOOD, "batchsize=secret"))
                .hasMessageContaining("--set batchsize: the configuration has no key \"batchsize\"")
                .hasMessageNotContaining("secret")
                .hasMessageContaining("did you mean \"batch-size\"?");
        assertThatThrownBy(() -> read(GOOD, "batch-size")).hasMessageContaining("must be KEY=VALUE");
    }

    record Depth(int depth, @Nullable String name) {}

    @Defaults("server.yaml")
    record Server(String host, int port) {}

    @Defaults(
            value = "defaults.yaml",
            except = {"model", "server.host"})
    record Completed(
            double rate,
            Kind kind,
            Map<String, Integer> extra,
            Depth inner,
            Server server,
            @Nullable Server second,
            Path model) {
        Completed {
            Rule.require(rate > 0, "rate", rate, "above 0");
        }
    }

    private static final String LEAST = "model: m\nserver: {host: a}\n";

    private static Completed completed(String yaml, String... overrides) {
        return StrictYaml.readText("d.yaml", yaml, Completed.class, List.of(overrides));
    }

    @Test
    void missingKeys_haveTheirDefault() {
        Completed least = new Completed(
                0.5, Kind.TRUNCATE, Map.of("a", 1), new Depth(2, null), new Server("a", 80), null, Path.of("m"));
        assertThat(completed(LEAST)).isEqualTo(least);
        assertThat(completed("# no key", "model=m", "server.host=a")).isEqualTo(least);
        assertThat(completed("", "model=m", "server.host=a")).isEqualTo(least);
        assertThat(completed(LEAST + "inner: {name: b}", "inner.depth=3").inner())
                .isEqualTo(new Depth(3, "b"));
        assertThat(completed(LEAST + "second: {host: b}").second())
                .as("defaults of a section that is null by default")
                .isEqualTo(new Server("b", 8080));
        assertThat(completed(LEAST + "extra: {b: 2}").extra())
                .as("free keys are a value")
                .containsOnlyKeys("b");
    }

    @Test
    void defaults_forgiveNeitherUnknownKeysNorMissingPaths() {
        assertThatThrownBy(() -> completed("rat: 1"))
                .hasMessageContaining("d.yaml:1: rat: is not a known key (did you mean \"rate\"?)")
                .hasMessageContaining("d.yaml:1: model: is missing (a path)")
                .hasMessageContaining("d.yaml: server.host: is missing (a string)");
        assertThatThrownBy(() -> completed("model: m\nserver:\n  port: 1"))
                .hasMessage("d.yaml:3: server.host: is missing (a string)");
        assertThatThrownBy(() -> completed(LEAST + "inner: {dept: 1}"))
                .hasMessageContaining("inner.dept: is not a known key (did you mean \"depth\"?)");
    }

    @Test
    void valuesOutsideTheFile_haveNoLine() {
        assertThatThrownBy(() -> completed(LEAST, "rate=x", "inner.depth=y"))
                .hasMessageContaining("d.yaml: rate: is \"x\", must be a number")
                .hasMessageContaining("d.yaml: inner.depth: is \"y\", must be an integer");
        assertThatThrownBy(() -> completed(LEAST, "rate=0")).hasMessage("d.yaml:1: rate = 0.0 must be above 0");
    }

    @Test
    void resolved_keepsComments(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("d.yaml"), "# mine\n" + LEAST + "inner: {name: b}\n");
        assertThat(StrictYaml.resolved(file, Completed.class, List.of("kind=mean-of-windows")))
                .isEqualTo(
                        """
                        # mine
                        model: m
                        server:
                          host: a
                          port: 80
                        inner:
                          name: b
                          depth: 2 # of nothing
                        rate: 0.5 # of everything
                        kind: mean-of-windows
                        extra: {a: 1}
                        second: null
                        """);
        Files.writeString(file, "# nothing differs\n");
        assertThat(StrictYaml.resolved(file, Server.class, List.of()))
                .isEqualTo("# nothing differs\nhost: localhost # reached\nport: 8080\n");
    }

    @Test
    void schema_hasTypesDefaultsAndComments() throws IOException {
        JsonNode schema = new ObjectMapper().readTree(ConfigSchema.of(Completed.class));
        assertThat(schema.at("/additionalProperties").booleanValue()).isFalse();
        assertThat(schema.at("/properties/rate"))
                .hasToString("{\"type\":\"number\",\"default\":0.5,\"description\":\"of everything\"}");
        assertThat(schema.at("/properties/kind/enum")).hasToString("[\"mean-of-windows\",\"truncate\"]");
        assertThat(schema.at("/properties/extra/additionalProperties/type").textValue())
                .isEqualTo("integer");
        assertThat(schema.at("/properties/inner/properties/depth/default").intValue())
                .isEqualTo(2);
        assertThat(schema.at("/properties/inner/properties/name/anyOf/1/type").textValue())
                .isEqualTo("null");
        assertThat(schema.at("/required")).hasToString("[\"model\",\"server\"]");
        assertThat(schema.at("/properties/server/required")).hasToString("[\"host\"]");
        assertThat(schema.at("/properties/server/properties/host")).hasToString("{\"type\":\"string\"}");
    }

    @Test
    void refusesWhatIsNotYaml() {
        assertThatThrownBy(() -> read("a: [1")).hasMessageContaining("c.yaml:1: is not YAML");
        assertThatThrownBy(() -> read("- 1")).hasMessageContaining("must be a YAML mapping");
        assertThatThrownBy(() -> StrictYaml.read(Path.of("nowhere.yaml"), Outer.class, List.of()))
                .hasMessageContaining("nowhere.yaml: no such file");
    }

    @Defaults.Sparse
    record Thin(
            String name,
            @Nullable Integer size,
            List<String> parts,
            Map<String, Integer> counts,
            Inside inside,
            @Nullable Stated stated) {}

    @Defaults.Sparse
    record Stated(String word) {}

    @Defaults.Sparse
    record Inside(@Nullable String text) {}

    @Test
    void sparseRecord_needsNoEmptyKeysAndWritesNone() {
        Thin thin = StrictYaml.readText("t.yaml", "name: 1e4x", Thin.class, List.of());
        assertThat(thin).isEqualTo(new Thin("1e4x", null, List.of(), Map.of(), new Inside(null), null));
        assertThat(StrictYaml.write(thin)).isEqualTo("name: 1e4x\ninside: {}\n");
        assertThatThrownBy(() -> StrictYaml.readText("t.yaml", "size: 1\nsort: 2", Thin.class, List.of()))
                .hasMessageContaining("t.yaml:2: sort: is not a known key")
                .hasMessageContaining("t.yaml:1: name: is missing (a string)")
                .hasMessageNotContaining("stated.word");
    }
}
