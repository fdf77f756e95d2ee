package dev.prpf.spark;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** The files of an input, at least one, sorted by path: JSON Lines or, by their extension, Parquet. */
record InputFiles(List<Path> files, boolean parquet) {
    private static final String PARQUET = ".parquet";

    /**
     * Finds the files of a file, a folder (recursively) or a pattern; 65 without any. Names that begin with {@code _} or {@code .} are
     * excluded, unless the path spells them out.
     */
    static InputFiles of(String given, Configuration configuration) {
        try {
            Path pattern = new Path(given);
            FileSystem system = pattern.getFileSystem(configuration);
            long named = hiddenParts(system.makeQualified(pattern));
            FileStatus[] matches = system.globStatus(pattern);
            List<Path> files = new ArrayList<>();
            for (FileStatus match : matches == null ? new FileStatus[0] : matches) {
                RemoteIterator<LocatedFileStatus> below = system.listFiles(match.getPath(), true);
                while (below.hasNext()) {
                    files.add(below.next().getPath());
                }
            }
            files.removeIf(file -> hiddenParts(file) > named);
            files.sort(Comparator.comparing(Path::toString));
            return checked(given, files, system);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidDataException(given + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static long hiddenParts(Path path) {
        return path.toUri().getPath().split("/[_.]", -1).length;
    }

    private static InputFiles checked(String given, List<Path> files, FileSystem system) throws IOException {
        if (files.isEmpty()) {
            throw new InvalidDataException(given + ": there is no such file, or no file in it; name a file, a folder"
                    + " or a pattern of JSON Lines or Parquet files");
        }
        long parquet =
                files.stream().filter(file -> file.getName().endsWith(PARQUET)).count();
        if (parquet != 0 && parquet != files.size()) {
            throw new InvalidDataException(given + ": " + parquet + " of its " + files.size() + " files end with "
                    + PARQUET + " and the others do not; give an input files of one kind");
        }
        if (parquet == 0) {
            try (InputStream in = system.open(files.get(0))) {
                if (new String(in.readNBytes(256), StandardCharsets.UTF_8)
                        .strip()
                        .startsWith("[")) {
                    throw new InvalidDataException(files.get(0)
                            + ": holds a JSON array, which cannot be cut into partitions; write it as"
                            + " JSON Lines, a record a line: jq -c '.[]' FILE");
                }
            }
        }
        return new InputFiles(files, parquet != 0);
    }
}
