package dev.prpf.par.prompt;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Scenario;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.tokenizer.Piece;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a model was trained to read: {@code prpf.json} beside its {@code config.json}. Sets, rollouts and models of different hashes do not
 * mix.
 *
 * @param prompt how its prompts are written
 * @param enableThinking the chat template's switch; always false here
 * @param tokenizerSha256 of its tokenizer.json
 * @param promptHash over rendered probes and the tokenizer
 */
public record PromptProvenance(
        PromptSettings prompt, boolean enableThinking, String tokenizerSha256, String promptHash) {
    public static final String FILE = "prpf.json";

    private static final String MAX_SCREENSHOTS = "max_screenshots";

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
        Objects.requireNonNull(prompt, "prompt");
        Objects.requireNonNull(tokenizerSha256, "tokenizer_sha256");
        Objects.requireNonNull(promptHash, "prompt_hash");
    }

    /** Of prompts written so and encoded by that tokenizer. */
    public static PromptProvenance of(PromptSettings prompt, String tokenizerSha256) {
        return new PromptProvenance(prompt, false, tokenizerSha256, hash(prompt, tokenizerSha256));
    }

    /** Writes {@link #FILE} into a model's directory. */
    public void write(Path model) {
        AtomicFiles.writeText(model.resolve(FILE), JsonRecords.tree(this).toPrettyString() + "\n");
    }

    /**
     * What stands in a model's directory, or null where it was never trained on prompts.
     *
     * @throws PrpfException 65 for a file that is no such record
     */
    public static @Nullable PromptProvenance find(Path model) {
        Path file = model.resolve(FILE);
        if (!Files.exists(file)) {
            return null;
        }
        try {
            String text = Files.readString(file, StandardCharsets.UTF_8);
            if (!text.contains(MAX_SCREENSHOTS)) { // a model that was trained before screenshots could be limited
                text = text.replaceFirst("\"prompt\"\\s*:\\s*\\{", "$0\"" + MAX_SCREENSHOTS + "\": null,");
            }
            return JsonRecords.read(file.toString(), "prompt record", text, PromptProvenance.class);
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    /**
     * What a trained model reads.
     *
     * @throws PrpfException 65 if the directory has no record, or if this program would no longer render the prompts it was trained on
     */
    public static PromptProvenance read(Path model) {
        PromptProvenance found = find(model);
        if (found == null) {
            throw new InvalidDataException(model + ": has no " + FILE
                    + ", so which prompts the model reads is not known; train it with `prpf par sft`, or say"
                    + " it with `prpf par adopt`");
        }
        of(found.prompt(), found.tokenizerSha256()).requireSame(found, model.toString());
        return found;
    }

    /**
     * Refuses a tokenizer that is not the one the model was trained with.
     *
     * @param sha256 of the tokenizer that lies in the model's directory now
     * @throws PrpfException 78, naming both hashes, if they differ
     */
    public void requireTokenizer(String sha256, Path model) {
        requireSame(of(prompt, sha256), model.resolve("tokenizer.json").toString());
    }

    /**
     * Refuses to mix.
     *
     * @param other of another set or model
     * @param place where the other one stands
     * @throws PrpfException 78, naming both hashes, if they differ
     */
    public void requireSame(PromptProvenance other, String place) {
        if (!promptHash.equals(other.promptHash)) {
            throw new InvalidConfigurationException(
                    place + ": prompt hash = " + other.promptHash + " (" + other.prompt + ", tokenizer "
                            + other.tokenizerSha256 + "), here it is " + promptHash + " (" + prompt + ", tokenizer "
                            + tokenizerSha256
                            + "); layout, wording and tokenizer must be the same: use the same `prompt:` section"
                            + " and tokenizer.json, or build the set again");
        }
    }

    /**
     * The identity of a way to write prompts: SHA-256 over a text and a screen probe as rendered, the settings and the tokenizer's own hash, so
     * that any change of layout or wording shows, be it in a configuration or in this program.
     */
    static String hash(PromptSettings settings, String tokenizerSha256) {
        ScenarioCatalog catalog =
                new ScenarioCatalog(List.of(new Scenario("A", "甲"), new Scenario("B", "乙")), Map.of("f", "B"));
        PromptRenderer renderer = new PromptRenderer(settings, catalog, screenshot -> "S");
        CandidatePool pool = new CandidatePool(
                List.of("B", "A"), List.of(FUNCTION, new FunctionSpec("g", "G", List.of(), List.of())));
        Perception perception = new Perception(0.5, Map.of("B", 0.25));
        String probes = probe(renderer, CONTEXT, Trajectory.ofTexts(List.of("1", "2")), perception, pool)
                + probe(renderer, CONTEXT, SCREENS, perception, pool)
                + (settings.wording() == PromptWording.ENGLISH ? blank(renderer) : "")
                + text(settings)
                + '\u0000'
                + tokenizerSha256;
        return AtomicFiles.sha256(probes.getBytes(StandardCharsets.UTF_8));
    }

    /** Models that were trained before screenshots could be limited have the hash of no limit. */
    private static String text(PromptSettings settings) {
        return settings.toString().replace(", maxScreenshots=null]", "]");
    }

    /** A prompt of a sample with a blank context. */
    private static String blank(PromptRenderer renderer) {
        CandidatePool pool = new CandidatePool(List.of(), List.of(FUNCTION));
        return probe(renderer, new DeviceContext("", "", ""), Trajectory.ofTexts(List.of("1")), null, pool);
    }

    private static String probe(
            PromptRenderer renderer,
            DeviceContext context,
            Trajectory trajectory,
            @Nullable Perception perception,
            CandidatePool pool) {
        Sample sample = new Sample("s", 1, null, null, context, trajectory, null);
        return Piece.text(renderer.chat(sample, perception, pool)) + '\u0000';
    }
}
