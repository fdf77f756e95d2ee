package dev.prpf.base.hub;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request comes to, before anything is fetched.
 *
 * @param request the repository, revision and files
 * @param commit what its revision stands for
 * @param root the folder the files then lie in
 * @param files all that are wanted, by path
 * @param listing the commit's whole listing, or null where only the cache is known
 */
public record HubPlan(HubRequest request, String commit, Path root, List<Entry> files, @Nullable HubListing listing) {
    /**
     * One wanted file.
     *
     * @param path in the repository
     * @param size in bytes
     * @param cached whether it is here, and will not be fetched
     */
    public record Entry(String path, long size, boolean cached) {}

    public HubPlan {
        files = List.copyOf(files);
    }

    /** Whether the commit's whole listing is known; else the files are those another program left, which may be few. */
    public boolean isListed() {
        return listing != null;
    }

    /** Of all wanted files. */
    public long bytes() {
        return files.stream().mapToLong(Entry::size).sum();
    }

    List<Entry> missing() {
        return files.stream().filter(file -> !file.cached()).toList();
    }

    /** Of what is to be fetched. */
    public long missingBytes() {
        return missing().stream().mapToLong(Entry::size).sum();
    }
}
