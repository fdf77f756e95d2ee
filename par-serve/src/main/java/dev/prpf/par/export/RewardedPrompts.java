package dev.prpf.par.export;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.tokenizer.Piece;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Joins the prompts of an SFT set with gold samples: the input of GRPO (PRPF Appendix A.4). The records' responses are not used. */
public final class RewardedPrompts {
    private final Map<String, List<SftRecord>> byId = new LinkedHashMap<>();

    /**
     * Joins records with their gold samples.
     *
     * @param gold samples by id
     * @param goldSource source of the samples, for messages
     * @throws PrpfException 65 if a record has no sample, or its target is not one of the sample's answers
     */
    public RewardedPrompts(SftRecords set, Map<String, Sample> gold, String goldSource) {
        for (SftRecord record : set.records()) {
            requireTarget(record, gold.get(record.id()), goldSource);
            byId.computeIfAbsent(record.id(), id -> new ArrayList<>()).add(record);
        }
    }

    /**
     * Rejects a record that its sample cannot reward.
     *
     * @param sample with the record's id, or null
     * @param goldSource source of the samples, for the message
     * @throws PrpfException 65 if the sample is missing, or the record's target is not one of its answers
     */
    public static void requireTarget(SftRecord record, @Nullable Sample sample, String goldSource) {
        if (sample == null) {
            throw new InvalidDataException(goldSource + ": has no sample \"" + record.id()
                    + "\", which is a record of the set; give the samples that the set was made from");
        }
        if (!sample.validSequences().contains(record.calls())) {
            throw new InvalidDataException(goldSource + ": the target of record \"" + record.id()
                    + "\" is not one of that sample's answers; give the samples that the set was made from");
        }
    }

    /** Returns one prompt for each sample, from its first record. */
    public List<SftRecord> all() {
        return byId.values().stream().map(records -> records.get(0)).toList();
    }

    /**
     * Returns the prompts of a GRPO set's groups, in its order, including duplicates.
     *
     * @param groups rollout groups
     * @throws PrpfException 65, naming file and line, for a group without a record or with another prompt; 78 for groups with another prompt
     *     hash than the model's
     */
    public List<SftRecord> of(Path groups, RolledOut model) {
        List<SftRecord> prompts = new ArrayList<>();
        new RecordLines<>(RolloutGroup.class, "rollout group").read(groups, (place, group) -> {
            model.requireSame(group.provenance(), place);
            List<SftRecord> known = byId.get(group.id());
            if (known == null) {
                throw new InvalidDataException(place + ": the set has no record of \"" + group.id()
                        + "\", so the text of its prompt is unknown; give the set that was rolled out");
            }
            prompts.add(known.stream()
                    .filter(record -> model.writes(record, group.promptIds()))
                    .findFirst()
                    .orElseThrow(() -> new InvalidDataException(place + ": the prompt of \"" + group.id()
                            + "\" that was rolled out is not the one in the set, its tokens differ; give the set"
                            + " that was rolled out, or roll out again")));
        });
        return prompts;
    }

    /**
     * The model of the rollouts that chose the prompts; checks that groups and set match.
     *
     * @param promptHash of the model's prompts
     * @param reward of the export; the groups' reward must be equal
     * @param tokenizer closed with this object
     */
    public record RolledOut(Path directory, String promptHash, RewardFiles reward, ChatTokenizer tokenizer)
            implements AutoCloseable {
        /**
         * Opens a model's tokenizer.
         *
         * @throws PrpfException 65 if the directory does not name the model's prompts; 78 if the set's prompts differ
         */
        public static RolledOut open(Path directory, SftRecords set, RewardFiles reward) {
            PromptProvenance provenance = PromptProvenance.read(directory);
            set.requirePrompts(provenance.prompt());
            return new RolledOut(directory, provenance.promptHash(), reward, PromptProvenance.tokenizer(directory));
        }

        private void requireSame(RolloutProvenance rolledOut, String place) {
            rolledOut.requirePrompt(promptHash, directory.toString(), place);
            RolloutProvenance here = RolloutProvenance.of(
                    rolledOut.policy(), promptHash, reward.settings(), reward.pool(), rolledOut.sampling());
            require(place, "pool", rolledOut.pool(), here.pool(), "--pool");
            require(place, "reward", rolledOut.reward(), here.reward(), "--reward");
        }

        private static void require(String place, String what, String rolledOut, String here, String option) {
            if (!rolledOut.equals(here)) {
                throw new InvalidConfigurationException(
                        place + ": was rolled out with " + what + " " + rolledOut + ", here it is " + here
                                + "; give the same " + what + " with " + option + ", or roll out again");
            }
        }

        /** Returns whether a record's prompt has these tokens, for any number of tokens per image. */
        boolean writes(SftRecord record, long[] promptIds) {
            long[] written = tokenizer.prompt(record.system(), record.user());
            return Arrays.equals(written, Piece.images(record.user()) == 0 ? promptIds : onePlaceholderEach(promptIds));
        }

        private long[] onePlaceholderEach(long[] ids) {
            long placeholder = tokenizer.tokenizer().controlToken(Piece.IMAGE_PAD);
            return IntStream.range(0, ids.length)
                    .filter(i -> i == 0 || ids[i] != placeholder || ids[i - 1] != placeholder)
                    .mapToLong(i -> ids[i])
                    .toArray();
        }

        @Override
        public void close() {
            tokenizer.close();
        }
    }

    /**
     * The files that {@code prpf serve} needs to reward an export's responses, and the Python client ({@code integrations/}).
     *
     * @param gold the gold samples by id
     * @param pool functions of the answers
     */
    public record RewardFiles(Map<String, Sample> gold, FunctionPool pool, RewardSettings settings) {
        static final String GOLD = "gold.json";
        static final String POOL = "function_pool.json";
        static final String CONSTANTS = "reward.yaml";

        static final List<String> NAMES = List.of(GOLD, POOL, CONSTANTS);

        String configuration(ReasoningMode reasoning) {
            return ResponseScorer.configuration(new StructuredReward(settings, pool), reasoning);
        }

        Sample sample(String id) {
            return Objects.requireNonNull(gold.get(id), id);
        }

        /** Writes the files, with the samples of these ids; returns their names. */
        List<String> write(Path folder, Trainer trainer, Set<String> ids) {
            SampleWriter.write(
                    folder.resolve(GOLD), ids.stream().map(this::sample).iterator());
            return Stream.concat(Stream.of(GOLD), writeRules(folder, trainer).stream())
                    .toList();
        }

        /** Writes all files except the samples; returns their names. */
        List<String> writeRules(Path folder, Trainer trainer) {
            FunctionPoolFile.write(pool, folder.resolve(POOL));
            AtomicFiles.writeText(folder.resolve(CONSTANTS), StrictYaml.write(settings));
            trainer.hooks().forEach(hook -> ExportFolder.ship(hook, folder));
            return Stream.concat(Stream.of(POOL, CONSTANTS), trainer.hooks().stream())
                    .toList();
        }
    }
}
