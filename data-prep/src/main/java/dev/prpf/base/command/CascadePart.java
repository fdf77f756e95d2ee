package dev.prpf.base.command;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;

/** Resolves the folder of a cascade or of a training in options that take a gate or a reasoner; other paths stay unchanged. */
public final class CascadePart {
    /** The file that describes a cascade, in its folder. */
    public static final String CASCADE = "cascade.json";
    /** The folder of a cascade's gate. */
    public static final String GATE = "gate";
    /** The folder of a cascade's reasoner. */
    public static final String REASONER = "reasoner";

    private CascadePart() {}

    /** Resolves a cascade to the run of its gate. */
    public static final class Gate implements ITypeConverter<Path> {
        @Override
        public Path convert(String value) {
            Path folder = Path.of(value);
            return Files.isRegularFile(folder.resolve(CASCADE)) ? folder.resolve(GATE) : folder;
        }
    }

    /** Resolves a cascade to its reasoner, and the run of a training to its model. */
    public static final class Reasoner implements ITypeConverter<Path> {
        @Override
        public Path convert(String value) {
            Path folder = Path.of(value);
            if (Files.isRegularFile(folder.resolve(CASCADE))) {
                return folder.resolve(REASONER);
            }
            boolean run = !Files.exists(folder.resolve("config.json"))
                    && Files.exists(folder.resolve("model").resolve("config.json"));
            return run ? folder.resolve("model") : folder;
        }
    }
}
