package dev.prpf.par.response;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION;
import static dev.prpf.par.response.ResponseGrammar.MODEL_RECOMMENDATION;
import static dev.prpf.par.response.ResponseGrammar.REC;
import static dev.prpf.par.response.ResponseGrammar.SINGLE_STAGE_TAG;
import static dev.prpf.par.response.ResponseGrammar.THINK;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A response as ProactiveMobile's single-stage model writes it: the inverse of {@link SingleStageParser}. */
final class SingleStageWriter {
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
