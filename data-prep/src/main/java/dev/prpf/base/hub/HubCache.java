package dev.prpf.base.hub;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A repository's part of the shared cache: {@code blobs/ETAG}, {@code snapshots/COMMIT/PATH} (relative links to blobs, or the contents
 * themselves where links are switched off), {@code refs/REVISION} (a commit), and locks beside the repositories.
 */
final class HubCache implements HubTarget {
    /** https://bford.info/cachedir/: backup tools pass the folder over. */
    private static final String TAG = "Signature: 8a477f597d28d172789f06886806bc55\n";

    private final Path cache;
    private final Path storage;
    private final boolean symlinks;

    HubCache(HubEnvironment environment, Repository repository) {
        this.cache = environment.cache();
        this.storage = cache.resolve(repository.folder());
        this.symlinks = environment.symlinks();
    }

    /** The commit a revision stood for when it was fetched last, or null. */
    @Nullable
    String ref(String revision) {
        Path file = storage.resolve("refs").resolve(revision);
        String commit = Files.isRegularFile(file)
                ? IoFailure.whileReading(file + " cannot be read", () -> Files.readString(file, StandardCharsets.UTF_8))
                : "";
        return HubRequest.isCommit(commit.strip()) ? commit.strip() : null;
    }

    /** Notes what a revision stands for now. */
    void writeRef(String revision, String commit) {
        if (!revision.equals(commit) && !commit.equals(ref(revision))) {
            AtomicFiles.writeText(storage.resolve("refs").resolve(revision), commit);
        }
        Path tag = cache.resolve("CACHEDIR.TAG");
        if (!Files.exists(tag)) {
            AtomicFiles.writeText(tag, TAG);
        }
    }

    /** The names in a commit's folder whose contents are there, whoever fetched them. */
    List<String> names(String commit) {
        Path root = root(commit);
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        return IoFailure.whileReading(root + " cannot be read", () -> {
            try (Stream<Path> files = Files.walk(root)) {
                return files.filter(Files::isRegularFile)
                        .map(file -> root.relativize(file).toString())
                        .sorted()
                        .toList();
            }
        });
    }

    @Override
    public Path root(String commit) {
        return storage.resolve("snapshots").resolve(commit);
    }

    private Path pointer(String commit, HubFile file) {
        return root(commit).resolve(file.path());
    }

    private Path blob(HubFile file) {
        return storage.resolve("blobs").resolve(file.etag());
    }

    @Override
    public boolean has(String commit, HubFile file) {
        return isWhole(pointer(commit, file), file) || isWhole(blob(file), file);
    }

    /** A file that another download or a person removes meanwhile is none. */
    private static boolean isWhole(Path place, HubFile file) {
        return place.toFile().isFile() && place.toFile().length() == file.size();
    }

    @Override
    public void keep(String commit, HubFile file) throws IOException {
        Path pointer = pointer(commit, file);
        if (isWhole(pointer, file)) {
            return;
        }
        if (symlinks) {
            link(pointer, file);
        } else {
            copy(blob(file), pointer);
        }
    }

    @Override
    public Path partial(HubFile file) {
        // Not ETAG.incomplete: other programs append to that, and do not know our locks.
        return storage.resolve("blobs").resolve(file.etag() + ".prpf.incomplete");
    }

    @Override
    public Path lock(HubFile file) {
        return cache.resolve(".locks").resolve(storage.getFileName()).resolve(file.etag() + ".lock");
    }

    @Override
    public void place(String commit, List<HubFile> named, Path whole) throws IOException {
        if (symlinks) {
            AtomicFiles.move(whole, blob(named.get(0)));
            for (HubFile file : named) {
                link(pointer(commit, file), file);
            }
            return;
        }
        for (HubFile file : named.subList(1, named.size())) {
            copy(whole, pointer(commit, file));
        }
        Path first = pointer(commit, named.get(0));
        Files.createDirectories(first.resolveSibling("."));
        AtomicFiles.move(whole, first);
    }

    /** Puts the link there in one step: another download of the same commit may do so, too. */
    private void link(Path pointer, HubFile file) throws IOException {
        Path folder = pointer.resolveSibling(".").normalize();
        Files.createDirectories(folder);
        Path beside = folder.resolve(".prpf-" + UUID.randomUUID() + ".partial");
        Files.createSymbolicLink(beside, folder.relativize(blob(file)));
        AtomicFiles.move(beside, pointer);
    }

    private static void copy(Path from, Path to) {
        AtomicFiles.write(to, out -> Files.copy(from, out));
    }
}
