package dev.prpf.par.export;

/** Whose data a set is exported as. */
public enum Trainer {
    /** LLaMA-Factory 0.9.5: messages with a {@code dataset_info.json}; it has no GRPO. */
    LLAMA_FACTORY("llama-factory", false),
    /** TRL 1.16: prompt and completion, each a list of messages. */
    TRL("trl", true),
    /** verl 0.9.1: messages, and for GRPO the columns of its rule-based rewards. */
    VERL("verl", true);

    private final String label;
    private final boolean grpo;

    Trainer(String label, boolean grpo) {
        this.label = label;
        this.grpo = grpo;
    }

    /** Whether it has GRPO. */
    public boolean hasGrpo() {
        return grpo;
    }

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return label;
    }
}
