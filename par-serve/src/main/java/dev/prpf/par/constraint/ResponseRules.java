package dev.prpf.par.constraint;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION;
import static dev.prpf.par.response.ResponseGrammar.MODEL_RECOMMENDATION;
import static dev.prpf.par.response.ResponseGrammar.REC;
import static dev.prpf.par.response.ResponseGrammar.RECOMMENDATIONS;
import static dev.prpf.par.response.ResponseGrammar.SILENCE;
import static dev.prpf.par.response.ResponseGrammar.THINK;
import static dev.prpf.par.response.ResponseGrammar.THINKING;
import static dev.prpf.par.response.ResponseGrammar.UI_SUMMARY;
import static dev.prpf.par.response.ResponseGrammar.close;
import static dev.prpf.par.response.ResponseGrammar.open;

import dev.prpf.data.FunctionSpec;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.response.ResponseForm;
import java.util.ArrayList;
import java.util.List;

/** The grammar of docs/RESPONSE.md for one of PRPF's forms and some functions, in the spelling of {@code ResponseWriter}. */
final class ResponseRules {
    private static final String BEGIN_CALLS = open(FUNCTION) + "{\"" + MODEL_RECOMMENDATION + "\":[";
    private static final String END_CALLS = "]}" + close(FUNCTION);
    private static final String SILENT = open(RECOMMENDATIONS) + "[]" + close(RECOMMENDATIONS);

    private final TokenTrie trie;
    private final TextMachines machines;
    private final ConstraintSettings settings;
    private final List<Option> silent = List.of(Option.end(SILENT));
    private final List<Option> silentOrActing;
    private final List<Option> calls;

    ResponseRules(TokenTrie trie, TextMachines machines, ConstraintSettings settings, List<FunctionSpec> functions) {
        this.trie = trie;
        this.machines = machines;
        this.settings = settings;
        calls = new Values(trie, machines, settings).calls(functions);
        silentOrActing = calls.isEmpty() ? silent : List.of(silent.get(0), acting());
    }

    Branch response(ResponseForm form) {
        List<Option> options = new ArrayList<>();
        SILENCE.forEach(words -> options.add(Option.end(words)));
        boolean bareMayAct = form == ResponseForm.BARE || form == ResponseForm.ANY;
        options.addAll(bareMayAct ? silentOrActing : silent);
        if (form != ResponseForm.BARE) {
            options.add(thinking(form == ResponseForm.SCREENS ? silent : silentOrActing));
        }
        if (form == ResponseForm.SCREENS || form == ResponseForm.ANY) {
            options.add(summary());
        }
        return Branch.of(options, trie);
    }

    private Option summary() {
        List<Option> then = new ArrayList<>(silent);
        then.add(thinking(silentOrActing));
        return Option.of(
                open(UI_SUMMARY),
                Text.of(machines.summary(), settings.uiSummary(), List.of(List.of(Branch.of(then, trie)))));
    }

    /** Returns the reasoning; without a function selection the response is silence. */
    private Option thinking(List<Option> afterSelection) {
        List<Expression> end = List.of(Branch.of(silent, trie));
        Branch close = Branch.literal(close(THINKING), trie, Branch.of(afterSelection, trie));
        Text selection = Text.of(machines.selection(), settings.functionSelection(), List.of(List.of(close)));
        return Option.of(
                open(THINKING), Text.of(machines.thinking(), settings.thinking(), List.of(end, List.of(selection))));
    }

    private Option acting() {
        Elements callList = new Elements(calls, "]}", trie);
        Branch functions = Branch.of(callList.options(",\"function\":[", false), trie);
        Text instruction = Text.of(machines.string(), settings.instruction(), List.of(List.of(functions)));
        List<Option> recommendation = List.of(Option.of("{\"instruction\":\"", instruction));
        Elements list = new Elements(recommendation, "]" + close(RECOMMENDATIONS), trie);
        return list.options(open(RECOMMENDATIONS) + "[", false).get(0);
    }

    Branch singleStage(ResponseForm form, TextMachines.SingleStage texts) {
        List<Option> none = List.of(Option.end(BEGIN_CALLS + END_CALLS));
        List<Option> any = calls.isEmpty() ? none : new Elements(calls, END_CALLS, trie).options(BEGIN_CALLS, true);
        List<Option> options = new ArrayList<>();
        SILENCE.forEach(words -> options.add(Option.end(words)));
        options.addAll(recommended(form, texts, form.thinks() ? none : any, none));
        if (form.thinks()) {
            Branch then = Branch.of(recommended(form, texts, any, none), trie);
            options.add(Option.of(open(THINK), Text.of(texts.think(), settings.thinking(), List.of(List.of(then)))));
        }
        return Branch.of(options, trie);
    }

    /** Returns the calls after the recommendation in words, if the form has it; words that recommend nothing are followed by no call. */
    private List<Option> recommended(
            ResponseForm form, TextMachines.SingleStage texts, List<Option> functions, List<Option> none) {
        if (!form.recommends()) {
            return functions;
        }
        List<List<Expression>> then = List.of(List.of(Branch.of(functions, trie)), List.of(Branch.of(none, trie)));
        return List.of(Option.of(open(REC), Text.of(texts.rec(), settings.instruction(), then)));
    }
}
