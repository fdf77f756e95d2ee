package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.io.Defect.Severity;
import dev.prpf.data.io.Validator.FindingSpool;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ValidatorTest {
    private static final Pattern RULE = Pattern.compile(
            "(?s)(?:\\.(?:fatal|warning)\\(\\s*[^;]{1,80}?,|MalformedFileException\\()\\s*\"([a-z-]+)\",");

    @TempDir
    private Path directory;

    private final List<Finding> findings = new ArrayList<>();
    private boolean unlabelled;
    private String pool = Records.POOL;

    @BeforeEach
    void images() throws IOException {
        image("a/b.png", 8, 8);
    }

    private Path image(String name, int width, int height) throws IOException {
        Path file = directory.resolve("images").resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        ImageIO.write(new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB), "png", file.toFile());
        return file;
    }

    private Validator.Summary validate(String text, @Nullable String images) throws IOException {
        Path data = Files.writeString(directory.resolve("data.json"), text);
        Path poolFile = Files.writeString(directory.resolve("pool.json"), pool);
        Path root = images == null ? null : directory.resolve(images);
        findings.clear();
        Validator.Settings settings = new Validator.Settings(
                ScenarioCatalogReader.shipped(), root, unlabelled, new AnswersMapping(List.of()));
        return Validator.validate(data, poolFile, settings, findings::add);
    }

    private Validator.Summary validate(ObjectNode... records) throws IOException {
        ArrayNode array = Records.JSON.createArrayNode();
        array.addAll(Arrays.asList(records));
        return validate(Records.text(array), "images");
    }

    private static String rule(Finding finding) {
        return finding.defect().rule();
    }

    private static String path(Finding finding) {
        return finding.defect().path();
    }

    @Test
    void aSoundFileHasNoFindings() throws IOException {
        assertThat(validate(Records.sound("a"), Records.sound("b"))).isEqualTo(new Validator.Summary(2, 0, 0));
        assertThat(findings).isEmpty();
    }

    static List<PlantedDefect> fatal() {
        return PlantedDefect.FATAL;
    }

    static List<PlantedDefect> warnings() {
        return PlantedDefect.WARNINGS;
    }

    @ParameterizedTest
    @MethodSource("fatal")
    void oneDefectIsOneFatalFinding(PlantedDefect planted) throws IOException {
        validate(Records.sound("before"), planted.record("planted"), Records.sound("after"));
        assertThat(findings)
                .extracting(ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple(planted.rule(), planted.found()));
        assertThat(findings.get(0).defect().severity()).isEqualTo(Severity.FATAL);
        assertThat(findings.get(0).id()).isEqualTo(expectedId(planted));
        assertThat(findings.get(0).defect().message()).isNotBlank();
    }

    private static String expectedId(PlantedDefect planted) {
        if (planted.at().equals("/benchmark_metadata/id")) {
            return "7".equals(planted.json()) ? "7" : "#1";
        }
        return planted.at().equals("/benchmark_metadata") ? "#1" : "planted";
    }

    @ParameterizedTest
    @MethodSource("warnings")
    void oneDefectIsOneWarning(PlantedDefect planted) throws IOException {
        assertThat(validate(planted.record("planted"))).isEqualTo(new Validator.Summary(1, 0, 1));
        assertThat(findings)
                .extracting(ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple(planted.rule(), planted.found()));
    }

    @Test
    void allDefectsOfAFileAreFoundAndNothingElse() throws IOException {
        ArrayNode records = Records.JSON.createArrayNode();
        List<String> expected = new ArrayList<>();
        for (PlantedDefect planted : PlantedDefect.FATAL) {
            records.add(Records.sound("sound-" + records.size()));
            expected.add(planted.rule() + " " + planted.found());
            records.add(planted.record("planted-" + records.size()));
        }
        Validator.Summary summary = validate(records.toString(), "images");
        assertThat(findings.stream().map(f -> rule(f) + " " + path(f))).containsExactlyElementsOf(expected);
        assertThat(summary).isEqualTo(new Validator.Summary(records.size(), expected.size(), 0));
    }

    @Test
    void severalDefectsOfOneRecordAreAllFound() throws IOException {
        ObjectNode record = Records.sound("many");
        Records.set(record, "/benchmark_metadata/difficulty_level", "5");
        Records.set(record, "/reference_information/world", null);
        Records.set(record, "/reference_information/trace/2/picture", "\"absent.png\"");
        Records.set(record, "/recommendations/0/functions/0/name", "\"nothing\"");
        Records.set(record, "/recommendations/0/functions/1/parameters/seats", "\"x\"");
        Records.set(record, "/recommendations/1/functions/0/parameters/kind", "\"x\"");
        validate(record);
        assertThat(findings)
                .extracting(ValidatorTest::rule)
                .containsExactlyInAnyOrder(
                        "difficulty-range",
                        "missing-field",
                        "missing-image",
                        "unknown-function",
                        "parameter-type",
                        "outside-enumeration");
    }

    @Test
    void elementsThatAreNoRecordsAreOneFindingEach() throws IOException {
        validate("[3, null, [], {}, \"x\", " + Records.sound("a") + "]", "images");
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(
                        tuple("#0", "not-a-record", ""),
                        tuple("#1", "not-a-record", ""),
                        tuple("#2", "not-a-record", ""),
                        tuple("#3", "not-a-record", ""),
                        tuple("#4", "not-a-record", ""));
    }

    @Test
    void idsMustBeUnique() throws IOException {
        validate(Records.sound("a"), Records.sound("b"), Records.sound("a"));
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple("a", "duplicate-id", "/benchmark_metadata/id"));
        assertThat(findings.get(0).defect().message()).contains("record 2 has the id of record 0");
    }

    @Test
    void aKeyThatStandsTwiceIsOneFinding() throws IOException {
        String record = Records.sound("a").toString();
        validate(
                "[" + Records.sound("z") + ","
                        + record.replace("\"kind\":\"bus\"", "\"kind\":\"bus\",\"kind\":\"rocket\"") + "]",
                "images");
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple("a", "duplicate-key", "/recommendations/0/functions/1/parameters/kind"));
        assertThat(findings.get(0).defect().value()).hasToString("\"rocket\"");
    }

    @Test
    void aNumberThatIsNoneIsOneFindingAndReadingGoesOn() throws IOException {
        String record = Records.sound("a").toString();
        validate(
                "[" + record.replace("\"difficulty_level\":2", "\"difficulty_level\":NaN") + ","
                        + record.replace("\"id\":\"a\"", "\"id\":\"b\"")
                                .replace("\"seats\":2", "\"seats\":-Infinity")
                                .replace("\"more\":1", "\"more\":Infinity")
                        + ", NaN," + Records.sound("c").put("recommendations", "x") + "]",
                "images");
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(
                        tuple("a", "non-finite-number", "/benchmark_metadata/difficulty_level"),
                        tuple("b", "non-finite-number", "/benchmark_metadata/more"),
                        tuple("b", "non-finite-number", "/recommendations/0/functions/1/parameters/seats"),
                        tuple("#2", "non-finite-number", ""),
                        tuple("c", "field-type", "/recommendations"));
        assertThat(findings.get(2).toJson().get("value")).hasToString("\"-Infinity\"");
    }

    @Test
    void numbersTooLargeForADoubleKeepTheirValue() throws IOException {
        String digits = "9".repeat(2000);
        String record = Records.sound("a").toString();
        validate(
                "[" + record.replace("\"difficulty_level\":2", "\"difficulty_level\":1e400") + ","
                        + record.replace("\"id\":\"a\"", "\"id\":\"b\"")
                                .replace("\"difficulty_level\":2", "\"difficulty_level\":" + digits)
                        + "]",
                "images");
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(
                        tuple("a", "field-type", "/benchmark_metadata/difficulty_level"),
                        tuple("b", "difficulty-range", "/benchmark_metadata/difficulty_level"));
        assertThat(spooled(findings.get(0)).decimalValue()).isEqualByComparingTo("1e400");
        assertThat(spooled(findings.get(1)).textValue()).startsWith("9999").endsWith("…");
    }

    /** Returns the value of a finding as data validate --json writes it. */
    private static JsonNode spooled(Finding finding) throws IOException {
        StringBuilder text = new StringBuilder();
        try (FindingSpool spool = new FindingSpool()) {
            spool.add(finding);
            spool.copyTo(text::append);
        }
        return Records.JSON
                .reader(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .readTree(text.toString())
                .at("/0/value");
    }

    @Test
    void unlabelledRecordsAreAllowedOnRequest() throws IOException {
        ObjectNode record = Records.sound("a");
        record.remove("recommendations");
        unlabelled = true;
        assertThat(validate(record)).isEqualTo(new Validator.Summary(1, 0, 0));
    }

    @Test
    void aMisspeltAnswersKeyIsNamed() throws IOException {
        ObjectNode record = Records.sound("a");
        record.set("recommendation_list", record.remove("recommendations"));
        unlabelled = true;
        validate(record);
        assertThat(findings)
                .extracting(ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple("unknown-answers-key", "/recommendation_list"));
        assertThat(findings.get(0).defect().message()).contains("--answers-key /recommendation_list");
    }

    @Test
    void otherAnswerShapesAreCheckedToo() throws IOException {
        ObjectNode record = Records.sound("a");
        record.remove("recommendations");
        record.set(
                "recommended_actions",
                Records.json("[[{\"name\": \"find\", \"parameters\": {\"what\": 3, \"tags\": [\"t\"]}}]]"));
        validate(record);
        assertThat(findings)
                .extracting(ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple("parameter-type", "/recommended_actions/0/0/parameters/what"));
    }

    @Test
    void withoutAnImageRootImagesAreOneWarning() throws IOException {
        Validator.Summary summary = validate("[" + Records.sound("a") + "," + Records.sound("b") + "]", null);
        assertThat(summary).isEqualTo(new Validator.Summary(2, 0, 1));
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule)
                .containsExactly(tuple(null, "images-not-checked"));
    }

    @Test
    void imagesThatCannotBeReadAreFound() throws IOException {
        Files.writeString(directory.resolve("images/text.png"), "no image");
        Files.writeString(directory.resolve("images/empty.png"), "");
        image("wide.png", 30_000, 1);
        Path large = directory.resolve("images/large.png");
        ImageIO.write(new BufferedImage(9000, 9000, BufferedImage.TYPE_BYTE_BINARY), "png", large.toFile());
        byte[] whole = Files.readAllBytes(image("whole.png", 50, 50));
        Files.write(directory.resolve("images/cut.png"), Arrays.copyOf(whole, whole.length - 5));
        ObjectNode[] records = Stream.of("text", "empty", "wide", "large", "whole", "cut", "absent", "a")
                .map(name -> {
                    ObjectNode record = Records.sound(name);
                    Records.set(
                            record,
                            "/reference_information/trace/2/picture",
                            "\"" + name + (name.equals("a") ? "\"" : ".png\""));
                    return record;
                })
                .toArray(ObjectNode[]::new);
        validate(records);
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule)
                .containsExactly(
                        tuple("text", "unreadable-image"),
                        tuple("empty", "unreadable-image"),
                        tuple("wide", "unreadable-image"),
                        tuple("large", "unreadable-image"),
                        tuple("cut", "unreadable-image"),
                        tuple("absent", "missing-image"),
                        tuple("a", "missing-image"));
        assertThat(findings).allMatch(f -> path(f).equals("/reference_information/trace/2/picture"));
        assertThat(findings.get(2).defect().message()).contains("30000 x 1 pixels, at most 10000 a side");
        assertThat(findings.get(3).defect().message()).contains("9000 x 9000 pixels", "40 million in all");
    }

    @Test
    void aDataUrlIsCheckedAsItsImageWouldBe() throws IOException {
        byte[] whole = Files.readAllBytes(image("whole.png", 50, 50));
        String sound = "data:image/png;base64," + Base64.getEncoder().encodeToString(whole);
        String cut =
                "data:image/png;base64," + Base64.getEncoder().encodeToString(Arrays.copyOf(whole, whole.length / 2));
        ObjectNode[] records = Stream.of(sound, sound + "A", "data:image/png;base64,AAAA", cut)
                .map(url -> {
                    ObjectNode record = Records.sound("r" + url.length());
                    Records.set(record, "/reference_information/trace/2/picture", "\"" + url + "\"");
                    return record;
                })
                .toArray(ObjectNode[]::new);
        validate(records);
        assertThat(findings)
                .extracting(ValidatorTest::rule)
                .containsOnly("unreadable-image")
                .hasSize(3);
        assertThat(findings.get(0).defect().message()).contains("characters of base64, must have a multiple of 4");
        assertThat(findings.get(1).defect().message()).contains("is not an image that can be read");
        assertThat(findings.get(2).defect().message()).contains("the file is truncated");
    }

    @Test
    void defectsOfTheFileHaveNoRecord() throws IOException {
        String record = Records.sound("a").toString();
        String bad = Records.sound("b").put("recommendations", "x").toString();
        validate("[" + record + "," + bad + "," + record.substring(0, 200), "images");
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple("b", "field-type", "/recommendations"), tuple(null, "truncated-json", ""));
        assertThat(findings.get(1).defect().message()).contains("after 2 complete records");
        assertThat(onlyRule("")).isEqualTo("empty-file");
        assertThat(onlyRule("[]")).isEqualTo("no-records");
        assertThat(onlyRule("{\"data\": [" + record + "]}")).isEqualTo("not-an-array");
        assertThat(onlyRule("17")).isEqualTo("not-an-array");
        assertThat(onlyRule("[" + record + "," + "]")).isEqualTo("malformed-json");
        assertThat(onlyRule("[" + record + "]]")).isEqualTo("malformed-json");
        assertThat(onlyRule("[" + record + "] {}")).isEqualTo("trailing-content");
    }

    private String onlyRule(String text) throws IOException {
        validate(text, "images");
        assertThat(findings).hasSize(1).first().extracting(Finding::id).isNull();
        return rule(findings.get(0));
    }

    @Test
    void defectsOfThePoolAreFoundOnceAndHaveNoConsequences() throws IOException {
        pool = Records.POOL.replace("\"name\": \"find\"", "\"name\": \"fynd\"");
        validate(Records.sound("a"));
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple(null, "pool-name-mismatch", "/find/name"));
        pool = "[]";
        validate(Records.sound("a"));
        assertThat(findings)
                .extracting(Finding::id, ValidatorTest::rule, ValidatorTest::path)
                .containsExactly(tuple(null, "pool-not-an-object", ""));
    }

    @Test
    void anUnknownFunctionIsComparedWithThePool() throws IOException {
        ObjectNode record = Records.sound("a");
        Records.set(record, "/recommendations/0/functions/0/name", "\"fynd\"");
        validate(record);
        assertThat(findings.get(0).defect().message()).contains("the pool, which has 2; did you mean \"find\"?");
        assertThat(findings.get(0).defect().value()).hasToString("\"fynd\"");
    }

    @Test
    void aFindingAsJsonHasTheContractsKeys() throws IOException {
        ObjectNode record = Records.sound("a");
        Records.set(record, "/recommendations/0/functions/1/parameters/kind", null);
        validate(record);
        JsonNode json = findings.get(0).toJson();
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly("id", "path", "severity", "rule", "value", "message");
        assertThat(json.get("value").isNull()).isTrue();
        assertThat(json.get("severity").textValue()).isEqualTo("fatal");
    }

    @Test
    void anImageRootThatIsNoDirectoryIsAnError() {
        assertThatThrownBy(() -> validate("[]", "data.json"))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("is not a directory");
    }

    @Test
    void everyRuleIsDocumented() throws IOException {
        Path root = Path.of(System.getProperty("prpf.root", ".."));
        String page = Files.readString(root.resolve("docs/VALIDATE.md"));
        List<String> rules = new ArrayList<>();
        try (Stream<Path> sources = Files.list(root.resolve("data-prep/src/main/java/dev/prpf/data/io"))) {
            for (Path source : sources.toList()) {
                RULE.matcher(Files.readString(source)).results().forEach(match -> rules.add(match.group(1)));
            }
        }
        assertThat(rules).hasSizeGreaterThan(25).allSatisfy(rule -> assertThat(page)
                .contains("`" + rule + "`"));
    }
}
