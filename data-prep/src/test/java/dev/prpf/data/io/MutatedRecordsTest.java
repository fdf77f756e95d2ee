package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mutates records (seeded): reader and validator must agree on every file and throw nothing else. */
class MutatedRecordsTest {
    private static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "0",
            "-1",
            "3.0",
            "1e400",
            "123456789012345678901234567890",
            "\"\"",
            "\" \"",
            "\"3\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"../x\"",
            "[]",
            "{}",
            "[null]",
            "[[]]",
            "{\"\": 1}",
            "{\"name\": null}",
            "[{\"name\": \"book\"}]",
            "{\"instruction\": 1, \"functions\": [[]]}",
            "\"" + "长".repeat(3000) + "\"",
            "[".repeat(40) + "]".repeat(40));

    /** Rules that only the validator checks: the pool, the scenarios, images, missing answers. */
    private static final List<String> BEYOND_SHAPE = List.of(
            "unknown-function",
            "unknown-parameter",
            "missing-required-parameter",
            "parameter-type",
            "outside-enumeration",
            "unknown-dict-field",
            "missing-dict-field",
            "unknown-scenario",
            "missing-answers",
            "image-path");

    @TempDir
    private Path directory;

    private Path data = Path.of("");
    private Path pool = Path.of("");

    @BeforeEach
    void files() throws IOException {
        data = directory.resolve("data.json");
        pool = Files.writeString(directory.resolve("pool.json"), Records.POOL);
    }

    @Test
    void mutatedValuesAreFoundOrHarmless() throws IOException {
        Random random = new Random(1);
        int readable = 0;
        for (int i = 0; i < 600; i++) {
            ArrayNode records = Records.JSON.createArrayNode();
            records.add(Records.sound("sound"));
            records.add(mutate(Records.sound("mutated"), 1 + random.nextInt(2), random));
            Files.writeString(data, Records.text(records));
            readable += agree(records.toString()) ? 1 : 0;
        }
        assertThat(readable).isBetween(40, 560);
    }

    @Test
    void mutatedBytesAreFoundOrHarmless() throws IOException {
        Random random = new Random(2);
        byte[] sound = ("[" + Records.sound("a") + ",\n" + Records.sound("b") + "]").getBytes(StandardCharsets.UTF_8);
        int readable = 0;
        for (int i = 0; i < 600; i++) {
            byte[] bytes = sound.clone();
            for (int n = random.nextInt(3); n >= 0; n--) {
                bytes[random.nextInt(bytes.length)] = random.nextBoolean()
                        ? (byte) random.nextInt(256)
                        : (byte) "{}[]\",:\\0n ".charAt(random.nextInt(11));
            }
            int length = random.nextInt(10) == 0 ? random.nextInt(bytes.length) : bytes.length;
            Files.write(data, java.util.Arrays.copyOf(bytes, length));
            readable += agree("bytes " + i) ? 1 : 0;
        }
        assertThat(readable).isBetween(40, 560);
    }

    @Test
    void mutatedPoolsAreReadOrRefused() throws IOException {
        Random random = new Random(3);
        int refused = 0;
        for (int i = 0; i < 500; i++) {
            ObjectNode mutated = Records.object(Records.POOL);
            Files.writeString(pool, Records.text(mutate(mutated, 1 + random.nextInt(3), random)));
            Files.writeString(data, "[" + Records.sound("a") + "]");
            long fatal = validate(new ArrayList<>()).stream()
                    .filter(f -> f.id() == null && f.defect().isFatal())
                    .count();
            PrpfException thrown = thrownBy(() -> FunctionPoolFile.read(pool));
            assertThat(thrown != null).as("%s", mutated).isEqualTo(fatal > 0);
            refused += thrown == null ? 0 : 1;
        }
        assertThat(refused).isBetween(100, 450);
    }

    /** Returns whether the file can be read; the validator must agree, and samples must survive writing. */
    private boolean agree(String what) throws IOException {
        List<Finding> findings = validate(new ArrayList<>());
        List<Sample> samples = new ArrayList<>();
        PrpfException thrown = thrownBy(() -> samples.addAll(SampleReader.readAll(data)));
        boolean anyFatal = findings.stream().anyMatch(f -> f.defect().isFatal());
        if (thrown != null) {
            assertThat(ExitCode.of(thrown)).isEqualTo(ExitCode.BAD_DATA);
            assertThat(anyFatal)
                    .as("%s is refused (%s) but has no fatal finding", what, thrown.getMessage())
                    .isTrue();
            return false;
        }
        assertThat(findings)
                .as("%s is read, so its shape is sound", what)
                .filteredOn(f -> f.defect().isFatal())
                .extracting(f -> f.defect().rule())
                .isSubsetOf(BEYOND_SHAPE);
        if (findings.stream().noneMatch(f -> f.defect().rule().equals("broken-text"))) {
            Path copy = directory.resolve("copy.json");
            SampleWriter.write(copy, samples.iterator());
            assertThat(SampleReader.readAll(copy)).isEqualTo(samples);
        }
        return true;
    }

    private List<Finding> validate(List<Finding> findings) {
        Validator.Settings settings = new Validator.Settings(CATALOG, null, false, new AnswersMapping(List.of()));
        Validator.Summary summary = Validator.validate(data, pool, settings, findings::add);
        assertThat(summary.fatal() + summary.warnings()).isEqualTo(findings.size());
        findings.forEach(finding ->
                assertThat(finding.toLine() + finding.toJson()).isNotBlank().doesNotContain("\n"));
        return findings;
    }

    private static @Nullable PrpfException thrownBy(Runnable action) {
        try {
            action.run();
            return null;
        } catch (PrpfException e) {
            assertThat(e.getMessage()).isNotBlank();
            return e;
        }
    }

    private static ObjectNode mutate(ObjectNode root, int times, Random random) {
        for (int i = 0; i < times; i++) {
            JsonNode node = root;
            while (node.isContainerNode() && !node.isEmpty()) {
                JsonNode child = child(node, random);
                if (!child.isContainerNode() || child.isEmpty() || random.nextInt(6) == 0) {
                    replace(node, child, random);
                    break;
                }
                node = child;
            }
        }
        return root;
    }

    private static JsonNode child(JsonNode node, Random random) {
        List<JsonNode> children = new ArrayList<>();
        node.elements().forEachRemaining(children::add);
        return children.get(random.nextInt(children.size()));
    }

    private static void replace(JsonNode parent, JsonNode child, Random random) {
        JsonNode value = Records.json(VALUES.get(random.nextInt(VALUES.size())));
        if (parent instanceof ArrayNode array) {
            array.set(random.nextInt(array.size()), value);
        } else if (parent instanceof ObjectNode object) {
            List<String> keys = new ArrayList<>();
            object.properties().stream().filter(e -> e.getValue().equals(child)).forEach(e -> keys.add(e.getKey()));
            switch (random.nextInt(4)) {
                case 0 -> object.remove(keys);
                case 1 -> object.set(keys.get(0) + "_", object.remove(keys.get(0)));
                default -> object.set(keys.get(0), value);
            }
        }
    }
}
