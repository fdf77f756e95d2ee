package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests moments without a record, given only {@code reference_information}. */
class MomentJsonTest {
    private final List<Defect> defects = new ArrayList<>();

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    @Test
    void aMomentIsAnUnlabelledSample() {
        Sample sample = RecordJson.readMoment(
                json("{'profile': 'u', 'phone': 'd', 'world': 'w', 'mood': 1, 'trace': ['a', {'source': 'picture',"
                        + " 'picture': 'p.png'}, {'source': 'text', 'text': 'b'}]}"),
                "m1",
                defects::add);
        assertThat(defects).isEmpty();
        assertThat(Objects.requireNonNull(sample).id()).isEqualTo("m1");
        assertThat(sample.labelled()).isFalse();
        assertThat(sample.context()).isEqualTo(new DeviceContext("u", "d", "w"));
        assertThat(sample.trajectory().steps())
                .containsExactly(
                        new TraceStep.Caption("a"), new TraceStep.Screenshot("p.png"), new TraceStep.Caption("b"));
    }

    @Test
    void everyDefectIsReportedFromTheMomentsRoot() {
        Sample sample = RecordJson.readMoment(
                json("{'profile': 3, 'phone': 'd', 'trace': ['a', {'source': 'video'}, 7]}"), "m1", defects::add);
        assertThat(sample).isNull();
        assertThat(defects)
                .extracting(Defect::path)
                .containsExactly("/profile", "/world", "/trace/1/source", "/trace/2");
        assertThat(RecordJson.readMoment(
                        json("{'profile': '', 'phone': '', 'world': '', 'trace': []}"), "m1", defects::add))
                .isNull();
        assertThat(defects.get(4).describe()).contains("at /trace: []: must hold at least one step [empty-trace]");
    }

    @Test
    void aMessageShowsTheBeginningOfADataUrlAlone() {
        TraceStep.Screenshot sent = new TraceStep.Screenshot("data:image/png;base64," + "A".repeat(10_000));
        assertThat(sent.toString()).startsWith("data:image/png;base64,AAAA").hasSize(81);
        assertThat(new TraceStep.Screenshot("a/b.png")).hasToString("a/b.png");
    }
}
