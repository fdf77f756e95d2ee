package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.hub.HubDownload.HubTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A folder with a repository's files as plain files; partial downloads are in {@code .cache/huggingface/download}. */
final class HubFolder implements HubTarget {
    private static final String OURS = ".cache/huggingface";

    private final Path folder;

    HubFolder(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    @Override
    public Path root(String commit) {
        return folder;
    }

    private Path place(HubFile file) {
        if (file.path().equals(".cache") || (file.path() + "/").startsWith(OURS + "/")) {
            throw new InvalidDataException("file name \"" + file.path() + "\": must not lie in " + OURS
                    + ", which holds unfinished downloads");
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

    private Path unfinished(HubFile file, String ending) {
        return folder.resolve(OURS).resolve("download").resolve(file.path() + ending);
    }

    @Override
    public boolean has(String commit, HubFile file) throws IOException {
        Path place = place(file);
        if (!Files.exists(place)) {
            return false;
        }
        if (Files.isRegularFile(place)
                && Files.size(place) == file.size()
                && file.checksum(place, () -> {}).equals(file.etag())) {
            return true;
        }
        throw new UsageException(
                place + ": exists and differs from the repository's file; move it away, or name another --out");
    }

    @Override
    public void keep(String commit, HubFile file) {
        // a file in the folder already has its name
    }

    @Override
    public Path partial(HubFile file) {
        return unfinished(file, "." + file.etag() + ".prpf.incomplete");
    }

    @Override
    public Path lock(HubFile file) {
        return unfinished(file, ".lock");
    }

    @Override
    public void place(String commit, List<HubFile> named, Path whole) throws IOException {
        Path place = place(named.get(0)); // the path is a part of the partial file's name: no two share one
        Files.createDirectories(place.resolveSibling("."));
        AtomicFiles.move(whole, place);
    }
}
