package dev.prpf.par.constraint;

import dev.prpf.par.response.ResponseGrammar;
import java.util.List;

/**
 * The kinds of free text in a response, for one vocabulary.
 *
 * @param thinking ends by itself, or where the function selection begins
 * @param requiredString of JSON, more than white space
 * @param key of an object, without escapes
 */
record TextMachines(
        TextMachine summary,
        TextMachine thinking,
        TextMachine selection,
        TextMachine string,
        TextMachine requiredString,
        TextMachine key) {

    static TextMachines of(TokenTrie trie) {
        String selection = ResponseGrammar.FUNCTION_SELECTION;
        return new TextMachines(
                free(trie, ResponseGrammar.close(ResponseGrammar.UI_SUMMARY)),
                free(trie, ResponseGrammar.close(ResponseGrammar.THINKING), ResponseGrammar.open(selection)),
                free(trie, ResponseGrammar.close(selection)),
                new TextMachine(new TextRules.JsonText(false, true), trie),
                new TextMachine(new TextRules.JsonText(true, true), trie),
                new TextMachine(new TextRules.JsonText(true, false), trie));
    }

    private static TextMachine free(TokenTrie trie, String... endings) {
        return new TextMachine(new TextRules.FreeText(List.of(endings), ResponseGrammar.tags()), trie);
    }

    /**
     * The free texts of a single-stage response.
     *
     * @param rec leaves by its second exit where it says that nothing is recommended
     */
    record SingleStage(TextMachine think, TextMachine rec) {
        static SingleStage of(TokenTrie trie) {
            List<String> tags = ResponseGrammar.singleStageTags();
            String think = ResponseGrammar.close(ResponseGrammar.THINK);
            String rec = ResponseGrammar.close(ResponseGrammar.REC);
            return new SingleStage(
                    new TextMachine(new TextRules.FreeText(List.of(think), tags), trie),
                    new TextMachine(TextRules.Worded.of(rec, tags, ResponseGrammar.NONE), trie));
        }
    }
}
