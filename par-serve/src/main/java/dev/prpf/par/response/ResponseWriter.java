package dev.prpf.par.response;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION;
import static dev.prpf.par.response.ResponseGrammar.FUNCTION_SELECTION;
import static dev.prpf.par.response.ResponseGrammar.MODEL_RECOMMENDATION;
import static dev.prpf.par.response.ResponseGrammar.REC;
import static dev.prpf.par.response.ResponseGrammar.RECOMMENDATIONS;
import static dev.prpf.par.response.ResponseGrammar.SINGLE_STAGE_TAG;
import static dev.prpf.par.response.ResponseGrammar.TAG;
import static dev.prpf.par.response.ResponseGrammar.THINK;
import static dev.prpf.par.response.ResponseGrammar.THINKING;
import static dev.prpf.par.response.ResponseGrammar.UI_SUMMARY;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.Recommendation;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A response as text: the inverse of {@link ResponseParser}, so that {@code parse(write(x))} equals {@code x} where the free texts of x carry
 * no whitespace at their ends. Inside the JSON every {@code <} is written as an escape, so that no tag can occur there.
 */
public final class ResponseWriter {
    private ResponseWriter() {}

    /**
     * The response's text.
     *
     * @throws IllegalArgumentException if the grammar has no text for it: an empty block, a tag inside a free text, a silent recommendation
     *     among others, an acting response with a summary or a selection but without thinking
     */
    public static String write(ParResponse.Parsed response) {
        return Piece.text(pieces(response));
    }

    /**
     * The response's text in a form: of a single-stage one the thinking as its thought and the instruction as its recommendation in words, as far
     * as the form has these; else as {@link #write(ParResponse.Parsed)}.
     *
     * @throws IllegalArgumentException as there; and if a single-stage response has several recommendations, or lacks what its form asks for
     */
    public static String write(ParResponse.Parsed response, ResponseForm form) {
        return Piece.text(pieces(response, form));
    }

    /** The same as pieces. */
    public static List<Piece> pieces(ParResponse.Parsed response, ResponseForm form) {
        return form.singleStage() ? SingleStageWriter.pieces(response, form) : pieces(response);
    }

    /** The response's text as pieces: tags are control, what stands between them is plain. */
    public static List<Piece> pieces(ParResponse.Parsed response) {
        requireReasonedWhole(response);
        List<Piece> selection = block(FUNCTION_SELECTION, response.functionSelection(), List.of(), TAG);
        List<Piece> pieces = new ArrayList<>(block(UI_SUMMARY, response.uiSummary(), List.of(), TAG));
        pieces.addAll(block(THINKING, response.thinking(), selection, TAG));
        pieces.add(Piece.control(ResponseGrammar.open(RECOMMENDATIONS)));
        pieces.add(Piece.plain(json(response.recommendations())));
        pieces.add(Piece.control(ResponseGrammar.close(RECOMMENDATIONS)));
        return pieces;
    }

    private static void requireReasonedWhole(ParResponse.Parsed response) {
        if (response.functionSelection() != null && response.thinking() == null) {
            throw new IllegalArgumentException("a function selection stands inside thinking, but thinking is absent");
        }
        boolean reasoned = response.uiSummary() != null || response.thinking() != null;
        if (reasoned && !response.recommendations().isEmpty() && response.functionSelection() == null) {
            throw new IllegalArgumentException(
                    "an acting response with a summary or thinking needs thinking with a function selection");
        }
    }

    /** A block of free text and what stands behind that in it; nothing without a text. */
    static List<Piece> block(String name, @Nullable String text, List<Piece> inside, Pattern tags) {
        if (text == null) {
            return List.of();
        }
        List<Piece> pieces = new ArrayList<>();
        pieces.add(Piece.control(ResponseGrammar.open(name)));
        pieces.add(Piece.plain(free(name, text, tags)));
        pieces.addAll(inside);
        pieces.add(Piece.control(ResponseGrammar.close(name)));
        return pieces;
    }

    private static String free(String name, String text, Pattern tags) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(name + " is empty; leave the block out instead");
        }
        int tag = ResponseGrammar.firstTag(tags, text, 0, text.length());
        if (tag >= 0) {
            throw new IllegalArgumentException(name + " contains a tag of the grammar at offset " + tag + ": "
                    + text.substring(tag, Math.min(text.length(), tag + 24)));
        }
        return text.strip();
    }

    static String json(List<Recommendation> recommendations) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (Recommendation recommendation : recommendations) {
            if (recommendation.isSilence()) {
                throw new IllegalArgumentException("a silent recommendation has no text; silence is the empty list");
            }
            array.addObject()
                    .put("instruction", recommendation.instruction())
                    .set("function", FunctionCallJson.write(recommendation.calls()));
        }
        return ResponseGrammar.json(array);
    }

    /** A response as ProactiveMobile's single-stage model writes it: the inverse of {@link ResponseParser.SingleStageParser}. */
    static final class SingleStageWriter {
        /** The recommendation in words of a silent response. */
        private static final String NONE = ResponseGrammar.SILENCE.get(1);

        private SingleStageWriter() {}

        /** As {@link ResponseWriter#pieces(ParResponse.Parsed, ResponseForm)}. */
        static List<Piece> pieces(ParResponse.Parsed response, ResponseForm form) {
            int given = response.recommendations().size();
            if (given > 1) {
                throw new IllegalArgumentException("a single-stage response has one recommendation, not " + given);
            }
            boolean acts = given == 1;
            List<Piece> pieces = new ArrayList<>();
            if (form.thinks()) {
                String thought = acts ? Objects.requireNonNullElse(response.thinking(), "") : response.thinking();
                pieces.addAll(ResponseWriter.block(THINK, thought, List.of(), SINGLE_STAGE_TAG));
            }
            if (form.recommends()) {
                pieces.addAll(ResponseWriter.block(REC, acts ? words(response) : NONE, List.of(), SINGLE_STAGE_TAG));
            }
            ObjectNode calls = JsonNodeFactory.instance.objectNode();
            calls.set(MODEL_RECOMMENDATION, FunctionCallJson.write(response.calls()));
            pieces.add(Piece.control(ResponseGrammar.open(FUNCTION)));
            pieces.add(Piece.plain(ResponseGrammar.json(calls)));
            pieces.add(Piece.control(ResponseGrammar.close(FUNCTION)));
            return pieces;
        }

        private static String words(ParResponse.Parsed response) {
            String words = response.recommendations().get(0).instruction();
            if (ResponseGrammar.saysNone(words)) {
                throw new IllegalArgumentException("the recommendation \"" + words + "\" says that there is none");
            }
            return words;
        }
    }
}
