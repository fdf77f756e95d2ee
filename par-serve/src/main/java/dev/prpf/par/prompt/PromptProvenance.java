package dev.prpf.par.prompt;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.chat.ChatTemplate;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The prompt settings that a model was trained on: {@code prpf.json} next to its {@code config.json}. Sets, rollouts and models with different hashes
 * cannot be mixed.
 *
 * @param template the chat template's name
 * @param enableThinking the chat template's switch; always false here
 * @param tokenizerSha256 of its tokenizer.json
 * @param promptHash over rendered probes and the tokenizer
 */
public record PromptProvenance(
        PromptSettings prompt, String template, boolean enableThinking, String tokenizerSha256, String promptHash) {
    public static final String FILE = "prpf.json";

    private static final DeviceContext CONTEXT = new DeviceContext("U", "D", "W");
    private static final FunctionSpec FUNCTION = new FunctionSpec(
            "f",
            "F",
            List.of(),
            List.of(
                    new ParameterSpec("p", "P", "string", true, List.of(), null),
                    new ParameterSpec("q", "Q", "int", false, null, null)));

    private static final Trajectory SCREENS =
            new Trajectory(List.of(new TraceStep.Screenshot("1"), new TraceStep.Caption("2")));

    public PromptProvenance {
        if (enableThinking) {
            throw new IllegalArgumentException(
                    "enable_thinking = true must be false: prompts are written without thinking");
        }
        Objects.requireNonNull(prompt, "prompt");
        Objects.requireNonNull(template, "template");
        Objects.requireNonNull(tokenizerSha256, "tokenizer_sha256");
        Objects.requireNonNull(promptHash, "prompt_hash");
    }

    /** Returns the provenance of prompts with these settings, chat template and tokenizer. */
    public static PromptProvenance of(PromptSettings prompt, ChatTemplate template, String tokenizerSha256) {
        return new PromptProvenance(
                prompt, template.name(), false, tokenizerSha256, hash(prompt, template, tokenizerSha256));
    }

    /**
     * Returns the tokenizer of a model with the chat template of its directory, or with ChatML without one.
     *
     * @throws PrpfException 65 for an unknown template, 69 without a tokenizer
     */
    public static ChatTokenizer tokenizer(Path model) {
        return new ChatTokenizer(Tokenizer.load(model), ChatTemplates.ofReasoner(model));
    }

    /** Writes {@link #FILE} into a model's directory, and the chat template if the directory has none. */
    public void write(Path model) {
        ChatTemplates.complete(model);
        AtomicFiles.writeText(model.resolve(FILE), JsonRecords.tree(this).toPrettyString() + "\n");
    }

    /**
     * Reads the provenance in a model's directory; null if the model was never trained on prompts.
     *
     * @throws PrpfException 65 for an invalid file
     */
    public static @Nullable PromptProvenance find(Path model) {
        Path file = model.resolve(FILE);
        if (!Files.exists(file)) {
            return null;
        }
        String text = IoFailure.whileReading(file, () -> Files.readString(file));
        return JsonRecords.read(file.toString(), "prompt record", text, PromptProvenance.class);
    }

    /**
     * Reads the provenance of a trained model.
     *
     * @throws PrpfException 65 if the directory has no provenance or an unknown chat template. 78 if this program or the template now renders
     *     other prompts than those in training
     */
    public static PromptProvenance read(Path model) {
        PromptProvenance found = find(model);
        if (found == null) {
            throw new InvalidDataException(model + ": has no " + FILE
                    + ", so which prompts the model reads is not known; train it with `prpf reasoner sft`, or say"
                    + " it with `prpf reasoner adopt`");
        }
        of(found.prompt(), ChatTemplates.ofReasoner(model), found.tokenizerSha256())
                .requireSame(found, model.toString());
        return found;
    }

    /**
     * Refuses a tokenizer other than the one in training.
     *
     * @param present tokenizer in the model's directory now
     * @throws PrpfException 78, naming both hashes, if they differ
     */
    public void requireTokenizer(ChatTokenizer present, Path model) {
        requireSame(
                of(prompt, present.template(), present.tokenizer().sha256()),
                model.resolve("tokenizer.json").toString());
    }

    /**
     * Refuses to mix different prompts.
     *
     * @param other of another set or model
     * @param place of the other one, for the message
     * @throws PrpfException 78, naming both hashes, if they differ
     */
    public void requireSame(PromptProvenance other, String place) {
        if (!promptHash.equals(other.promptHash)) {
            throw new InvalidConfigurationException(
                    place + ": prompt hash = " + other.promptHash + " (" + other.inWords() + "), here it is "
                            + promptHash + " (" + inWords()
                            + "); layout, wording, chat template and tokenizer must be the same: use the same"
                            + " `prompt:` section, chat template and tokenizer.json, or build the set again");
        }
    }

    private String inWords() {
        return prompt + ", chat template " + template + ", tokenizer " + tokenizerSha256;
    }

    /**
     * Hashes the form of prompts: SHA-256 over a text probe and a screen probe in the chat template, the settings, the template's name and the
     * tokenizer's hash. ChatML's name is left out, because it was once the only template. So any change of layout, wording or template changes the
     * hash, in a configuration or in this program.
     */
    static String hash(PromptSettings settings, ChatTemplate template, String tokenizerSha256) {
        ScenarioCatalog catalog =
                new ScenarioCatalog(List.of(new Scenario("A", "甲"), new Scenario("B", "乙")), Map.of("f", "B"));
        Probes writer = new Probes(new PromptRenderer(settings, catalog, screenshot -> "S"), template);
        CandidatePool pool = new CandidatePool(
                List.of("B", "A"), List.of(FUNCTION, new FunctionSpec("g", "G", List.of(), List.of())));
        Perception perception = new Perception(0.5, Map.of("B", 0.25));
        String probes = writer.probe(CONTEXT, Trajectory.ofTexts(List.of("1", "2")), perception, pool)
                + writer.probe(CONTEXT, SCREENS, perception, pool)
                + (settings.wording() == PromptWording.ENGLISH ? writer.blank() : "")
                + settings
                + (template.equals(ChatTemplates.CHATML) ? "" : template.name())
                + '\u0000'
                + tokenizerSha256;
        return AtomicFiles.sha256(probes.getBytes(StandardCharsets.UTF_8));
    }

    private record Probes(PromptRenderer renderer, ChatTemplate template) {
        /** Renders a prompt of a sample with a blank context. */
        String blank() {
            CandidatePool pool = new CandidatePool(List.of(), List.of(FUNCTION));
            return probe(new DeviceContext("", "", ""), Trajectory.ofTexts(List.of("1")), null, pool);
        }

        String probe(
                DeviceContext context, Trajectory trajectory, @Nullable Perception perception, CandidatePool pool) {
            Sample sample = new Sample("s", 1, null, null, context, trajectory, null);
            List<Piece> user = renderer.user(sample, perception, pool);
            return Piece.text(template.prompt(renderer.system(), user)) + '\u0000';
        }
    }
}
