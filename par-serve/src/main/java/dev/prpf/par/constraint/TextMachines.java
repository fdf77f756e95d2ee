package dev.prpf.par.constraint;

import dev.prpf.par.chat.ToolCallReader.ToolTags;
import dev.prpf.par.response.ResponseGrammar;
import java.util.List;
import java.util.stream.Stream;

/**
 * The kinds of free text in a response, for one vocabulary.
 *
 * @param thinking ends by itself, or at the function selection
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
                new TextMachine(new TextRules.JsonText(false, true, false), trie),
                new TextMachine(new TextRules.JsonText(true, true, false), trie),
                new TextMachine(new TextRules.JsonText(true, false, false), trie));
    }

    private static TextMachine free(TokenTrie trie, String... endings) {
        return new TextMachine(new TextRules.FreeText(List.of(endings), ResponseGrammar.tags(), false), trie);
    }

    /**
     * The free texts of a single-stage response.
     *
     * @param rec recommendation in words; its second exit is for words that recommend nothing
     */
    record SingleStage(TextMachine think, TextMachine rec) {
        static SingleStage of(TokenTrie trie) {
            List<String> tags = ResponseGrammar.singleStageTags();
            String think = ResponseGrammar.close(ResponseGrammar.THINK);
            String rec = ResponseGrammar.close(ResponseGrammar.REC);
            return new SingleStage(
                    new TextMachine(new TextRules.FreeText(List.of(think), tags, false), trie),
                    new TextMachine(TextRules.Worded.of(rec, tags, ResponseGrammar.NONE), trie));
        }
    }

    /**
     * The free texts of a response described by a schema.
     *
     * @param string of JSON
     * @param key of an object, without escapes
     * @param thought reasoning before the answer
     * @param bare a parameter's value between tags
     * @param said the model's free text, up to a call
     * @param begun free text from its beginning on, where reasoning may come
     * @param mused the model's reasoning, up to its end
     */
    record Described(
            TextMachine string,
            TextMachine key,
            TextMachine thought,
            TextMachine bare,
            TextMachine said,
            TextMachine begun,
            TextMachine mused) {
        /** @param tags whether strings and keys may contain {@code <} */
        static Described of(TokenTrie trie, boolean tags) {
            return new Described(
                    new TextMachine(new TextRules.JsonText(false, true, tags), trie),
                    new TextMachine(new TextRules.JsonText(true, false, tags), trie),
                    blank(trie, ToolTags.END_THINK, ToolTags.THINK),
                    blank(
                            trie,
                            ToolTags.END_PARAMETER,
                            ToolTags.PARAMETER,
                            ToolTags.END_FUNCTION,
                            ToolTags.FUNCTION,
                            ToolTags.END_CALL,
                            ToolTags.CALL),
                    new TextMachine(new TextRules.Untied(ToolTags.CALL, null), trie),
                    new TextMachine(new TextRules.Untied(ToolTags.CALL, ToolTags.THINK), trie),
                    new TextMachine(new TextRules.Untied(ToolTags.END_THINK, null), trie));
        }

        /** Returns text that one tag ends and that cannot contain the others. */
        private static TextMachine blank(TokenTrie trie, String ending, String... tags) {
            List<String> all = Stream.concat(Stream.of(ending), Stream.of(tags)).toList();
            return new TextMachine(new TextRules.FreeText(List.of(ending), all, true), trie);
        }
    }
}
