package dev.prpf.par.sets;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.sets.DataCallsConfig.CallSetSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts one function-calling record to a prompt, independent of other records. */
public final class CallPrompts {
    private final CallSetSettings settings;
    private final ChatTokenizer tokenizer;
    private final PromptRenderer renderer;
    private final String wording;

    /**
     * Stores the settings that all records share.
     *
     * @param tokenizer of the model; not owned
     * @throws PrpfException 78 for prompts with predicted scenes or reasoning, which such records lack
     */
    public CallPrompts(DataCallsConfig config, ChatTokenizer tokenizer) {
        PromptSettings prompt = config.prompt();
        if (prompt.scenes() || prompt.reasoning() != ReasoningMode.NONE) {
            throw new InvalidConfigurationException(
                    "prompt.scenes = " + prompt.scenes() + ", prompt.reasoning = " + prompt.reasoning()
                            + ": function-calling records have neither; set scenes to false and reasoning to none");
        }
        this.settings = config.set();
        this.tokenizer = tokenizer;
        renderer = new PromptRenderer(prompt, new ScenarioCatalog(List.of(), Map.of()), ScreenTexts.none());
        wording = SftRecord.wordingOf(prompt);
    }

    /** Whether a record fits into a set, or why not. */
    public enum Fit {
        FITS,
        /** Its prompt is longer than {@link CallSetSettings#maxLength}. */
        OVER_LONG,
        /** It has more than {@link CallSetSettings#maxAnswers} valid sequences. */
        MANY_ANSWERS
    }

    /** Returns the properties of a record that decide on its selection. */
    public CallSelection.Facts facts(CallRecord record) {
        int length = prompt(record, sample(record, null, List.of()))
                .example(tokenizer)
                .ids()
                .length;
        Fit fit = Fit.FITS;
        if (length > settings.maxLength()) {
            fit = Fit.OVER_LONG;
        } else if (record.answers(settings.maxAnswers()).size() > settings.maxAnswers()) {
            fit = Fit.MANY_ANSWERS;
        }
        List<String> marks = new ArrayList<>(
                record.functions().stream().map(FunctionSpec::name).toList());
        marks.add("\n" + String.join("\n", record.requests()).toLowerCase(Locale.ROOT));
        return new CallSelection.Facts(record.id(), length, fit, record.acts(), record.functions(), marks);
    }

    /** Makes the set's entry for a record that fits. */
    public CallSet.Entry entry(CallRecord record, boolean heldOut) {
        List<Recommendation> valid = record.acts()
                ? record.answers(settings.maxAnswers()).stream()
                        .map(calls -> new Recommendation("", calls))
                        .toList()
                : List.of();
        Sample sample = sample(record, heldOut ? "test" : "train", valid);
        SamplePrompts.SamplePrompt prompt = prompt(record, sample);
        return new CallSet.Entry(prompt.record(prompt.plain(), null, wording), sample);
    }

    private SamplePrompts.SamplePrompt prompt(CallRecord record, Sample sample) {
        CandidatePool own = new CandidatePool(List.of(), record.functions());
        return new SamplePrompts.SamplePrompt(sample, sample.target(), own, renderer.user(sample, null, own), renderer);
    }

    private static Sample sample(CallRecord record, @Nullable String split, List<Recommendation> valid) {
        return new Sample(
                record.id(),
                1,
                split,
                null,
                new DeviceContext("", "", ""),
                Trajectory.ofTexts(record.requests()),
                valid);
    }
}
