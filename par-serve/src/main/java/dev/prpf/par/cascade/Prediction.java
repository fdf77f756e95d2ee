package dev.prpf.par.cascade;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IndexedRecords;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.response.ParResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What came out for one sample; one line of {@code predictions.jsonl}: {@code {"id", "route", "p_trigger", "scenarios", "response",
 * "calls", "finish", "cost"}}. All keys but {@code id}, {@code route} and {@code calls} may be missing. All but {@code cost} are the same
 * whatever was run beside and before; {@code cost} is what was measured.
 *
 * @param id the sample's id, not blank
 * @param route where it ended
 * @param pTrigger the perceiver's probability, or null where no perceiver ran or its answer could not be used
 * @param scenarios scenario to probability; empty where {@code pTrigger} is null
 * @param response the reasoner's raw text, or null where it did not run
 * @param calls one call sequence a recommendation; empty is silence; null is a malformed response. Where the gate was silent it is empty, or
 *     null if the perceiver's answer could not be used: then nobody chose silence
 * @param finish why the response ended, or null where there is none, or nobody knows
 * @param cost or null where it was not measured
 */
public record Prediction(
        String id,
        Route route,
        @Nullable Double pTrigger,
        @JsonSetter(nulls = Nulls.AS_EMPTY) Map<String, Double> scenarios,
        @Nullable String response,
        @JsonDeserialize(using = FunctionCallJson.CallSequences.class) @Nullable List<List<FunctionCall>> calls,
        @Nullable Finish finish,
        @Nullable PredictionCost cost) {
    private static final RecordLines<Prediction> LINES = new RecordLines<>(
            Prediction.class,
            "prediction",
            "p_trigger",
            "scenarios",
            "response",
            "finish",
            "cost",
            "cost.cached_tokens",
            "cost.visual_tokens");
    private static final String RULE = "a sample has one prediction";

    /** Whether the gate kept the sample from the reasoner. */
    public enum Route {
        @JsonProperty("silent")
        SILENT,
        @JsonProperty("reasoned")
        REASONED
    }

    /** Why a response ended, as the OpenAI protocol names it. */
    public enum Finish {
        /** By itself. */
        @JsonProperty("stop")
        STOP,
        /** It was cut: no more tokens were asked for, or the model has no more positions. */
        @JsonProperty("length")
        LENGTH;

        /** Null where nothing was written, or it was called off. */
        public static @Nullable Finish of(@Nullable FinishReason reason) {
            if (reason == null) {
                return null;
            }
            return switch (reason) {
                case END_TOKEN, STOP_TEXT -> STOP;
                case LENGTH -> LENGTH;
                case CANCELLED, TIMEOUT -> null;
            };
        }
    }

    /** Without what it cost. */
    public Prediction(
            String id,
            Route route,
            @Nullable Double pTrigger,
            Map<String, Double> scenarios,
            @Nullable String response,
            @Nullable List<List<FunctionCall>> calls) {
        this(id, route, pTrigger, scenarios, response, calls, null, null);
    }

    public Prediction {
        require(!id.isBlank(), "\"id\" must be a string that is not blank");
        require(
                pTrigger == null || (pTrigger >= 0 && pTrigger <= 1),
                "\"p_trigger\" = " + pTrigger + ", must lie in [0, 1]");
        require(
                route != Route.SILENT || calls == null || calls.isEmpty(),
                "\"calls\" must be [], or null for a malformed answer of the perceiver, where \"route\" is \"silent\"");
        scenarios = Collections.unmodifiableMap(new LinkedHashMap<>(scenarios));
        calls = calls == null ? null : calls.stream().map(List::copyOf).toList();
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }

    /** Of a sample that the gate kept from the reasoner: silence, or malformed where the perceiver's answer could not be used. */
    public static Prediction silent(String id, Perceiver.Costed perceived) {
        Perception perception = perceived.usable();
        return new Prediction(
                id,
                Route.SILENT,
                perception == null ? null : perception.pTrigger(),
                perception == null ? Map.of() : perception.scenarios(),
                null,
                perception == null ? null : List.of(),
                null,
                PredictionCost.of(perceived.cost()));
    }

    /**
     * Of a sample that was reasoned about.
     *
     * @param perception null where no perceiver ran, or its answer could not be used
     * @param cost of both
     */
    public static Prediction reasoned(
            String id, @Nullable Perception perception, Reasoner.Reasoning reasoning, @Nullable PredictionCost cost) {
        List<List<FunctionCall>> calls = reasoning.response() instanceof ParResponse.Parsed parsed
                ? parsed.recommendations().stream().map(Recommendation::calls).toList()
                : null;
        return new Prediction(
                id,
                Route.REASONED,
                perception == null ? null : perception.pTrigger(),
                perception == null ? Map.of() : perception.scenarios(),
                reasoning.text(),
                calls,
                Finish.of(reasoning.finish()),
                cost);
    }

    /** Whether it is malformed since the perceiver's answer could not be used. */
    public boolean unusablePerception() {
        return route == Route.SILENT && calls == null;
    }

    /** Without its cost, which takes as much memory as all else. */
    public Prediction withoutCost() {
        return new Prediction(id, route, pTrigger, scenarios, response, calls, finish, null);
    }

    /** Whether the response was cut. */
    public boolean cut() {
        return finish == Finish.LENGTH;
    }

    /** Whether its prompt was refused as too long: nothing was read, nothing written. Known where {@code finish} is kept. */
    public boolean refused() {
        return route == Route.REASONED && calls == null && finish == null && "".equals(response);
    }

    /** The sequence that is scored, the first recommendation's; empty is silence; null is malformed. */
    public @Nullable List<FunctionCall> scored() {
        if (calls == null) {
            return null;
        }
        return calls.isEmpty() ? List.of() : calls.get(0);
    }

    /**
     * Opens a file, which may exist, to append predictions to.
     *
     * @throws PrpfException 65 if a line that is whole is no prediction or has an id again, 69 if the file cannot be written
     */
    public static KeyedLines open(Path file) {
        return new KeyedLines(
                file, RULE, (place, line) -> LINES.parse(place, line).id());
    }

    /**
     * Reads one line.
     *
     * @param place of it, for the message
     * @throws PrpfException 65 if it is no prediction
     */
    public static Prediction parse(String place, String line) {
        return LINES.parse(place, line);
    }

    /** Writes a whole file in one step. */
    public static void write(Path file, List<Prediction> predictions) {
        LINES.write(file, predictions);
    }

    /** Appends this to an open file. */
    public void append(KeyedLines file) {
        file.append(id, LINES.line(this));
    }

    /**
     * Opens a file to read single predictions of it; memory holds their ids.
     *
     * @throws PrpfException as {@link #read}
     */
    public static IndexedRecords<Prediction> index(Path file) {
        return new IndexedRecords<>(file, RULE, LINES, Prediction::id);
    }

    /**
     * Reads a whole file.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no prediction, an id that stands twice, or a file without lines
     */
    public static List<Prediction> read(Path file) {
        List<Prediction> predictions = new ArrayList<>();
        read(file, predictions::add);
        return predictions;
    }

    /** As {@link #read(Path)}, one by one. */
    public static void read(Path file, Consumer<Prediction> each) {
        Map<String, String> placeOfId = new HashMap<>();
        LINES.read(file, (place, prediction) -> {
            String before = placeOfId.putIfAbsent(prediction.id(), place);
            if (before != null) {
                throw new InvalidDataException(place + ": id " + prediction.id() + " stands in "
                        + before.replaceFirst(".*:", "line ") + " already; " + RULE);
            }
            each.accept(prediction);
        });
    }
}
