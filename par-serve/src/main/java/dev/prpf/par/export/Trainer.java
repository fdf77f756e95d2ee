package dev.prpf.par.export;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The trainer of an export's format. */
public enum Trainer {
    /** LLaMA-Factory 0.9.5: messages with a {@code dataset_info.json}; no GRPO. */
    LLAMA_FACTORY,
    /** TRL 1.16: prompt and completion, each a list of messages. */
    TRL,
    /** verl 0.9.1: messages, and for GRPO the columns of its rule-based rewards. */
    VERL,
    /** OpenRLHF 0.11: messages, and for GRPO prompts with a label for its reward server. */
    OPENRLHF,
    /** slime: prompts with a label for its reward server; only GRPO. */
    SLIME,
    /** ms-swift 4: messages, and for GRPO a further column for its reward plugin. */
    MS_SWIFT,
    /** Parquet for Hugging Face's {@code datasets}, also of records; this program can read an SFT set back. */
    PARQUET;

    /** Returns whether GRPO sets can be exported. */
    public boolean hasGrpo() {
        return this != LLAMA_FACTORY;
    }

    /** Returns whether SFT sets can be exported. */
    public boolean hasSft() {
        return this != SLIME;
    }

    /**
     * Refuses a kind of set that the trainer does not take.
     *
     * @param rewarded whether the set is for GRPO, not for SFT
     * @throws PrpfException 2, naming the trainers that take it
     */
    public void requireSet(boolean rewarded) {
        if (rewarded && !hasGrpo()) {
            throw new UsageException("--gold makes a GRPO set, but " + this + " has no GRPO; export to one of "
                    + named(Trainer::hasGrpo) + ", or leave --gold out");
        }
        if (!rewarded && !hasSft()) {
            throw new UsageException("without --gold an SFT set is made, but " + this + " gets none; export to one of "
                    + named(Trainer::hasSft) + ", or give --gold and --pool for a GRPO set");
        }
    }

    /** Returns whether its sets support images in prompts; OpenRLHF's SFT is text-only. */
    boolean supportsImages(boolean rewarded) {
        return this != PARQUET && (rewarded || this != OPENRLHF);
    }

    /** Returns the names of the trainers that satisfy a condition, for messages: "trl, verl". */
    private static String named(Predicate<Trainer> holds) {
        return Arrays.stream(values()).filter(holds).map(Trainer::toString).collect(Collectors.joining(", "));
    }

    /** Returns the Python clients of the reward service; OpenRLHF and slime have their own. */
    List<String> hooks() {
        return switch (this) {
            case TRL, VERL, PARQUET -> List.of("prpf_reward.py");
            case MS_SWIFT -> List.of("prpf_reward.py", "prpf_swift.py");
            case LLAMA_FACTORY, OPENRLHF, SLIME -> List.of();
        };
    }

    /** Returns the name on the command line. */
    @Override
    public String toString() {
        return EnumName.of(this);
    }
}
