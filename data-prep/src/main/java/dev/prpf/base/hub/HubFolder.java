package dev.prpf.base.hub;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A folder with a repository's files as plain files, as {@code huggingface_hub}'s {@code local_dir}: what each is, stands in {@code
 * .cache/huggingface/download/PATH.metadata} (commit, etag, seconds since 1970, a line each).
 */
final class HubFolder implements HubTarget {
    private static final String OURS = ".cache/huggingface";
    /** File systems round a file's time. */
    private static final long CLOCK_MS = 1000;

    private final Path folder;

    HubFolder(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    /** The state of a downloaded file when it was put in place. */
    private record Note(String commit, String etag, double seconds) {}

    @Override
    public Path root(String commit) {
        return folder;
    }

    @Override
    public Path listings() {
        return folder.resolve(OURS);
    }

    private Path place(HubFile file) {
        if (file.path().equals(".cache") || (file.path() + "/").startsWith(OURS + "/")) {
            throw new InvalidDataException(
                    "file name \"" + file.path() + "\": would replace what is kept beside the files in " + OURS);
        }
        Path place = folder.resolve(file.path());
        for (Path at = place.getParent(); at != null && !at.equals(folder); at = at.getParent()) {
            if (Files.isSymbolicLink(at)) {
                throw new InvalidDataException(
                        at + " is a link: files of the repository would be written where it leads; remove it, or name"
                                + " another --out");
            }
        }
        return place;
    }

    private Path noted(HubFile file, String ending) {
        return folder.resolve(OURS).resolve("download").resolve(file.path() + ending);
    }

    @Override
    public boolean has(String commit, HubFile file) throws IOException {
        Path place = place(file);
        if (!Files.exists(place)) {
            return false;
        }
        Note note = note(file, place);
        if (note != null && note.etag().equals(file.etag()) && Files.size(place) == file.size()) {
            return true;
        }
        if (Files.isRegularFile(place)
                && Files.size(place) == file.size()
                && file.checksum(place, () -> {}).equals(file.etag())) {
            return true;
        }
        if (note == null) {
            throw new UsageException(place + ": is there, and neither the repository's file nor an earlier one of it;"
                    + " move it away, or name another --out");
        }
        return false;
    }

    /** The note on a place, or null where there is none or the place was written to since. */
    private @Nullable Note note(HubFile file, Path place) throws IOException {
        Path metadata = noted(file, ".metadata");
        if (!Files.isRegularFile(metadata)) {
            return null;
        }
        try {
            List<String> lines = Files.readAllLines(metadata, StandardCharsets.UTF_8);
            Note note = new Note(lines.get(0), lines.get(1), Double.parseDouble(lines.get(2)));
            long written = Files.getLastModifiedTime(place).toMillis();
            return written - CLOCK_MS <= note.seconds() * 1000 ? note : null;
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return null;
        }
    }

    @Override
    public void keep(String commit, HubFile file) throws IOException {
        Note note = note(file, place(file));
        if (note == null || !note.commit().equals(commit)) {
            write(commit, file);
        }
    }

    private synchronized void write(String commit, HubFile file) {
        Path ignore = folder.resolve(OURS).resolve(".gitignore");
        if (!Files.exists(ignore)) {
            AtomicFiles.writeText(ignore, "*");
        }
        AtomicFiles.writeText(
                noted(file, ".metadata"),
                String.format(Locale.ROOT, "%s%n%s%n%.3f%n", commit, file.etag(), System.currentTimeMillis() / 1000.0));
    }

    @Override
    public Path partial(HubFile file) {
        return noted(file, "." + file.etag() + ".prpf.incomplete");
    }

    @Override
    public Path lock(HubFile file) {
        return noted(file, ".lock");
    }

    @Override
    public void place(String commit, List<HubFile> named, Path whole) throws IOException {
        for (HubFile file : named) {
            Path place = place(file);
            Files.createDirectories(place.resolveSibling("."));
            AtomicFiles.move(whole, place);
            write(commit, file);
        }
    }
}
