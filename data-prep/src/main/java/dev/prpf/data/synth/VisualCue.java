package dev.prpf.data.synth;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.synth.SynthSample.CueScreen;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A kind of generated screen on which only a colour, an icon or a position decides the answer.
 *
 * @param kind the kind of look
 * @param title the app's title
 * @param captions texts below it, one or one per option
 * @param options the answers, one per thing that may be lit
 */
record VisualCue(CueScreen.Kind kind, Intent.Wording title, List<Intent.Wording> captions, List<Option> options) {
    /**
     * The answer of an option.
     *
     * @param function the function of its one call
     * @param parameters the parameters of the call
     * @param instruction the proposal to the user
     */
    record Option(String function, Map<String, JsonNode> parameters, Intent.Wording instruction) {
        Recommendation answer(Language language) {
            FunctionCall call = new FunctionCall(function, new LinkedHashMap<>(parameters));
            return new Recommendation(instruction.in(language), List.of(call));
        }
    }

    VisualCue {
        captions = List.copyOf(captions);
        options = List.copyOf(options);
        if (options.size() < 2 || (captions.size() != 1 && captions.size() != options.size())) {
            throw new IllegalArgumentException(
                    kind + ": must have two options or more, and one caption or as many: " + captions + options);
        }
    }
}
