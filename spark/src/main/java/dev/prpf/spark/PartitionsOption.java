package dev.prpf.spark;

import dev.prpf.base.error.UsageException;
import picocli.CommandLine.Option;

/** The option {@code --partitions}; a mixin. */
final class PartitionsOption {
    @Option(
            names = "--partitions",
            paramLabel = "N",
            description =
                    "Cut JSON Lines into at least N partitions (default: as Spark does, by blocks of the file system).")
    private int partitions;

    /** @throws dev.prpf.base.error.PrpfException 2 if the number is negative */
    int minimum() {
        if (partitions < 0) {
            throw new UsageException("--partitions = " + partitions + ", must be at least 1");
        }
        return partitions;
    }
}
