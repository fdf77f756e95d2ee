package dev.prpf.spark;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;

/** Folders that jobs write once: tasks write aside, then the driver moves all parts into place, {@code _SUCCESS} last. */
final class OutputFolder {
    private OutputFolder() {}

    /** Checks before the work that the folder is missing or empty (2); deletes an empty one, which a failed job leaves. */
    static void requireFree(String option, String folder, SparkContext context) {
        try {
            Path path = new Path(folder);
            FileSystem system = path.getFileSystem(context.hadoopConfiguration());
            if (!system.exists(path)) {
                return;
            }
            if (system.getFileStatus(path).isFile() || system.listStatus(path).length > 0) {
                throw new UsageException(option + " " + folder
                        + ": exists already; name another folder, or remove this one (without _SUCCESS it is the output"
                        + " of an unfinished job)");
            }
            system.delete(path, false);
        } catch (IOException | IllegalArgumentException e) {
            throw new UnavailableException("cannot write " + option + " " + folder + ": " + e.getMessage(), e);
        }
    }

    static void write(String folder, String name, byte[] content, SparkContext context) {
        Path file = new Path(folder, name);
        try (OutputStream out =
                file.getFileSystem(context.hadoopConfiguration()).create(file, true)) {
            out.write(content);
        } catch (IOException e) {
            throw new UnavailableException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
