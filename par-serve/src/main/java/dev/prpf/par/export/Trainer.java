package dev.prpf.par.export;

import dev.prpf.base.config.EnumName;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Whose data a set is exported as. */
public enum Trainer {
    /** LLaMA-Factory 0.9.5: messages with a {@code dataset_info.json}; it has no GRPO. */
    LLAMA_FACTORY,
    /** TRL 1.16: prompt and completion, each a list of messages. */
    TRL,
    /** verl 0.9.1: messages, and for GRPO the columns of its rule-based rewards. */
    VERL,
    /** OpenRLHF 0.11: messages, and for GRPO prompts with a label that its reward server gets. */
    OPENRLHF,
    /** slime: prompts with the label that its reward server gets, for GRPO. */
    SLIME,
    /** ms-swift 4: messages, and for GRPO a further column for its reward plugin. */
    MS_SWIFT,
    /** No trainer: Parquet as Hugging Face's {@code datasets} has it, records too; an SFT set stays readable here. */
    PARQUET;

    /** Whether a GRPO set is exported to it. */
    public boolean hasGrpo() {
        return this != LLAMA_FACTORY;
    }

    /** Whether an SFT set is exported to it. */
    public boolean hasSft() {
        return this != SLIME;
    }

    /** Whether its sets have a place for the pictures of prompts; OpenRLHF's SFT is of text alone. */
    boolean seesPictures(boolean rewarded) {
        return this != PARQUET && (rewarded || this != OPENRLHF);
    }

    /** The names of those for which that holds, for messages: "trl, verl". */
    public static String named(Predicate<Trainer> holds) {
        return Arrays.stream(values()).filter(holds).map(Trainer::toString).collect(Collectors.joining(", "));
    }

    /** The Python that asks the reward service; OpenRLHF and slime ask it themselves. */
    List<String> hooks() {
        return switch (this) {
            case TRL, VERL, PARQUET -> List.of("prpf_reward.py");
            case MS_SWIFT -> List.of("prpf_reward.py", "prpf_swift.py");
            case LLAMA_FACTORY, OPENRLHF, SLIME -> List.of();
        };
    }

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return EnumName.of(this);
    }
}
