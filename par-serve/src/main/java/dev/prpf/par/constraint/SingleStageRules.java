package dev.prpf.par.constraint;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION;
import static dev.prpf.par.response.ResponseGrammar.MODEL_RECOMMENDATION;
import static dev.prpf.par.response.ResponseGrammar.REC;
import static dev.prpf.par.response.ResponseGrammar.SILENCE;
import static dev.prpf.par.response.ResponseGrammar.THINK;
import static dev.prpf.par.response.ResponseGrammar.close;
import static dev.prpf.par.response.ResponseGrammar.open;

import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.response.ResponseForm;
import java.util.ArrayList;
import java.util.List;

/** The grammar of docs/RESPONSE.md for a single-stage form and some calls, in the spelling of {@code ResponseWriter}. */
final class SingleStageRules {
    private static final String BEGIN = open(FUNCTION) + "{\"" + MODEL_RECOMMENDATION + "\":[";
    private static final String END = "]}" + close(FUNCTION);

    private final TokenTrie trie;
    private final TextMachines.SingleStage machines;
    private final ConstraintSettings settings;
    private final List<Option> silent = List.of(Option.end(BEGIN + END));
    private final List<Option> silentOrActing;

    /** @param calls the alternatives for a call */
    SingleStageRules(
            TokenTrie trie, TextMachines.SingleStage machines, ConstraintSettings settings, List<Option> calls) {
        this.trie = trie;
        this.machines = machines;
        this.settings = settings;
        silentOrActing = calls.isEmpty() ? silent : new Elements(calls, END, trie).options(BEGIN, true);
    }

    Branch response(ResponseForm form) {
        List<Option> options = new ArrayList<>();
        SILENCE.forEach(words -> options.add(Option.end(words)));
        options.addAll(afterThought(form, form.thinks() ? silent : silentOrActing));
        if (form.thinks()) {
            Branch then = Branch.of(afterThought(form, silentOrActing), trie);
            options.add(Option.of(open(THINK), Text.of(machines.think(), settings.thinking(), List.of(List.of(then)))));
        }
        return Branch.of(options, trie);
    }

    private List<Option> afterThought(ResponseForm form, List<Option> functions) {
        return form.recommends() ? List.of(words(functions)) : functions;
    }

    /** Returns the texts before the calls; words that recommend nothing are followed by no call. */
    private Option words(List<Option> functions) {
        List<Expression> any = List.of(Branch.of(functions, trie));
        List<Expression> none = List.of(Branch.of(silent, trie));
        return Option.of(open(REC), Text.of(machines.rec(), settings.instruction(), List.of(any, none)));
    }
}
