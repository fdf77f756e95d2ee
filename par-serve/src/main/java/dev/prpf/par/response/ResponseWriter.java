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
 * Writes a response as text, the inverse of {@link ResponseParser}: {@code parse(write(x))} equals {@code x} if its free texts are trimmed.
 * Every {@code <} in the JSON is escaped, so that no tag can occur there.
 */
public final class ResponseWriter {
    private ResponseWriter() {}

    /**
     * Returns the response's text.
     *
     * @throws IllegalArgumentException for an empty block, a tag in free text, a silent recommendation among others, or a summary or
     *     selection without thinking
     */
    public static String write(ParResponse.Parsed response) {
        return Piece.text(pieces(response));
    }

    /** Returns the response's pieces in a form. */
    public static List<Piece> pieces(ParResponse.Parsed response, ResponseForm form) {
        return form.singleStage() ? SingleStageWriter.pieces(response, form) : pieces(response);
    }

    /** Returns the response's pieces: tags are control pieces, all other text is plain. */
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
            throw new IllegalArgumentException("a function selection must be inside thinking, but thinking is missing");
        }
        boolean reasoned = response.uiSummary() != null || response.thinking() != null;
        if (reasoned && !response.recommendations().isEmpty() && response.functionSelection() == null) {
            throw new IllegalArgumentException(
                    "an acting response with a summary or thinking needs thinking with a function selection");
        }
    }

    /** Returns a block of free text followed by inner pieces; no pieces without a text. */
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

    /** Writes a response in the format of ProactiveMobile's single-stage model; the inverse of {@link ResponseParser.SingleStageParser}. */
    static final class SingleStageWriter {
        /** The recommendation in words of a silent response. */
        private static final String NONE = ResponseGrammar.SILENCE.get(1);

        private SingleStageWriter() {}

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
                throw new IllegalArgumentException("the recommendation \"" + words + "\" means no recommendation");
            }
            return words;
        }
    }
}
