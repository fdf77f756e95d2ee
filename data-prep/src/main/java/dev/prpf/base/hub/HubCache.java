package dev.prpf.base.hub;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.hub.HubDownload.HubTarget;
import dev.prpf.base.hub.HubRequest.Repository;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A repository in the shared cache: {@code blobs/ETAG}, {@code snapshots/COMMIT/PATH} (relative links to blobs, or files if links
 * are disabled), {@code refs/REVISION} (a commit), and locks next to the repositories.
 */
final class HubCache implements HubTarget {
    /** The tag of https://bford.info/cachedir/: backup tools skip the folder. */
    private static final String TAG = "Signature: 8a477f597d28d172789f06886806bc55\n";

    private final Path cache;
    private final Path storage;
    private final boolean symlinks;

    HubCache(HubEnvironment environment, Repository repository) {
        this.cache = environment.cache();
        this.storage = cache.resolve(repository.folder());
        this.symlinks = environment.symlinks();
    }

    /** Returns the commit of a revision at its last download, or null. */
    @Nullable
    String ref(String revision) {
        Path file = storage.resolve("refs").resolve(revision);
        String commit = Files.isRegularFile(file)
                ? IoFailure.whileReading(file + " cannot be read", () -> Files.readString(file, StandardCharsets.UTF_8))
                : "";
        return HubRequest.isCommit(commit.strip()) ? commit.strip() : null;
    }

    void writeRef(String revision, String commit) {
        if (!revision.equals(commit) && !commit.equals(ref(revision))) {
            AtomicFiles.writeText(storage.resolve("refs").resolve(revision), commit);
        }
        Path tag = cache.resolve("CACHEDIR.TAG");
        if (!Files.exists(tag)) {
            AtomicFiles.writeText(tag, TAG);
        }
    }

    /** Returns the names of the cached files of a commit, also those another program downloaded. */
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

    /** Returns whether a file exists with its full size; a file removed meanwhile does not. */
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
        // Not ETAG.incomplete: other programs append to that file without our locks.
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

    /** Creates the link atomically; another download of the same commit may create it, too. */
    private void link(Path pointer, HubFile file) throws IOException {
        Path folder = pointer.resolveSibling(".").normalize();
        Files.createDirectories(folder);
        Path temporary = folder.resolve(".prpf-" + UUID.randomUUID() + ".partial");
        Files.createSymbolicLink(temporary, folder.relativize(blob(file)));
        AtomicFiles.move(temporary, pointer);
    }

    private static void copy(Path from, Path to) {
        AtomicFiles.write(to, out -> Files.copy(from, out));
    }
}
