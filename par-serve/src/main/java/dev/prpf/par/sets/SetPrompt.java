package dev.prpf.par.sets;

import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A prompt of an SFT set, to be answered.
 *
 * @param id of the sample
 * @param ids the prompt's tokens
 * @param form that its response must have
 * @param record that it is of
 */
public record SetPrompt(String id, long[] ids, ResponseForm form, SftRecord record) {
    /**
     * One prompt a sample: its first record's.
     *
     * @param source where the records came from, for messages
     * @param prompt how the model's prompts are written
     * @param tokenizer of the model; stays the caller's
     * @throws dev.prpf.base.error.PrpfException 78 if the set's prompts are not written so
     */
    public static List<SetPrompt> of(
            List<SftRecord> records, String source, PromptSettings prompt, Tokenizer tokenizer) {
        String wording = SftRecord.wordingOf(prompt);
        Map<String, SetPrompt> prompts = new LinkedHashMap<>();
        for (SftRecord record : records) {
            record.requireWording(wording, prompt, source);
            prompts.computeIfAbsent(
                    record.id(),
                    id -> new SetPrompt(
                            id,
                            tokenizer.encode(ChatMl.prompt(record.system(), record.user())),
                            RecordTargets.form(record),
                            record));
        }
        return List.copyOf(prompts.values());
    }
}
