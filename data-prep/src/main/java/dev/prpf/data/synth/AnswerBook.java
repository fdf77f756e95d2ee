package dev.prpf.data.synth;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes the one to three valid answers of a sample from its needs. */
record AnswerBook(Draw draw, Binding binding) {
    private static final int MAX_ANSWERS = 3;
    private static final double FIRST_NEED_ALONE = 0.35;
    private static final double ALTERNATIVE = 0.5;

    /**
     * Returns the valid answers, the most complete first.
     *
     * @param intents the needs in order
     * @param optionalStated whether the first need states its optional parameter
     * @param silenceToo whether silence is valid, too; it comes last
     */
    List<Recommendation> answers(List<Intent> intents, boolean optionalStated, boolean silenceToo) {
        List<Recommendation> answers = new ArrayList<>();
        answers.add(together(intents, optionalStated));
        if (optionalStated) {
            answers.add(together(intents, false));
        }
        Intent first = intents.get(0);
        Intent.Alternative other = first.alternative();
        if (intents.size() > 1 && draw.chance(FIRST_NEED_ALONE)) {
            answers.add(together(List.of(first), optionalStated));
        } else if (intents.size() == 1 && other != null && draw.chance(ALTERNATIVE)) {
            answers.add(new Recommendation(
                    binding.fill(other.instruction()), List.of(call(other.function(), other.parameters()))));
        }
        if (silenceToo) {
            answers.add(new Recommendation("", List.of()));
        }
        return answers.size() <= MAX_ANSWERS
                ? answers
                : List.of(answers.get(0), answers.get(1), answers.get(answers.size() - 1));
    }

    private Recommendation together(List<Intent> intents, boolean optionalStated) {
        List<FunctionCall> calls = new ArrayList<>();
        List<String> instructions = new ArrayList<>();
        for (int i = 0; i < intents.size(); i++) {
            Intent intent = intents.get(i);
            FunctionCall call = call(intent.function(), intent.parameters());
            calls.add(i == 0 && optionalStated ? withOptional(call, intent) : call);
            instructions.add(binding.fill(intent.instruction()));
        }
        return new Recommendation(String.join(draw.language().of("，再", ", then "), instructions), calls);
    }

    private FunctionCall withOptional(FunctionCall call, Intent intent) {
        Intent.Extra extra = intent.optional();
        if (extra == null) {
            return call;
        }
        Map<String, JsonNode> parameters = new LinkedHashMap<>(call.parameters());
        parameters.put(extra.parameter(), binding.value(extra.value()));
        return new FunctionCall(call.name(), parameters);
    }

    private FunctionCall call(String function, JsonNode templates) {
        Map<String, JsonNode> parameters = new LinkedHashMap<>();
        templates.properties().forEach(field -> parameters.put(field.getKey(), binding.value(field.getValue())));
        return new FunctionCall(function, parameters);
    }
}
