package dev.prpf.par.cascade;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IndexedRecords;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.generate.Generation.FinishReason;
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
 * The prediction for one sample; one line of {@code predictions.jsonl}: {@code {"id", "route", "p_trigger", "scenarios", "response", "calls",
 * "finish", "cost"}}. Only {@code id}, {@code route} and {@code calls} are required. All but {@code cost} are independent of other samples; {@code
 * cost} is measured.
 *
 * @param id the sample's id, not blank
 * @param route whether the gate or the reasoner decided
 * @param pTrigger the perceiver's probability, or null without a usable perception
 * @param scenarios scenario to probability; empty if {@code pTrigger} is null
 * @param response the reasoner's raw text, or null if it did not run
 * @param calls one call sequence per recommendation; empty is silence; null is a malformed response. Empty after a closed gate, but null if the
 *     perceiver's answer was unusable, because then silence was not chosen
 * @param finish why the response ended; null without a response, or if unknown
 * @param cost or null if it was not measured
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

    /** The stage that decided about the sample. */
    public enum Route {
        @JsonProperty("silent")
        SILENT,
        @JsonProperty("reasoned")
        REASONED
    }

    /** Why a response ended, by the OpenAI protocol. */
    public enum Finish {
        /** The model ended the response. */
        @JsonProperty("stop")
        STOP,
        /** The response was truncated: at the token limit, or at the end of the model's positions. */
        @JsonProperty("length")
        LENGTH;

        /** Converts a reason; null if no response was generated or it was cancelled. */
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

    /** Creates a prediction without its cost. */
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

    /** Creates the prediction of a closed gate: silence, or malformed if the perceiver's answer was unusable. */
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
     * Creates the prediction from a reasoner's response.
     *
     * @param perception null without a usable perception
     * @param cost of both stages
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

    /** Returns whether it is malformed because the perceiver's answer was unusable. */
    public boolean unusablePerception() {
        return route == Route.SILENT && calls == null;
    }

    /** Returns this prediction without its cost, which takes as much memory as the rest. */
    public Prediction withoutCost() {
        return new Prediction(id, route, pTrigger, scenarios, response, calls, finish, null);
    }

    /** Returns whether the response was truncated. */
    public boolean cut() {
        return finish == Finish.LENGTH;
    }

    /** Returns whether its prompt was refused as too long. Known only if {@code finish} is kept. */
    public boolean refused() {
        return route == Route.REASONED && calls == null && finish == null && "".equals(response);
    }

    /** Returns the scored sequence, the first recommendation's; empty is silence; null is malformed. */
    public @Nullable List<FunctionCall> scored() {
        if (calls == null) {
            return null;
        }
        return calls.isEmpty() ? List.of() : calls.get(0);
    }

    /**
     * Opens a new or existing file, to append predictions.
     *
     * @throws PrpfException 65 for an invalid line or a duplicate id, 69 if the file cannot be written
     */
    public static KeyedLines open(Path file) {
        return new KeyedLines(
                file, RULE, (place, line) -> LINES.parse(place, line).id());
    }

    /**
     * Parses one line of a file.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 if it is not a prediction
     */
    public static Prediction parse(String place, String line) {
        return LINES.parse(place, line);
    }

    /** Writes a whole file atomically. */
    public static void write(Path file, List<Prediction> predictions) {
        LINES.write(file, predictions);
    }

    /** Appends this prediction to an open file. */
    public void append(KeyedLines file) {
        file.append(id, LINES.line(this));
    }

    /**
     * Opens a file for random access; memory holds the ids.
     *
     * @throws PrpfException as {@link #read}
     */
    public static IndexedRecords<Prediction> index(Path file) {
        return new IndexedRecords<>(file, RULE, LINES, (place, prediction) -> prediction.id());
    }

    /**
     * Reads a whole file.
     *
     * @throws PrpfException 65, naming file and line, for an invalid line, a duplicate id, or an empty file
     */
    public static List<Prediction> read(Path file) {
        List<Prediction> predictions = new ArrayList<>();
        read(file, predictions::add);
        return predictions;
    }

    /** Reads a file's predictions one by one, as {@link #read(Path)}. */
    public static void read(Path file, Consumer<Prediction> each) {
        Map<String, String> placeOfId = new HashMap<>();
        LINES.read(file, (place, prediction) -> {
            String before = placeOfId.putIfAbsent(prediction.id(), place);
            if (before != null) {
                throw new InvalidDataException(place + ": id " + prediction.id() + " is already in "
                        + before.replaceFirst(".*:", "line ") + "; " + RULE);
            }
            each.accept(prediction);
        });
    }
}
