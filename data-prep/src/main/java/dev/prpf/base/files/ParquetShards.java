package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the Parquet files of a data set: a file, a folder with one split, or a prefix in a folder with several. {@code DIR/train}
 * means {@code DIR/train-00000-of-00002.parquet} and the following shards. Shards have the names of Hugging Face's
 * {@code datasets}.
 */
public final class ParquetShards {
    private static final String SUFFIX = ".parquet";
    private static final Pattern SHARD = Pattern.compile("(.+)-(\\d{5,9})-of-(\\d{5,9})\\.parquet");

    private ParquetShards() {}

    /** Returns the name of shard {@code index}, from 0, of {@code count}. */
    public static String name(String split, int index, int count) {
        return String.format(Locale.ROOT, "%s-%05d-of-%05d%s", split, index, count, SUFFIX);
    }

    /** Returns whether a path is read as Parquet: by its name, as a folder, or as a prefix of shards. */
    public static boolean isParquet(Path source) {
        return Files.isDirectory(source) || source.toString().endsWith(SUFFIX) || begin(source);
    }

    /** Returns whether a path does not exist and is a prefix of shards. */
    public static boolean begin(Path source) {
        return !Files.exists(source) && !startingWith(source).isEmpty();
    }

    /**
     * Returns the files in order; a single file is returned whether it exists or not.
     *
     * @throws PrpfException 65 for a folder without Parquet files or with several splits, and for a missing shard
     */
    public static List<Path> of(Path source) {
        if (!Files.isDirectory(source)) {
            List<Path> shards = Files.exists(source) ? List.of() : startingWith(source);
            return shards.isEmpty() ? List.of(source) : whole(source, shards);
        }
        Map<String, List<Path>> splits = splits(source);
        if (splits.size() != 1) {
            throw new InvalidDataException(source + ": is a folder "
                    + (splits.isEmpty()
                            ? "without " + SUFFIX + " files; name a folder that has some, or a file"
                            : "with several splits, " + splits.keySet() + "; name one, as in "
                                    + source.resolve(splits.keySet().iterator().next())));
        }
        return whole(source, splits.values().iterator().next());
    }

    private static List<Path> startingWith(Path source) {
        Path folder = source.toAbsolutePath().getParent();
        return folder == null || !Files.isDirectory(folder)
                ? List.of()
                : splits(folder).getOrDefault(fileName(source), List.of());
    }

    private static Map<String, List<Path>> splits(Path folder) {
        Map<String, List<Path>> splits = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "[!.]*" + SUFFIX)) {
            for (Path file : files) {
                Matcher shard = SHARD.matcher(fileName(file));
                splits.computeIfAbsent(shard.matches() ? shard.group(1) : "*" + SUFFIX, split -> new ArrayList<>())
                        .add(file);
            }
        } catch (IOException e) {
            throw IoFailure.reading(folder, e);
        }
        splits.values().forEach(files -> files.sort(null));
        return splits;
    }

    private static List<Path> whole(Path source, List<Path> files) {
        Matcher first = SHARD.matcher(fileName(files.get(0)));
        int count = first.matches() ? Integer.parseInt(first.group(3)) : files.size();
        for (int i = 0; first.matches() && i < Math.max(count, files.size()); i++) {
            String expected = name(first.group(1), i, count);
            if (i >= files.size() || !fileName(files.get(i)).equals(expected)) {
                throw new InvalidDataException(source + ": its shards are incomplete: " + expected
                        + (i < files.size() ? " is expected, found " + fileName(files.get(i)) : " is missing")
                        + "; give all of one export");
            }
        }
        return List.copyOf(files);
    }

    private static String fileName(Path file) {
        return String.valueOf(file.getFileName());
    }
}
