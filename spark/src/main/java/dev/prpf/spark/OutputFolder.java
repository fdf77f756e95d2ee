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

/**
 * A folder that a job writes once. Tasks write to a temporary folder; after the last task the driver moves all parts into place, {@code
 * _SUCCESS} last.
 */
final class OutputFolder {
    private OutputFolder() {}

    /**
     * Checks before the work that the job may write there; deletes an empty folder, which a failed job leaves.
     *
     * @param option the option that names the folder, for messages
     * @throws PrpfException 2 if the folder is not empty; 69 if the file system cannot be reached
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
                        + ": exists already; name another folder, or remove this one (without _SUCCESS it is the output"
                        + " of an unfinished job)");
            }
            system.delete(path, false);
        } catch (IOException | IllegalArgumentException e) {
            throw new UnavailableException("cannot write " + option + " " + folder + ": " + e.getMessage(), e);
        }
    }

    /**
     * Writes a small file into a folder from the driver.
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
