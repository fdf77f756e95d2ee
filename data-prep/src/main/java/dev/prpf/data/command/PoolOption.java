package dev.prpf.data.command;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.io.FunctionPoolFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --pool} of a command that has a pool without it; a mixin. */
public class PoolOption {
    @Option(names = "--pool", paramLabel = "FILE", description = "Function pool (default: the shipped one).")
    public @Nullable Path pool;

    /** The pool asked for. */
    public FunctionPool functions() {
        return FunctionPoolFile.read(pool);
    }

    /** Where it lies, for messages. */
    public String place() {
        return pool == null ? "the shipped pool" : pool.toString();
    }

    /** What a run's identity holds of it. */
    public String poolSha256() {
        return sha256(pool);
    }

    /** The SHA-256 of a file, or "shipped" where none was named. */
    public static String sha256(@Nullable Path file) {
        return file == null ? "shipped" : AtomicFiles.sha256(file);
    }
}
