package dev.prpf.base.hub;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Where a repository's files come to lie. */
interface HubTarget {
    /** The folder that then holds the files of a commit under their names. */
    Path root(String commit);

    /** Whether a file's content is here, whole. */
    boolean has(String commit, HubFile file) throws IOException;

    /** Gives a content that is here its name, where it has none. */
    void keep(String commit, HubFile file) throws IOException;

    /** Where a content is gathered; survives a kill. */
    Path partial(HubFile file);

    /** Taken while a content is gathered. */
    Path lock(HubFile file);

    /** Gives a content its names; {@code whole} is moved away. */
    void place(String commit, List<HubFile> named, Path whole) throws IOException;
}
