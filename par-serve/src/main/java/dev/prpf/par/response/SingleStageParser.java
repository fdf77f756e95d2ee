package dev.prpf.par.response;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION;
import static dev.prpf.par.response.ResponseGrammar.REC;
import static dev.prpf.par.response.ResponseGrammar.THINK;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a response of ProactiveMobile's single-stage model (its Appendix F): thought, recommendation in words, calls. */
final class SingleStageParser {
    private final BlockReader blocks;
    private final ResponseForm form;

    SingleStageParser(String text, ResponseForm form) {
        blocks = new BlockReader(text, ResponseGrammar.SINGLE_STAGE_TAG);
        this.form = form;
    }

    ParResponse.Parsed response() throws GrammarFault {
        boolean any = form == ResponseForm.ANY;
        String thought = blocks.optional(THINK, any || form.thinks(), form);
        int wordsAt = blocks.begins(REC) ? blocks.at() : 0;
        String words = blocks.optional(REC, any || form.recommends(), form);
        int begin = blocks.expect(ResponseGrammar.open(FUNCTION));
        RecommendationsReader reader = new RecommendationsReader(blocks.text(), begin);
        List<FunctionCall> calls = reader.readCalls();
        blocks.moveTo(reader.end());
        blocks.end(FUNCTION);
        if (form.recommends() && words == null) {
            throw new GrammarFault(begin, "a response of the form " + form + " has <rec> before <function>");
        }
        if (calls.isEmpty()) {
            return new ParResponse.Parsed(null, thought, null, List.of());
        }
        requireActing(thought, words, wordsAt);
        return new ParResponse.Parsed(
                null, thought, null, List.of(new Recommendation(words == null ? "" : words, calls)));
    }

    private void requireActing(@Nullable String thought, @Nullable String words, int wordsAt) throws GrammarFault {
        if (form.thinks() && thought == null) {
            throw new GrammarFault(0, "an acting response of the form " + form + " begins with <think>");
        }
        if (words != null && ResponseGrammar.saysNone(words)) {
            throw new GrammarFault(wordsAt, "<rec> says that nothing is recommended, but <function> has calls");
        }
    }
}
