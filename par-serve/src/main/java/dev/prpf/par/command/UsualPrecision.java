package dev.prpf.par.command;

import dev.prpf.par.engine.Precision;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The default of {@code --dtype} for this build: float32, or bfloat16 on a GPU. */
public class UsualPrecision implements IDefaultValueProvider {
    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        return isOption(argument, "--dtype") ? Precision.usual().label() : null;
    }

    static boolean isOption(ArgSpec argument, String name) {
        return argument instanceof OptionSpec option && option.longestName().equals(name);
    }
}
