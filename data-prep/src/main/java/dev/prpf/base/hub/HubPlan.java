package dev.prpf.base.hub;

import java.nio.file.Path;
import java.util.List;

/**
 * Files that a request selects, before a download.
 *
 * @param request the repository, revision and files
 * @param commit id that the revision resolves to
 * @param root the folder that holds the files after the download
 * @param files all selected files, by path
 * @param listed all selected files as the hub lists them; empty offline
 */
public record HubPlan(HubRequest request, String commit, Path root, List<Entry> files, List<HubFile> listed) {
    /**
     * A selected file of the repository.
     *
     * @param path in the repository
     * @param size in bytes
     * @param cached whether the file exists here and is not downloaded
     */
    public record Entry(String path, long size, boolean cached) {}

    public HubPlan {
        files = List.copyOf(files);
        listed = List.copyOf(listed);
    }

    /** Returns whether the hub listed the files; if not, they are those of the cache, and the revision may have more. */
    public boolean isListed() {
        return !listed.isEmpty();
    }

    /** Returns the size of all selected files. */
    public long bytes() {
        return files.stream().mapToLong(Entry::size).sum();
    }

    List<Entry> missing() {
        return files.stream().filter(file -> !file.cached()).toList();
    }

    /** Returns the size of the files to download. */
    public long missingBytes() {
        return missing().stream().mapToLong(Entry::size).sum();
    }
}
