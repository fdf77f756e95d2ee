package dev.prpf.spark;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The files of an input, sorted by path: JSON Lines, or Parquet.
 *
 * @param given path from the command line: a file, a folder or a pattern, on any file system that Hadoop supports
 * @param files at least one
 * @param parquet whether they are Parquet, by the extension {@code .parquet}
 */
record InputFiles(String given, List<Path> files, boolean parquet) {
    private static final String PARQUET = ".parquet";
    private static final String HIDDEN = "[_.].*";
    private static final int HEAD = 256;

    InputFiles {
        files = List.copyOf(files);
    }

    /**
     * Finds the files of an input. A folder is read recursively, without files and folders that begin with {@code _} or {@code .}. A pattern
     * matches such names only if it spells them out.
     *
     * @throws PrpfException 65 if there are no files, if only some are Parquet, or if the first holds a JSON array
     */
    static InputFiles of(String given, Configuration configuration) {
        try {
            Path pattern = new Path(given);
            FileSystem system = pattern.getFileSystem(configuration);
            FileStatus[] matches = system.globStatus(pattern);
            List<Path> files = new ArrayList<>();
            for (FileStatus match : matches == null ? new FileStatus[0] : matches) {
                if (!isHidden(match.getPath(), pattern)) {
                    add(match, system, files);
                }
            }
            if (files.isEmpty()) {
                throw new InvalidDataException(
                        given + ": there is no such file, or no file in it; name a file, a folder"
                                + " or a pattern of JSON Lines or Parquet files");
            }
            files.sort(Comparator.comparing(Path::toString));
            return checked(given, files, system);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidDataException(given + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** Returns whether a wildcard of the pattern matched a hidden name. */
    private static boolean isHidden(Path match, Path pattern) {
        Path named = pattern;
        for (Path at = match; at != null && named != null; at = at.getParent()) {
            if (!at.getName().equals(named.getName()) && at.getName().matches(HIDDEN)) {
                return true;
            }
            named = named.getParent();
        }
        return false;
    }

    private static void add(FileStatus match, FileSystem system, List<Path> files) throws IOException {
        if (match.isFile()) {
            if (!match.getPath().getName().matches(HIDDEN)) {
                files.add(match.getPath());
            }
            return;
        }
        RemoteIterator<LocatedFileStatus> below = system.listFiles(match.getPath(), true);
        while (below.hasNext()) {
            Path file = below.next().getPath();
            String inside = match.getPath().toUri().relativize(file.toUri()).getPath();
            if (!("/" + inside).matches(".*/[_.].*")) {
                files.add(file);
            }
        }
    }

    private static InputFiles checked(String given, List<Path> files, FileSystem system) throws IOException {
        long parquet =
                files.stream().filter(file -> file.getName().endsWith(PARQUET)).count();
        if (parquet != 0 && parquet != files.size()) {
            throw new InvalidDataException(given + ": " + parquet + " of its " + files.size() + " files end with "
                    + PARQUET + " and the others do not; give an input files of one kind");
        }
        if (parquet == 0) {
            requireNoArray(files.get(0), system);
        }
        return new InputFiles(given, files, parquet != 0);
    }

    private static void requireNoArray(Path file, FileSystem system) throws IOException {
        byte[] head = new byte[HEAD];
        int length;
        try (FSDataInputStream in = system.open(file)) {
            length = Math.max(0, in.read(head));
        }
        if (new String(head, 0, length, StandardCharsets.UTF_8).stripLeading().startsWith("[")) {
            throw new InvalidDataException(
                    file + ": holds a JSON array, which cannot be cut into partitions; write it as"
                            + " JSON Lines, a record a line: jq -c '.[]' FILE");
        }
    }
}
