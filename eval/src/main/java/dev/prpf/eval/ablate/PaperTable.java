package dev.prpf.eval.ablate;

import dev.prpf.eval.score.Labelled;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables of the two papers that {@code eval ablate} can reproduce. */
enum PaperTable implements Labelled {
    TABLE2("PRPF", "2", "The effect of each part of the cascade"),
    TABLE3("PRPF", "3", "The perceiver before other reasoners, and another perceiver before this one"),
    TABLE10("PRPF", "10", "The cost of a prediction"),
    PM_T5("ProactiveMobile", "5", "Output formats of the single-stage model"),
    PM_T7("ProactiveMobile", "7", "Without parts of the context");

    private final String paper;
    private final String number;
    private final String about;

    PaperTable(String paper, String number, String about) {
        this.paper = paper;
        this.number = number;
        this.about = about;
    }

    /** Returns the paper, "PRPF" or "ProactiveMobile". */
    public String paper() {
        return paper;
    }

    /** Returns the table's number in the paper. */
    public String number() {
        return number;
    }

    /** Returns its subject in one line. */
    public String about() {
        return about;
    }

    /** Returns a label such as "PRPF Table 2". */
    @Override
    public String label() {
        return paper + " Table " + number;
    }

    /** Returns the key in a configuration, in kebab case. */
    public String configKey() {
        return key().replace('_', '-');
    }

    static @Nullable PaperTable ofConfigKey(String key) {
        return Stream.of(values())
                .filter(table -> table.configKey().equals(key))
                .findFirst()
                .orElse(null);
    }
}
