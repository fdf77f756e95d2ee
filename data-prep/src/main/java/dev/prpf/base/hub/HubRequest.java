package dev.prpf.base.hub;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request to download files of a repository.
 *
 * @param repository the repository
 * @param revision a branch, a tag, a pull request's ref or a commit
 * @param filter selects the files
 * @param folder the target for plain files, or null for the shared cache
 */
public record HubRequest(Repository repository, String revision, FileFilter filter, @Nullable Path folder) {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    public HubRequest {
        if (revision.isBlank() || !revision.equals(revision.strip()) || !HubFile.isSafe(revision)) {
            throw new IllegalArgumentException("revision \"" + revision
                    + "\": must be a branch, a tag or a commit, without empty, \".\" or \"..\" parts");
        }
    }

    /** Returns whether the text is a full commit id. */
    static boolean isCommit(String revision) {
        return COMMIT.matcher(revision).matches();
    }

    String what() {
        return repository + " at revision " + revision;
    }
}
