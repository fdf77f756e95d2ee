package dev.prpf.data.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.io.FunctionPoolFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The mixin with an optional {@code --pool}. */
@OptionGroup(OptionGroup.DATA)
public class PoolOption {
    @Option(names = "--pool", paramLabel = "FILE", description = "Function pool (default: the shipped one).")
    public @Nullable Path pool;

    /** Reads the selected function pool. */
    public FunctionPool functions() {
        return FunctionPoolFile.read(pool);
    }

    /** Returns the pool's location for messages. */
    public String place() {
        return pool == null ? "the shipped pool" : pool.toString();
    }

    /** Returns the pool's hash for a run's identity. */
    public String poolSha256() {
        return sha256(pool);
    }

    /** Returns the SHA-256 of a file, or "shipped" if the file is null. */
    public static String sha256(@Nullable Path file) {
        return file == null ? "shipped" : AtomicFiles.sha256(file);
    }
}
