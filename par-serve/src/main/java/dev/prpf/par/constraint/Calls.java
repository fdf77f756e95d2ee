package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.response.ResponseGrammar;
import java.util.ArrayList;
import java.util.List;

/** The calls of functions, as JSON. */
record Calls(TokenTrie trie, Values values) {
    /** The ways a call begins. Functions that the pool lets nobody call rightly (a required enumeration without a usable value) are left out. */
    List<Option> of(List<FunctionSpec> functions) {
        Branch end = Branch.literal("}", trie);
        List<Option> calls = new ArrayList<>();
        for (FunctionSpec function : functions) {
            if (function.name().isBlank()) {
                continue;
            }
            List<Fields.Field> fields = function.parameters().stream()
                    .map(spec -> new Fields.Field(spec.name(), spec.required(), values.of(spec)))
                    .toList();
            String name = ResponseGrammar.json(TextNode.valueOf(function.name()));
            Option call =
                    Option.of("{\"name\":" + name + ",\"parameters\":{", new Fields(fields, true, trie).first(), end);
            if (call.cost() < Expression.NEVER) {
                calls.add(call);
            }
        }
        return calls;
    }
}
