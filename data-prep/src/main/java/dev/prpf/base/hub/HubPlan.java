package dev.prpf.base.hub;

import java.nio.file.Path;
import java.util.List;

/**
 * What a request comes to, before anything is fetched.
 *
 * @param request the repository, revision and files
 * @param commit what its revision stands for
 * @param root the folder the files then lie in
 * @param files all that are wanted, by path
 * @param listed all that are wanted, as the hub lists them; empty where only the cache is known
 */
public record HubPlan(HubRequest request, String commit, Path root, List<Entry> files, List<HubFile> listed) {
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
        listed = List.copyOf(listed);
    }

    /** Whether the hub listed the files; else they are those that the cache has, which may be few. */
    public boolean isListed() {
        return !listed.isEmpty();
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
