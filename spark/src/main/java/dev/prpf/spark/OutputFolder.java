package dev.prpf.spark;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A folder that a job writes once. Tasks write aside, and the driver moves all parts into place when the last is done, {@code _SUCCESS} last. */
final class OutputFolder {
    private OutputFolder() {}

    /**
     * Makes sure, before the work, that the job may write there; an empty folder, which a failed job leaves, goes.
     *
     * @param option that named it, for messages
     * @throws PrpfException 2 if something is there; 69 if the file system cannot be reached
     */
    static void requireFree(String option, String folder, Configuration configuration) {
        try {
            Path path = new Path(folder);
            FileSystem system = path.getFileSystem(configuration);
            if (!system.exists(path)) {
                return;
            }
            if (system.getFileStatus(path).isFile() || system.listStatus(path).length > 0) {
                throw new UsageException(option + " " + folder
                        + ": exists already; name another folder, or remove this one (without _SUCCESS it is of a job"
                        + " that was never finished)");
            }
            system.delete(path, false);
        } catch (IOException | IllegalArgumentException e) {
            throw new UnavailableException("cannot write " + option + " " + folder + ": " + e.getMessage(), e);
        }
    }

    /**
     * Writes a small file of the driver's into a folder.
     *
     * @throws PrpfException 69 if it cannot be written
     */
    static void write(String folder, String name, String text, Configuration configuration) {
        Path file = new Path(folder, name);
        try (FSDataOutputStream out = file.getFileSystem(configuration).create(file, true)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UnavailableException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
