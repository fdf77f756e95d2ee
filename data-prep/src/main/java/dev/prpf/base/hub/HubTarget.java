package dev.prpf.base.hub;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Destination of a repository's files: a cache or a folder. */
interface HubTarget {
    /** Returns the folder for the files of a commit under their names. */
    Path root(String commit);

    /** Returns whether the target has a file's whole content. */
    boolean has(String commit, HubFile file) throws IOException;

    /** Adds the name of a file to a content that the target has. */
    void keep(String commit, HubFile file) throws IOException;

    /** Returns the path of a partial download, which survives a kill. */
    Path partial(HubFile file);

    /** Returns the path of the lock that a download holds. */
    Path lock(HubFile file);

    /** Moves the downloaded file {@code whole} to its names. */
    void place(String commit, List<HubFile> named, Path whole) throws IOException;
}
