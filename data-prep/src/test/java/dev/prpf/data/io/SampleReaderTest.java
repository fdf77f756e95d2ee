package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SampleReaderTest {
    private static final String HEAD =
            """
            {"benchmark_metadata":{"id":"a","difficulty_level":2,"condition":"tolerated"},
             "reference_information":{"profile":"p","phone":"d","world":"w","trace":%s}%s}""";
    private static final String CALL = "{\"name\":\"book_transport\",\"parameters\":{\"n\":3,\"x\":\"\"}}";

    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("data.json"), text);
    }

    private Sample one(String trace, String rest) throws IOException {
        List<Sample> samples = SampleReader.readAll(file("[" + HEAD.formatted(trace, rest) + "]"));
        assertThat(samples).hasSize(1);
        return samples.get(0);
    }

    @Test
    void readsTextStepsInBothForms() throws IOException {
        Sample sample = one("[\"one\", {\"source\":\"text\",\"text\":\"two\"}]", ",\"recommendations\":[]");
        assertThat(sample.trajectory()).isEqualTo(Trajectory.ofTexts(List.of("one", "two")));
        assertThat(sample.modality()).isEqualTo(Modality.TEXT);
        assertThat(sample.difficulty()).isEqualTo(2);
        assertThat(sample.split()).isNull();
        assertThat(sample.context().phone()).isEqualTo("d");
    }

    @Test
    void oneImageMakesTheSampleMultimodal() throws IOException {
        Sample sample = one("[\"one\", {\"source\":\"picture\",\"picture\":\"a/b.png\"}]", "");
        assertThat(sample.modality()).isEqualTo(Modality.MULTIMODAL);
        assertThat(sample.trajectory())
                .isEqualTo(new Trajectory(List.of(new TraceStep.Caption("one"), new TraceStep.Screenshot("a/b.png"))));
    }

    @Test
    void unlabelledIsNotSilent() throws IOException {
        assertThat(one("[\"s\"]", "").labelled()).isFalse();
        Sample silent = one("[\"s\"]", ",\"recommendations\":[]");
        assertThat(silent.labelled()).isTrue();
        assertThat(silent.wantsIntervention()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"recommendations\":[{\"instruction\":\"i\",\"functions\":[C]}]",
                "\"recommendation\":[{\"instruction\":\"i\",\"function\":[C]}]",
                "\"recommended_actions\":[[C]]",
                "\"option\":{\"expected_recommendation\":{\"instruction\":\"i\",\"function\":[C]}}",
                "\"recommendations\":{\"instruction\":\"i\",\"functions\":[C]}",
                "\"recommendation\":[[C]],\"recommendations\":[[C]]"
            })
    void takesEveryKnownKeyAndShape(String answers) throws IOException {
        Sample sample = one("[\"s\"]", "," + answers.replace("C", CALL));
        assertThat(sample.validSequences()).hasSize(1);
        assertThat(sample.validSequences().get(0).get(0).name()).isEqualTo("book_transport");
        assertThat(sample.validSequences().get(0).get(0).parameters()).containsEntry("n", IntNode.valueOf(3));
    }

    @Test
    void silenceMayBeOneOfSeveralAnswers() throws IOException {
        Sample sample = one(
                "[\"s\"]",
                ",\"recommendations\":[{\"functions\":[]},{\"instruction\":\"i\",\"functions\":[" + CALL + "]}]");
        assertThat(sample.answers()).extracting(Recommendation::isSilence).containsExactly(true, false);
        assertThat(sample.wantsIntervention()).isTrue();
    }

    @Test
    void theUsersOwnKeyWins() throws IOException {
        Path file = file(
                "[" + HEAD.formatted("[\"s\"]", ",\"gold\":{\"list\":[[" + CALL + "]]},\"recommendations\":[]") + "]");
        try (SampleReader reader =
                new SampleReader(file, new AnswersMapping(List.of()).preferring(List.of("/gold/list")))) {
            assertThat(reader.next().wantsIntervention()).isTrue();
            assertThat(reader.hasNext()).isFalse();
        }
    }

    @Test
    void readsJsonLines() throws IOException {
        String line = HEAD.formatted("[\"s\"]", "").replace("\n", " ");
        Path file = file(line + "\n" + line.replace("\"a\"", "\"b\"") + "\n\n");
        assertThat(SampleReader.readAll(file)).extracting(Sample::id).containsExactly("a", "b");
    }

    @Test
    void anEmptyArrayHoldsNoSamples() throws IOException {
        assertThat(SampleReader.readAll(file(" [ ] "))).isEmpty();
    }

    @Test
    void aByteOrderMarkIsSkipped() throws IOException {
        assertThat(SampleReader.readAll(file("\uFEFF[" + HEAD.formatted("[\"s\"]", "") + "]")))
                .hasSize(1);
    }

    private void fails(String text, String... parts) throws IOException {
        Path file = file(text);
        assertThatThrownBy(() -> SampleReader.readAll(file))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(file.toString())
                .hasMessageContainingAll(parts);
    }

    @Test
    void aDefectNamesFileRecordPlaceValueAndRule() throws IOException {
        String good = HEAD.formatted("[\"s\"]", "");
        fails(
                "[" + good + "," + good.replace("\"a\"", "\"b\"").replace("2,", "\"2\",") + "]",
                "record 1 (id \"b\")",
                "at /benchmark_metadata/difficulty_level: \"2\": is a string, must be an integer [field-type]",
                "data validate lists every defect");
        fails("[" + good.replace("2,", "2.0,") + "]", "2.0: is a number, must be an integer");
        fails("[" + good.replace("2,", "4,") + "]", "4: must be 1, 2 or 3 [difficulty-range]");
        fails(
                "[" + good.replace("\"phone\":\"d\",", "") + "]",
                "at /reference_information/phone",
                "is missing, must be a string");
        fails("[" + good.replace("[\"s\"]", "[]") + "]", "at /reference_information/trace", "at least one step");
        fails("[" + good.replace("[\"s\"]", "[{\"text\":\"x\"}]") + "]", "at /reference_information/trace/0/source");
        fails(
                "[" + good.replace("\"w\"", "null") + "]",
                "at /reference_information/world: null: is null, must be a string");
        fails("[3]", "record 0, 3: must be an object with \"benchmark_metadata\"");
    }

    @Test
    void whatIsDoubtfulIsNotGuessedAt() throws IOException {
        fails(
                "[" + HEAD.formatted("[\"s\"]", ",\"recommendations\":[],\"recommendation\":[[" + CALL + "]]") + "]",
                "/recommendation",
                "differs from the answers at /recommendations");
        fails(
                "[" + HEAD.formatted("[\"s\"]", ",\"recommend_list\":[]") + "]",
                "/recommend_list",
                "--answers-key /recommend_list",
                "expected_recommendation");
        fails(
                "[" + HEAD.formatted("[\"s\"]", ",\"recommendations\":[" + CALL + "]") + "]",
                "/recommendations/0",
                "[answer-shape]");
        fails(
                "[" + HEAD.formatted("[\"s\"]", "") + "," + HEAD.formatted("[\"s\"]", "") + "]",
                "record 1",
                "\"a\" is the id of record 0 already");
    }

    @Test
    void duplicateKeysAreErrors() throws IOException {
        fails(
                "[" + HEAD.formatted("[\"s\"]", "").replace("\"p\",", "\"p\",\"profile\":\"q\",") + "]",
                "at /reference_information/profile: \"q\"",
                "is a duplicate");
    }

    @Test
    void brokenFilesAreNamed() throws IOException {
        String good = HEAD.formatted("[\"s\"]", "");
        fails("", "the file is empty");
        fails(
                "[" + good + ",{\"benchmark_metadata\":{\"id",
                "after 1 complete record: the JSON is truncated",
                "[truncated-json]");
        fails("[" + good, "the JSON is truncated");
        fails("[" + good + " " + good + "]", "not JSON at line");
        fails("[" + good + "] x", "[malformed-json]");
        fails("[" + good + "] []", "more follows after the end of the array");
        fails("{\"data\":[" + good + "]}", "object with the keys [data], must be a JSON array");
        fails("\"text\"", "begins with \"text\", must be a JSON array");
        fails("[" + good.replace("2,", "NaN,") + "]", "not JSON");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> SampleReader.open(directory.resolve("absent.json")))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("absent.json: cannot be read");
    }
}
